/** Files that visitors attach, in the mails and webhook requests of their submission: named, attached, linked. */

import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { startClamd, VIRUS } from '../../files/clamd-server.ts';
import { withProgram } from '../../programs.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { attach, randomBytes, setScan } from '../../submissions/files/attached.ts';
import { until } from '../../until.ts';
import { EXIM_LOGIN, startExim } from '../exim.ts';
import { type ScriptedSmtp, startScriptedSmtp } from '../scripted-smtp.ts';

setDefaultTimeout(60_000);

const KIB = 1024;
const MIB = 1024 * KIB;

let server: TestServer;
let smtp: ScriptedSmtp | undefined;
const closing: (() => unknown)[] = [];
afterEach(async () => {
	await server.close();
	await smtp?.close();
	smtp = undefined;
	for (const close of closing.splice(0)) await close();
});

async function open(settings: Record<string, string>, form: object = {}) {
	server = await openTestServer({ settings: { FORMSRV_MAIL_FROM: 'forms@example.com', ...settings } });
	const json = { name: 'Jobs', slug: 'jobs', notificationEmail: 'owner@example.com', ...form };
	const { status, text } = await server.call('POST /api/forms', { json });
	if (status !== 201) throw new Error(text);
}

async function openWithSmtp(form: object = {}, settings: Record<string, string> = {}) {
	smtp = await startScriptedSmtp();
	await open({ FORMSRV_SMTP_URL: `${smtp.url}?tls=off`, ...settings }, form);
	return smtp;
}

/** The mail server works from now on, and what waits for it is tried now: by itself it would be half a minute later. */
async function sendNow(peer: ScriptedSmtp): Promise<void> {
	peer.script = {};
	await until(async () => {
		await server.call('POST /api/deliveries/retry', { json: { state: 'waiting' } });
		return peer.accepted.length > 0;
	});
}

async function mailsOf({ accepted }: ScriptedSmtp, count: number) {
	await until(() => accepted.length >= count, { withinMs: 50_000 });
	return Promise.all(accepted.map(({ content }) => PostalMime.parse(content)));
}

const attachmentsOf = ({ attachments }: Awaited<ReturnType<typeof PostalMime.parse>>) =>
	attachments.map(({ filename, mimeType, content }) => [filename, mimeType, (content as ArrayBuffer).byteLength]);

const exim = withProgram('exim4');
exim.test('a mail through a real mail server carries the very bytes, if the form says so', async () => {
	const daemon = await startExim(exim.path);
	closing.push(daemon.stop);
	const login = `${EXIM_LOGIN.user}:${encodeURIComponent(EXIM_LOGIN.pass)}`;
	await open({ FORMSRV_SMTP_URL: `smtp://${login}@127.0.0.1:${daemon.port}?tls=unverified` }, { attachFiles: true });
	const bytes = randomBytes(300 * KIB);
	const sent = await attach(server, [new File([bytes], 'Ünterlagen „1“.bin'), new File([], 'empty.txt')]);
	const delivered = await until(async () => (await daemon.mails())[0], { withinMs: 50_000 });
	const mail = await PostalMime.parse(delivered.raw);
	expect(attachmentsOf(mail)).toEqual([
		['Ünterlagen „1“.bin', 'application/octet-stream', bytes.length],
		['empty.txt', 'text/plain', 0],
	]);
	expect(Buffer.from(mail.attachments[0]?.content as ArrayBuffer).equals(Buffer.from(bytes))).toBe(true);
	expect(mail.text).toContain('Attached files:\nÜnterlagen „1“.bin (300 KiB), attached\nempty.txt (0 B), attached\n');
	expect(mail.text).toContain(`/submissions/${sent.submissionId}`);
});

test('without the setting a mail names the files and attaches none', async () => {
	const peer = await openWithSmtp();
	await attach(server, [new File(['x'.repeat(1536)], '<b>cv.pdf')]);
	const [mail] = await mailsOf(peer, 1);
	expect(mail?.attachments).toEqual([]);
	expect(mail?.text).toContain('Attached files:\n<b>cv.pdf (1.5 KiB)\n');
	expect(mail?.html).toContain('&lt;b&gt;cv.pdf (1.5 KiB)');
});

test('a mail of a submission without files says nothing of files', async () => {
	const peer = await openWithSmtp({ attachFiles: true });
	await server.submit('jobs', { name: 'Ada' });
	const [mail] = await mailsOf(peer, 1);
	expect([mail?.attachments, mail?.text?.includes('Attached files')]).toEqual([[], false]);
});

test('what is more than 10 MiB in all is named only', async () => {
	const peer = await openWithSmtp({ attachFiles: true });
	peer.script.EHLO = '250 test';
	await attach(server, [
		new File([randomBytes(9 * MIB)], 'a.bin'),
		new File([randomBytes(2 * MIB)], 'b.bin'),
		new File([randomBytes(MIB)], 'c.bin'),
	]);
	const [mail] = await mailsOf(peer, 1);
	expect(mail && attachmentsOf(mail)).toEqual([
		['a.bin', 'application/octet-stream', 9 * MIB],
		['c.bin', 'application/octet-stream', MIB],
	]);
	expect(mail?.text).toContain('a.bin (9 MiB), attached\nb.bin (2 MiB)\nc.bin (1 MiB), attached\n');
});

test('attached files are exact, whatever their size, and the mail has the size that it was announced with', async () => {
	const peer = await openWithSmtp({ attachFiles: true });
	const line = 57;
	const piece = 840 * line;
	const sizes = [0, 1, line - 1, line, line + 1, piece - 1, piece, piece + 1, 2 * piece, 3 * MIB + 2];
	const contents = sizes.map((bytes) => randomBytes(bytes));
	await server.call(`PATCH /api/forms/${(await server.app.forms.list())[0]?.id}`, {
		json: { files: { maxFiles: 10 } },
	});
	await attach(
		server,
		contents.map((bytes, number) => new File([bytes], `${number}.bin`)),
	);
	const [mail] = await mailsOf(peer, 1);
	const got = mail?.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer).toString('base64'));
	expect(got).toEqual(contents.map((bytes) => Buffer.from(bytes).toString('base64')));
	const { content = '', announced } = peer.accepted[0] ?? {};
	expect(Math.max(...content.split('\r\n').map(({ length }) => length))).toBeLessThan(998);
	expect(content.length).toBe(announced as number);
});

test.each<[string, (path: string) => void]>([
	['was removed', (path) => rmSync(path)],
	['was cut off', (path) => truncateSync(path, MIB)],
	[
		'has another byte',
		(path) => {
			const bytes = readFileSync(path);
			bytes[2 * MIB] = ~(bytes[2 * MIB] as number);
			writeFileSync(path, bytes);
		},
	],
])('a mail says that a file that %s cannot be attached, and carries the others', async (_, damage) => {
	smtp = await startScriptedSmtp({ greeting: '421 later' });
	await open({ FORMSRV_SMTP_URL: `${smtp.url}?tls=off` }, { attachFiles: true });
	await attach(server, [
		new File(['one'], 'one.txt'),
		new File([randomBytes(3 * MIB)], 'two.bin'),
		new File(['3'], 'three.txt'),
	]);
	const { folder } = server.app.config.files.place;
	const paths = [...new Bun.Glob('??/*').scanSync(folder)].map((path) => join(folder, path));
	damage(paths.find((path) => statSync(path).size > MIB) ?? '');
	await sendNow(smtp);
	const [mail] = await mailsOf(smtp, 1);
	expect(mail?.attachments.map(({ filename }) => filename)).toEqual(['one.txt', 'three.txt']);
	expect(mail?.text).toContain(
		'one.txt (3 B), attached\ntwo.bin (3 MiB), not attached: it cannot be read at the moment\nthree.txt (1 B), attached\n',
	);
	expect(smtp.handedOver.length).toBe(1);
});

test('a mail that is refused with its attachments goes without them', async () => {
	const peer = await openWithSmtp({ attachFiles: true });
	peer.script.content = ({ content }) => (content.includes('filename=setup.exe') ? '552 5.7.0 blocked' : undefined);
	await attach(server, [new File(['MZ'], 'setup.exe')]);
	const [mail] = await mailsOf(peer, 1);
	expect(peer.handedOver.map(({ content }) => content.includes('filename=setup.exe'))).toContain(true);
	expect([mail?.attachments, mail?.text?.includes('setup.exe (2 B)\n')]).toEqual([[], true]);
});

test('what came with spam that is none after all is said not to be kept', async () => {
	const peer = await openWithSmtp({ attachFiles: true });
	const { path } = await attach(server, [new File(['x'], 'x.txt')], { fields: { name: 'Ada', _gotcha: 'robot' } });
	await server.call(`PATCH ${path}`, { json: { isSpam: false, sendWithheld: true } });
	const [mail] = await mailsOf(peer, 1);
	expect([mail?.attachments, mail?.text?.includes('x.txt (1 B), not kept\n')]).toEqual([[], true]);
});

test('an infected file is named as such and never attached', async () => {
	smtp = await startScriptedSmtp({ greeting: '421 later' });
	await open({ FORMSRV_SMTP_URL: `${smtp.url}?tls=off` }, { attachFiles: true });
	const { files } = await attach(server, [new File(['virus'], 'bad.exe'), new File(['ok'], 'good.txt')]);
	// The first attempt is made before they are scanned.
	await until(() => smtp?.connections[0]);
	await setScan(server, files[0] as never, 'infected');
	await setScan(server, files[1] as never, 'clean');
	await sendNow(smtp);
	const [mail] = await mailsOf(smtp, 1);
	expect(mail && attachmentsOf(mail)).toEqual([['good.txt', 'text/plain', 2]]);
	expect(mail?.text).toContain('bad.exe (5 B): the virus scanner found something in it\ngood.txt (2 B), attached\n');
});

const clamd = withProgram('clamd');
clamd.test(
	'with a virus scanner a mail waits a moment, and carries what is clean',
	async () => {
		const scanner = await startClamd(clamd.path);
		closing.push(scanner.stop);
		const peer = await openWithSmtp({ attachFiles: true }, { FORMSRV_SCAN: `clamd:${scanner.address.socket}` });
		await attach(server, [new File([VIRUS], 'bad.txt'), new File(['fine'], 'good.txt')]);
		const [mail] = await mailsOf(peer, 1);
		expect(mail && attachmentsOf(mail)).toEqual([['good.txt', 'text/plain', 4]]);
		expect(mail?.text).toContain('bad.txt (23 B): the virus scanner found something in it\ngood.txt (4 B), attached\n');
	},
	60_000,
);

test('a digest names the files', async () => {
	const peer = await openWithSmtp({ attachFiles: true }, { FORMSRV_MAIL_PER_HOUR: '1' });
	await attach(server, [new File(['1'], 'one.txt')]);
	await mailsOf(peer, 1);
	await attach(server, [new File(['2'], 'two.txt')]);
	const id = await until(async () => {
		const { body } = await server.call<{ deliveries: { id: string; event: string }[] }>(
			'GET /api/deliveries?channel=mail',
		);
		return body.deliveries.find(({ event }) => event === 'submissions.digest')?.id;
	});
	const { text } = await server.call(`GET /api/deliveries/${id}`);
	expect(text).toContain('Attached files: two.txt (1 B)');
});

test('setting attachFiles takes the permission to read', async () => {
	await open({});
	const key = await server.createKey({ permissions: ['write'] });
	const [form] = await server.app.forms.list();
	const patch = async (attachFiles: boolean, options = {}) =>
		(await server.call(`PATCH /api/forms/${form?.id}`, { json: { attachFiles }, ...options })).status;
	expect(await patch(true, { key })).toBe(403);
	expect(await patch(true)).toBe(200);
	expect(await patch(false, { key })).toBe(200);
});

test('a webhook gets the files with links, which end with the webhook', async () => {
	const events = Promise.withResolvers<{ data: { submission: { files: { url?: string }[] } } }>();
	const target = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			events.resolve((await request.json()) as never);
			return new Response('ok');
		},
	});
	closing.push(() => target.stop(true));
	await open({ FORMSRV_WEBHOOK_ALLOW: '127.0.0.1' });
	const [form] = await server.app.forms.list();
	const hook = await server.call<{ id: string }>(`POST /api/forms/${form?.id}/webhooks`, {
		json: { url: target.url.href },
	});
	const { files, submissionId } = await attach(server, [new File(['exactly'], 'a.txt')]);
	const { submission } = (await events.promise).data;
	expect(submission.files).toEqual([
		{ ...files[0], url: expect.stringContaining(`${server.baseUrl}/files/`) },
	] as never);
	const open_ = async () => (await fetch(submission.files[0]?.url ?? '')).text();
	expect(await open_()).toBe('exactly');

	const path = `/api/forms/${form?.id}/submissions/${submissionId}/deliveries` as const;
	const list = await server.call<{ deliveries: { id: string; channel: string }[] }>(`GET ${path}`);
	const delivery = list.body.deliveries.find(({ channel }) => channel === 'webhook');
	const shown = await server.call(`GET /api/deliveries/${delivery?.id}`);
	expect(shown.text).toContain('"a.txt"');
	expect(shown.text).not.toContain('signature');

	await server.call(`DELETE /api/forms/${form?.id}/webhooks/${hook.body.id}`);
	expect(await open_()).toContain('NOT_FOUND');
});

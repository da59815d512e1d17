/** Links to attached files: for whoever has one, until its time, its file or its maker ends. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { openTestServer, type TestServer } from '../../server.ts';
import { type Attached, attach, setScan } from './attached.ts';

interface Link {
	url: string;
	expiresAt: string;
}

let now = Date.UTC(2026, 0, 2, 3, 4, 5);
let server: TestServer;
let sent: Attached;

beforeAll(async () => {
	server = await openTestServer({ now: () => now, elapsed: () => performance.now() });
	await server.app.forms.create('live', { name: 'Jobs', slug: 'jobs' });
	sent = await attach(server, [new File(['exactly'], 'a.txt'), new File(['other'], 'b.txt')]);
});
afterAll(() => server.close());

const linkPath = (from = sent, index = 0) => `POST ${from.path}/files/${from.files[index]?.id}/link` as const;
const create = async (options = {}, from = sent) => (await server.call<Link>(linkPath(from), options)).body;
const open = (url: string, headers = {}) => fetch(url, { headers });

test('a link gives the file to anyone for an hour, also in parts', async () => {
	const { url, expiresAt } = await create();
	expect(expiresAt).toBe(new Date(now + 3_600_000).toISOString());
	expect(url).toStartWith(`${server.baseUrl}/files/${sent.files[0]?.id}?`);
	const response = await open(url);
	expect(await response.text()).toBe('exactly');
	expect(response.headers.get('content-disposition')).toBe('attachment; filename="a.txt"');
	expect(response.headers.get('content-security-policy')).toContain('sandbox');
	expect(await (await open(url, { Range: 'bytes=0-2' })).text()).toBe('exa');
	now += 3_600_000;
	expect((await open(url)).status).toBe(404);
});

test('a link works with what mail programs and chats add to it', async () => {
	const { url } = await create();
	expect((await open(`${url}&utm_source=mail&fbclid=1`)).status).toBe(200);
});

test('a link lasts as long as was asked, up to seven days', async () => {
	const { url } = await create({ json: { expiresIn: 604_800 } });
	now += 604_799_000;
	expect((await open(url)).status).toBe(200);
	now += 1000;
	expect((await open(url)).status).toBe(404);
	for (const expiresIn of [0, 604_801, 1.5, '1h']) {
		const { status, body } = await server.call<{ error: string }>(linkPath(), { json: { expiresIn } });
		expect([status, body.error]).toEqual([400, 'expiresIn must be a whole number from 1 to 604800 or null.']);
	}
});

test('a body that does not say that it is JSON is not taken for none', async () => {
	const send = (body?: Uint8Array<ArrayBuffer>) =>
		fetch(`${server.baseUrl}${linkPath().slice('POST '.length)}`, {
			method: 'POST',
			headers: { Authorization: `Bearer ${server.adminKey}` },
			...(body && { body }),
		});
	expect((await send(new TextEncoder().encode('{"expiresIn":60}'))).status).toBe(415);
	expect((await send()).status).toBe(200);
});

test('a link ends with its key, and with the session of a setup link', async () => {
	const { token, key } = await server.app.keys.create({ mode: 'live', permissions: ['read'] });
	const { url } = await create({ key: token });
	expect((await open(url)).status).toBe(200);
	await server.app.keys.revoke(key.id);
	expect((await open(url)).status).toBe(404);

	const expiring = await server.app.keys.create({
		mode: 'live',
		permissions: ['read'],
		expiresAt: new Date(now + 60_000),
	});
	const ofExpiring = await create({ key: expiring.token });
	now += 60_000;
	expect((await open(ofExpiring.url)).status).toBe(404);

	const session = await server.app.sessions.openWithLink(await server.app.sessions.createLink());
	const found = await server.app.sessions.find(session, { isUse: true });
	const cookie = {
		Cookie: `formsrv_${new URL(server.baseUrl).port}=${session}`,
		Origin: server.baseUrl,
		'X-Formsrv-Csrf': '1',
	};
	const ofSession = await create({ key: null, headers: cookie });
	expect((await open(ofSession.url)).status).toBe(200);
	await server.app.sessions.end((found?.id ?? 0).toString(36));
	expect((await open(ofSession.url)).status).toBe(404);
});

test('a link ends with its file', async () => {
	const passing = await attach(server, [new File(['x'], 'x.txt')]);
	const { url } = await create({}, passing);
	await server.call(`DELETE ${passing.path}`);
	expect((await open(url)).status).toBe(404);

	await server.app.forms.create('live', { name: 'Passing', slug: 'passing' });
	const ofForm = await attach(server, [new File(['x'], 'x.txt')], { slug: 'passing' });
	const link = await create({}, ofForm);
	await server.call(`DELETE /api/forms/${ofForm.formId}`);
	expect((await open(link.url)).status).toBe(404);
});

test('no part of a link can be changed', async () => {
	const { url } = await create();
	const other = await create({ key: await server.createKey({ permissions: ['read'] }) });
	const change = (name: string, value: string) => {
		const changed = new URL(url);
		changed.searchParams.set(name, value);
		return changed.href;
	};
	const wrong = [
		url.replace(sent.files[0]?.id ?? '', sent.files[1]?.id ?? ''),
		change('until', String(Number(new URL(url).searchParams.get('until')) + 1)),
		change('for', new URL(other.url).searchParams.get('for') ?? ''),
		change('for', ''),
		change('signature', 'x'.repeat(43)),
		change('signature', ''),
		url.split('?')[0] ?? '',
	];
	expect(await Promise.all(wrong.map(async (each) => (await open(each)).status))).toEqual(wrong.map(() => 404));
	expect((await open(url)).status).toBe(200);
});

test('a link is made by those who may read, and leads to no infected file', async () => {
	const status = async (key: string, from = sent) => (await server.call(linkPath(from), { key })).status;
	expect(await status(await server.createKey({ permissions: ['write', 'delete'] }))).toBe(403);
	expect(await status(await server.createKey({ form: 'jobs', permissions: ['read'] }))).toBe(200);
	const bad = await attach(server, [new File(['virus'], 'bad.exe')]);
	const { url } = await create({}, bad);
	await setScan(server, bad.files[0] as never, 'infected');
	expect((await open(url)).status).toBe(403);
	const { status: refused, body } = await server.call<{ error: string }>(linkPath(bad));
	expect([refused, body.error]).toEqual([403, expect.stringContaining('"bad.exe"; no link leads to it')]);
});

test('a link is no secret of the log', async () => {
	const { url } = await create();
	await open(url);
	const signature = new URL(url).searchParams.get('signature') ?? '';
	expect(server.logLines.join()).not.toContain(signature);
});

test('whoever has a link and does not read on keeps nobody with a key from downloading', async () => {
	const more = { files: { maxBytes: '20MiB' } };
	expect((await server.call(`PATCH /api/forms/${sent.formId}`, { json: more })).status).toBe(200);
	const large = await attach(server, [new File([new Uint8Array(20 * 1024 * 1024)], 'large.bin')]);
	const { url } = await create({}, large);
	const readers = await Promise.all(Array.from({ length: 8 }, () => beginAndStall(new URL(url))));
	try {
		expect((await server.call(`GET ${sent.path}/files/${sent.files[0]?.id}`)).text).toBe('exactly');
	} finally {
		for (const reader of readers) reader.destroy();
	}
}, 60_000);

/** Resolves once the response has begun. */
function beginAndStall({ hostname, port, pathname, search }: URL): Promise<Socket> {
	const { promise, resolve, reject } = Promise.withResolvers<Socket>();
	const socket = connect(Number(port), hostname, () => {
		socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
	});
	socket.on('error', reject);
	socket.once('data', () => {
		socket.pause();
		resolve(socket);
	});
	return promise;
}

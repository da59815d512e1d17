/** A form that does without the files it does not take: the rest is stored, and owner and visitor learn which are missing, and why. */

import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { FieldRule } from '../../../src/field-rules/rules.ts';
import type { FileRulesInput } from '../../../src/form-values/file-rules.ts';
import { roomOf } from '../../../src/storage/file-room.ts';
import { startScriptedSmtp } from '../../delivery/scripted-smtp.ts';
import { startS3Server } from '../../files/s3-server.ts';
import { openTestServer, readAnswer, type TestServer } from '../../server.ts';
import { until } from '../../until.ts';

setDefaultTimeout(60_000);

interface Listed {
	submissions: { data: object; meta: Meta | null; files: { name: string }[] }[];
}
interface Meta {
	droppedFiles: { field: string; name: string; bytes: number; reason: string }[];
	moreDroppedFiles?: number;
}
interface Options {
	files?: FileRulesInput | null;
	fields?: FieldRule[];
	allowedDomains?: string[];
	settings?: Record<string, string>;
	now?: () => number;
}

let server: TestServer;
let formId: string;
const closing: (() => unknown)[] = [];
afterEach(async () => {
	await server.close();
	for (const close of closing.splice(0)) await close();
});

async function open({ files = {}, settings = {}, now, ...form }: Options = {}) {
	server = await openTestServer({ settings, now });
	const rules = files && { onRefused: 'drop', ...files };
	const { status, text } = await server.call('POST /api/forms', {
		json: { name: 'Jobs', slug: 'jobs', files: rules, notificationEmail: 'owner@example.com', ...form },
	});
	if (status !== 201) throw new Error(text);
	formId = JSON.parse(text).id;
}

type Part = [field: string, value: string | File];

async function post(parts: Part[], headers: Record<string, string> = {}) {
	const body = new FormData();
	for (const [field, value] of parts) body.append(field, value as File);
	const response = await fetch(`${server.submitUrl}/f/jobs`, {
		method: 'POST',
		body,
		headers: { Accept: 'application/json', ...headers },
	});
	return readAnswer<{ code?: string; error?: string; errors?: object[] }>(response);
}

async function stored() {
	const { body } = await server.call<Listed>(`GET /api/forms/${formId}/submissions?order=asc`);
	return body.submissions;
}

function placeOf(): string {
	const { place } = server.app.config.files;
	if (!('folder' in place)) throw new Error('no folder');
	return place.folder;
}

/** The files in the folder of the store, finished or not, but for those by which the watch sees that it can be written to. */
function inFolder(): string[] {
	const entries = existsSync(placeOf()) ? readdirSync(placeOf(), { recursive: true, withFileTypes: true }) : [];
	const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
	return names.filter((name) => !name.startsWith('check-'));
}

const NAME: Part = ['name', 'Ada'];
const file = (name: string, bytes = 10) => new File([randomBytes(bytes)], name);
const pdf = new File(['%PDF-1.7'], 'cv.pdf');

describe('the rest of a submission is stored without a file', () => {
	test.each<[what: string, rules: FileRulesInput, refused: File, reason: string]>([
		['of another type', { types: ['.pdf'] }, file('<ä>, %.exe', 40_000), 'FILE_TYPE_NOT_ALLOWED'],
		['of another type that is empty', { types: ['.pdf'] }, file('empty.exe', 0), 'FILE_TYPE_NOT_ALLOWED'],
		['that turns out too large', { maxBytes: 150_000 }, file('large.bin', 3_000_000), 'FILE_TOO_LARGE'],
		['too many', { maxFiles: 1 }, file('second.bin', 70_000), 'TOO_MANY_FILES'],
		['for which there is no room', {}, file('huge.bin', 1_200_000), 'FILES_FULL'],
	])('%s', async (_, rules, refused, reason) => {
		await open({ files: rules, settings: { FORMSRV_FILES_QUOTA: '1MiB', FORMSRV_FILES_FORM_SHARE: '100' } });
		const { status, headers } = await post([NAME, ['cv', pdf], ['cv', refused], ['note', refused.name]]);
		expect(status).toBe(200);
		expect(headers.get('Formsrv-Dropped-Files')).toBe(encodeURIComponent(refused.name));
		expect(headers.get('Access-Control-Expose-Headers')).toContain('Formsrv-Dropped-Files');
		const [only] = await stored();
		expect(only?.data).toEqual({ name: 'Ada', cv: 'cv.pdf', note: refused.name });
		expect(only?.files.map(({ name }) => name)).toEqual(['cv.pdf']);
		const { size: bytes, name } = refused;
		expect(only?.meta).toEqual({ droppedFiles: [{ field: 'cv', name, bytes, reason }] });
		expect(inFolder()).toHaveLength(1);
		expect(await server.app.storage.submissions.fileBytes()).toBe(roomOf(pdf.size));
		// Its share of the quota is given back.
		const rest = file('rest.pdf', 1);
		const others = await post([NAME, ['cv', new File(['%PDF-1.7', await rest.bytes()], 'rest.pdf')]]);
		expect([others.status, others.headers.get('Formsrv-Dropped-Files')]).toEqual([200, null]);
	});

	test('that cannot be stored, and says so at once when that is known', async () => {
		await open();
		rmSync(placeOf(), { recursive: true, force: true });
		writeFileSync(placeOf(), 'in the way');
		for (const _ of [1, 2]) expect((await post([NAME, ['cv', pdf]])).status).toBe(200);
		const dropped = { field: 'cv', name: 'cv.pdf', bytes: pdf.size, reason: 'UNAVAILABLE' };
		expect(await stored()).toMatchObject(
			[1, 2].map(() => ({ data: { name: 'Ada' }, meta: { droppedFiles: [dropped] } })),
		);
		// Nothing would be stored, so that it is worth another try.
		expect(await post([['cv', pdf]])).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
		rmSync(placeOf());
		expect((await post([['cv', pdf]])).status).toBe(200);
	});

	test('that a bucket does not take: each file is sent once, and none once that is known', async () => {
		const s3 = await startS3Server();
		const { promise: never } = Promise.withResolvers<Response>();
		const sent: string[] = [];
		const fetch = ({ method, url }: Request) => {
			if (method === 'PUT' && !url.includes('/check-')) sent.push(url);
			return never;
		};
		const bucket = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch });
		closing.push(s3.stop, () => bucket.stop(true));
		await open({ settings: { ...s3.newSettings(), FORMSRV_S3_ENDPOINT: bucket.url.origin } });
		for (const _ of [1, 2]) {
			const { status, headers } = await post([NAME, ['cv', pdf], ['cv', file('b.bin', 3_000_000)]]);
			expect([status, headers.get('Formsrv-Dropped-Files')]).toEqual([200, 'cv.pdf, b.bin']);
			// Both were given up after the same few seconds; the files of the second visitor were not tried.
			expect(sent).toHaveLength(2);
		}
		const reasons = (await stored()).map(({ meta }) => meta?.droppedFiles.map(({ reason }) => reason));
		expect(reasons).toEqual([1, 2].map(() => ['UNAVAILABLE', 'UNAVAILABLE']));
		expect((await stored()).map(({ data, files }) => ({ data, files }))).toEqual(
			[1, 2].map(() => ({ data: { name: 'Ada' }, files: [] })),
		);
	});

	test('of the same name as another, which stays', async () => {
		await open({ files: { maxBytes: 100 } });
		const parts: Part[] = [
			['cv', 'a.bin'],
			['cv', file('a.bin', 5)],
			['cv', file('a.bin', 500)],
			['cv', file('b.bin', 9)],
		];
		expect((await post(parts)).status).toBe(200);
		const [only] = await stored();
		expect(only?.data).toEqual({ cv: ['a.bin', 'a.bin', 'b.bin'] });
		expect(only?.files.map(({ name }) => name)).toEqual(['a.bin', 'b.bin']);
	});

	test('however many there are: twenty are named, the others counted', async () => {
		await open({ files: { types: ['.pdf'] } });
		const many = Array.from({ length: 90 }, (_, i): Part => ['cv', file(`${'ß'.repeat(190)}${i}.exe`)]);
		const { headers } = await post([NAME, ...many]);
		expect(headers.get('Formsrv-Dropped-Files')?.length).toBeLessThan(1300);
		expect(headers.get('Formsrv-Dropped-Files')).toEndWith(', ...');
		const [only] = await stored();
		expect(only?.data).toEqual({ name: 'Ada' });
		expect([only?.meta?.droppedFiles.length, only?.meta?.moreDroppedFiles]).toEqual([20, 70]);
	});

	test('also to a page of an allowed domain, which may read the header', async () => {
		await open({ files: { types: ['.pdf'] }, allowedDomains: ['example.com'] });
		const { headers } = await post([NAME, ['cv', file('a.exe')]], { Origin: 'https://example.com' });
		expect(headers.get('Access-Control-Expose-Headers')).toContain('Formsrv-Dropped-Files');
	});
});

test('a repetition with the same Idempotency-Key names the same files, even if they could be stored by now', async () => {
	await open({ files: { maxFiles: 2, maxBytes: 100 } });
	const parts: Part[] = [NAME, ['cv', pdf], ['cv', file('large.bin', 500)]];
	const send = () => post(parts, { 'Idempotency-Key': 'same' });
	rmSync(placeOf(), { recursive: true, force: true });
	writeFileSync(placeOf(), 'in the way');
	const answers = await Promise.all([send(), send()]);
	rmSync(placeOf());
	answers.push(await send());
	expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
	const headers = ['Formsrv-Dropped-Files', 'Formsrv-Submission-Id', 'Access-Control-Expose-Headers'];
	const told = answers.map((answer) => headers.map((name) => answer.headers.get(name)));
	expect(told).toEqual([told[0], told[0], told[0]] as typeof told);
	expect(told[0]?.[0]).toBe('cv.pdf, large.bin');
	expect(await stored()).toHaveLength(1);
	const other: Part[] = [NAME, ['cv', pdf], ['cv', file('large.bin', 500)]];
	expect((await post(other, { 'Idempotency-Key': 'same' })).status).toBe(409);
});

describe('a submission is rejected as before', () => {
	const wrong = file('wrong.exe');

	test.each<[what: string, options: Options, parts: Part[], wanted: [status: number, code: string]]>([
		[
			'by default',
			{ files: { types: ['.pdf'], onRefused: null } },
			[NAME, ['cv', wrong]],
			[415, 'FILE_TYPE_NOT_ALLOWED'],
		],
		[
			'if a rule requires the file',
			{ files: { types: ['.pdf'] }, fields: [{ name: 'cv', type: 'file', required: true }] },
			[NAME, ['cv', wrong]],
			[415, 'FILE_TYPE_NOT_ALLOWED'],
		],
		['if the form takes no files', { files: null }, [NAME, ['cv', wrong]], [400, 'FILES_NOT_SUPPORTED']],
		[
			'if it is above the limit of all',
			{ files: { maxBytes: 10 }, settings: { FORMSRV_MAX_MULTIPART: '1MiB' } },
			[NAME, ['cv', file('a.bin', 600_000)], ['cv', file('b.bin', 600_000)]],
			[413, 'PAYLOAD_TOO_LARGE'],
		],
	])('%s', async (_, options, parts, wanted) => {
		await open(options);
		const { status, body } = await post(parts);
		expect([status, body.code as string]).toEqual(wanted);
		expect([await stored(), inFolder()]).toEqual([[], []]);
	});

	test('if the file that a rule requires cannot be stored', async () => {
		await open({ fields: [{ name: 'cv', type: 'file', required: true }] });
		rmSync(placeOf(), { recursive: true, force: true });
		writeFileSync(placeOf(), 'in the way');
		expect(await post([NAME, ['cv', pdf]])).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
		expect(await stored()).toEqual([]);
	});

	test('if nothing is left of it, with a sentence that names the file', async () => {
		await open({ files: { types: ['.pdf'] } });
		const { status, body } = await post([['cv', wrong]]);
		const error = '“wrong.exe” can’t be attached: this form accepts PDF.';
		expect([status, body.code, body.error]).toEqual([400, 'EMPTY_SUBMISSION', error]);
		expect(body.errors).toEqual([{ field: 'cv', code: 'FILE_TYPE_NOT_ALLOWED', message: error }]);
		expect(await stored()).toEqual([]);
	});
});

test('a filled honeypot learns nothing, and what it sent is kept as names alone', async () => {
	await open({ files: { types: ['.pdf'] } });
	expect((await post([NAME, ['cv', pdf], ['cv', file('a.exe')], ['_gotcha', 'x']])).status).toBe(200);
	const { body } = await server.call<Listed>(`GET /api/forms/${formId}/submissions?filter=spam`);
	expect(body.submissions).toMatchObject([{ data: { cv: 'cv.pdf' }, files: [{ name: 'cv.pdf', isKept: false }] }]);
	expect(inFolder()).toEqual([]);
});

test('the mail and the webhook name the file and the reason', async () => {
	const smtp = await startScriptedSmtp();
	const events = Promise.withResolvers<{ data: { submission: { meta: Meta } } }>();
	const hook = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			events.resolve(await request.json());
			return new Response();
		},
	});
	closing.push(smtp.close, () => hook.stop(true));
	const mail = { FORMSRV_SMTP_URL: `${smtp.url}?tls=off`, FORMSRV_MAIL_FROM: 'forms@example.com' };
	await open({ files: { types: ['.pdf'] }, settings: { ...mail, FORMSRV_WEBHOOK_ALLOW: '127.0.0.1' } });
	const made = await server.call(`POST /api/forms/${formId}/webhooks`, { json: { url: hook.url.href } });
	expect(made.status).toBe(201);
	await post([NAME, ['cv', new File(['x'.repeat(1536)], '<b>.exe')]]);
	const { data } = await events.promise;
	const dropped = { field: 'cv', name: '<b>.exe', bytes: 1536, reason: 'FILE_TYPE_NOT_ALLOWED' };
	expect(data.submission.meta).toEqual({ droppedFiles: [dropped] });
	await until(() => smtp.accepted.length > 0);
	const content = smtp.accepted[0]?.content?.replaceAll('=\r\n', '') ?? '';
	expect(content).toContain('<b>.exe (1.5 KiB), not accepted: the form does not accept this type');
});

describe('the visitor', () => {
	interface Told {
		success: boolean;
		message: string;
		droppedFiles?: Meta['droppedFiles'];
		moreDroppedFiles?: number;
	}
	const wrong = file('<b>ä.exe', 1536);
	const html = { Accept: 'text/html' };

	async function send(parts: Part[], headers: Record<string, string> = {}) {
		const body = new FormData();
		for (const [field, value] of parts) body.append(field, value as File);
		return fetch(`${server.submitUrl}/f/jobs`, { method: 'POST', body, headers, redirect: 'manual' });
	}

	async function thanksOf(response: Response) {
		const location = response.headers.get('Location') ?? '';
		const page = await fetch(new URL(location, server.submitUrl));
		return { location, status: page.status, text: await page.text() };
	}

	test('who asks for JSON is told the files and the reasons, beside what a success says anyway', async () => {
		await open({ files: { types: ['.pdf'], maxFiles: 20 } });
		const told = (await (await send([NAME, ['cv', wrong]], { Accept: 'application/json' })).json()) as Told;
		const dropped = { field: 'cv', name: wrong.name, bytes: 1536, reason: 'FILE_TYPE_NOT_ALLOWED' };
		expect(told).toEqual({ success: true, message: 'Form submitted successfully', droppedFiles: [dropped] });
		const many = Array.from({ length: 23 }, (_, i): Part => ['cv', file(`${i}.exe`)]);
		const more = (await (await send([NAME, ...many], { Accept: 'application/json' })).json()) as Told;
		expect([more.droppedFiles?.length, more.moreDroppedFiles]).toEqual([20, 3]);
		const none = await (await send([NAME, ['cv', pdf]], { Accept: 'application/json' })).text();
		expect(none).toBe('{"success":true,"message":"Form submitted successfully"}');
	});

	test.each([true, false])(
		'reads on the thank-you page which files are missing, and why (with a key: %p)',
		async (hasKey) => {
			await open({ files: { types: ['.pdf'] } });
			const headers = { ...html, ...(hasKey && { 'Idempotency-Key': 'same' }) };
			const first = await send([NAME, ['cv', pdf], ['cv', wrong]], headers);
			expect(first.status).toBe(303);
			const { location, status, text } = await thanksOf(first);
			expect(location).toStartWith('/f/jobs/thanks?');
			expect(decodeURIComponent(location)).not.toContain('.exe');
			expect(status).toBe(200);
			expect(text).toContain('<li>&lt;b&gt;ä.exe (1.5 KiB), not accepted: the form does not accept this type</li>');
			expect(text).not.toContain('cv.pdf');
			if (hasKey)
				expect((await thanksOf(await send([NAME, ['cv', pdf], ['cv', wrong]], headers))).location).toBe(location);
			const whole = await thanksOf(await send([NAME, ['cv', pdf]], html));
			expect(whole.location).toBe('/f/jobs/thanks');
			expect(whole.text).not.toContain('not accepted');
		},
	);

	test('goes to the page that the form names, as ever', async () => {
		await open({ files: { types: ['.pdf'] } });
		const response = await send([NAME, ['cv', wrong], ['_next', 'https://example.com/done']], html);
		expect(response.headers.get('Location')).toBe('https://example.com/done');
	});

	test('is thanked and told nothing by an address that was not made here, or is old, or whose submission is gone', async () => {
		let at = Date.now();
		await open({ files: { types: ['.pdf'] }, now: () => at });
		const { location } = await thanksOf(await send([NAME, ['cv', wrong]], html));
		const { location: other } = await thanksOf(
			await send(
				[
					['name', 'Grace'],
					['cv', file('b.exe')],
				],
				html,
			),
		);
		const read = async (path: string) => {
			const page = await fetch(new URL(path, server.submitUrl));
			const text = await page.text();
			expect([page.status, text.includes('Your message has been sent.')]).toEqual([200, true]);
			return text.includes('not accepted');
		};
		const [, id] = /for=(\w+)/.exec(other) ?? [];
		expect(await read(location)).toBe(true);
		expect(await read(location.replace(/for=\w+/, `for=${id}`))).toBe(false);
		expect(await read(location.slice(0, -1))).toBe(false);
		expect(await read('/thanks?for=1&signature=')).toBe(false);
		expect(await read('/thanks?for=%00&signature=x')).toBe(false);
		await server.call(`DELETE /api/forms/${formId}/submissions/${id}`);
		expect(await read(other)).toBe(false);
		at += 3_500_000;
		expect(await read(location)).toBe(true);
		at += 200_000;
		expect(await read(location)).toBe(false);
	});
});

test('the setting is told, taken by `null` and by name, and held against its two words', async () => {
	await open({ files: { onRefused: null } });
	const patch = (onRefused: unknown) =>
		server.call<{ files: { onRefused: string } }>(`PATCH /api/forms/${formId}`, { json: { files: { onRefused } } });
	expect((await patch('drop')).body.files.onRefused).toBe('drop');
	expect((await patch(null)).body.files.onRefused).toBe('refuse');
	expect((await patch('keep')).status).toBe(400);
});

/** Files that visitors attach, through the real server: kept byte for byte, within the form's limits, or nothing of them. */

import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { eq } from 'drizzle-orm';
import type { FieldRule } from '../../../src/field-rules/rules.ts';
import { DEFAULT_FILE_RULES, type FileRules } from '../../../src/form-values/file-rules.ts';
import { decodeId, encodeId } from '../../../src/ids.ts';
import type { StoredFile } from '../../../src/storage/submission.ts';
import { submissions } from '../../../src/storage/tables.ts';
import { openTestServer, readAnswer, type TestServer } from '../../server.ts';
import { until } from '../../until.ts';

const MIB = 1024 * 1024;
const PNG = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

interface Rejected {
	code: string;
	error: string;
	errors?: { field: string; code: string; message: string }[];
}

let server: TestServer;
afterEach(() => server.close());

async function open(rules: FileRules | null = DEFAULT_FILE_RULES, settings: Record<string, string> = {}) {
	server = await openTestServer({ settings });
	const form = await server.app.forms.create('live', { name: 'Jobs', slug: 'jobs', files: rules });
	return decodeId(form.id) as number;
}

function formData(parts: Record<string, string | File | (string | File)[]>): FormData {
	const data = new FormData();
	for (const [name, values] of Object.entries(parts)) {
		for (const value of [values].flat()) data.append(name, value as File);
	}
	return data;
}

async function post(body: FormData, headers: Record<string, string> = {}, slug = 'jobs') {
	const response = await fetch(`${server.submitUrl}/f/${slug}`, {
		method: 'POST',
		body,
		headers: { Accept: 'application/json', ...headers },
	});
	return readAnswer<Rejected>(response);
}

/** All that is stored: the data of each submission with its files, oldest first. */
async function stored(formId: number) {
	const { storage } = server.app;
	const rows = await storage.db
		.select()
		.from(submissions)
		.where(eq(submissions.formId, formId))
		.orderBy(submissions.id);
	const files = await storage.submissions.files(rows.map(({ id }) => id));
	return rows.map(({ id, data, spamReason }) => ({ data: JSON.parse(data), spamReason, files: files.get(id) ?? [] }));
}

const bytesOf = async ({ key }: StoredFile) =>
	Buffer.from(await new Response(await server.app.files.store.read(key as string)).arrayBuffer());

/** The uploads in the store's folder, finished or not, without the store's own probe of the disk. */
function inFolder(): string[] {
	const { place } = server.app.config.files;
	if (!('folder' in place)) throw new Error('no folder');
	if (!existsSync(place.folder)) return [];
	const entries = readdirSync(place.folder, { recursive: true, withFileTypes: true });
	return entries.filter((entry) => entry.isFile() && !entry.name.startsWith('check-')).map(({ name }) => name);
}

const random = (bytes: number) => {
	const all = new Uint8Array(bytes);
	for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(all.subarray(at, at + 65_536));
	return all;
};
const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

describe('files', () => {
	test('of every size are kept byte for byte, with name, type and hash', async () => {
		const formId = await open({ ...DEFAULT_FILE_RULES, maxBytes: 25 * MIB }, { FORMSRV_MAX_MULTIPART: '26MiB' });
		const sizes = [0, 1, 100, 16 * 1024, 70_000, 25 * MIB];
		for (const size of sizes) {
			const bytes = random(size);
			const file = new File([bytes], 'Λ "x".bin', { type: 'application/x-thing' });
			expect(await post(formData({ name: 'Ada', cv: file }))).toMatchObject({ status: 200 });
			const last = (await stored(formId)).at(-1);
			expect(last?.data).toEqual({ name: 'Ada', cv: 'Λ "x".bin' });
			expect(last?.files).toMatchObject([
				{ field: 'cv', name: 'Λ "x".bin', claimedType: 'application/x-thing', bytes: size, sha256: sha256(bytes) },
			]);
			expect(await bytesOf(last?.files[0] as StoredFile)).toEqual(Buffer.from(bytes));
		}
		expect(inFolder()).toHaveLength(sizes.length);
		expect(await server.app.storage.submissions.fileBytes(formId)).toBe(
			sizes.reduce((sum, bytes) => sum + Math.max(bytes, 4096), 0),
		);
	}, 30_000);

	test('of one field become a list of names, and what was not chosen is left out', async () => {
		const formId = await open();
		const chosen = [new File([PNG], 'a.png'), new File(['%PDF-1.7'], 'b.pdf'), new File(['plain'], 'c.txt')];
		await post(formData({ photo: chosen, unused: new File([], ''), note: 'x' }));
		const [only] = await stored(formId);
		expect(only?.data).toEqual({ photo: ['a.png', 'b.pdf', 'c.txt'], note: 'x' });
		expect(only?.files.map(({ type }) => type)).toEqual(['image/png', 'application/pdf', 'text/plain']);
	});

	test('have the last part of the path as their name, without what cannot be seen', async () => {
		const formId = await open({ ...DEFAULT_FILE_RULES, maxFiles: 20 });
		const names: [sent: string, kept: string][] = [
			['../../etc/passwd', 'passwd'],
			['C:\\fakepath\\cv.pdf', 'cv.pdf'],
			['a\u202efdp.exe', 'afdp.exe'],
			['ملف.pdf', 'ملف.pdf'],
			['x\0y.txt', 'xy.txt'],
			['trailing. . ', 'trailing'],
			['..', 'file'],
			['CON', 'CON'],
			['q"\r\nz.txt', 'q"z.txt'],
			[`${'ä'.repeat(5000)}.pdf`, `${'ä'.repeat(196)}.pdf`],
			['x'.repeat(300), 'x'.repeat(200)],
			[`${'😀'.repeat(240)}.İ`, `${'😀'.repeat(198)}.İ`],
			[`${'x'.repeat(199)}.${'y'.repeat(40)}`, 'x'.repeat(199)],
		];
		expect((await post(formData({ f: names.map(([name]) => new File(['x'], name)) }))).status).toBe(200);
		expect((await stored(formId))[0]?.files.map(({ name }) => name)).toEqual(names.map(([, kept]) => kept));
	});

	test('of a submission that fills in the honeypot are not kept, but their names and sizes are', async () => {
		const formId = await open();
		expect((await post(formData({ cv: new File([PNG], 'cv.png'), _gotcha: 'x' }))).status).toBe(200);
		const [only] = await stored(formId);
		expect(only).toMatchObject({ spamReason: 'honeypot', data: { cv: 'cv.png' } });
		expect(only?.files).toMatchObject([{ name: 'cv.png', bytes: PNG.length, key: null }]);
		expect(inFolder()).toEqual([]);
		expect(await server.app.storage.submissions.fileBytes()).toBe(0);
	});

	test('in special fields are not kept, whatever the rules of the form say of other fields', async () => {
		const formId = await open();
		const input = { fields: [{ name: 'a', type: 'text' as const }], unknownFields: 'refuse' as const };
		await server.app.forms.update(encodeId(formId), { input });
		const file = new File(['x'], 'x.txt');
		expect((await post(formData({ a: '1', _subject: file, _next: [file, file] }))).status).toBe(200);
		expect(await stored(formId)).toEqual([{ data: { a: '1' }, spamReason: null, files: [] }]);
		expect((await post(formData({ _subject: file }))).body.code).toBe('EMPTY_SUBMISSION');
		expect(inFolder()).toEqual([]);
	});

	test('are part of what an idempotency key stands for', async () => {
		const formId = await open();
		const send = (text: string) =>
			post(formData({ cv: new File([text], 'cv.txt') }), { 'Idempotency-Key': 'same' }).then(({ status }) => status);
		expect(await Promise.all([send('one'), send('one')])).toEqual([200, 200]);
		expect([await send('one'), await send('two')]).toEqual([200, 409]);
		expect(await stored(formId)).toHaveLength(1);
		expect(inFolder()).toHaveLength(1);
	});
});

describe('nothing is left of a submission', () => {
	const large = new File([random(200_000)], 'large.bin');
	const text = new File(['hello'], 'a.txt');

	test.each<[string, FileRules | null, FormData, Partial<Rejected> & { status: number }]>([
		[
			'to a form that takes no files',
			null,
			formData({ cv: text }),
			{
				status: 400,
				code: 'FILES_NOT_SUPPORTED',
				error: 'This form does not accept files; the field "cv" holds one. Leave the file out and send the rest.',
			},
		],
		[
			'with a file that is too large',
			{ ...DEFAULT_FILE_RULES, maxBytes: 150_000 },
			formData({ a: text, cv: large }),
			{
				status: 413,
				code: 'FILE_TOO_LARGE',
				error: '“large.bin” can’t be attached: a file may have at most 146.5 KiB.',
			},
		],
		[
			'with too many files',
			{ ...DEFAULT_FILE_RULES, maxFiles: 2 },
			formData({ cv: [text, large, text] }),
			{
				status: 413,
				code: 'TOO_MANY_FILES',
				error: '“a.txt” can’t be attached: this form accepts at most 2 files per submission.',
			},
		],
		[
			'with a file of another type',
			{ ...DEFAULT_FILE_RULES, types: ['application/pdf', 'image/*'] },
			formData({ photo: new File([PNG], 'a.png'), cv: new File(['<svg/>'], 'b.png', { type: 'image/png' }) }),
			{
				status: 415,
				code: 'FILE_TYPE_NOT_ALLOWED',
				error: '“b.png” can’t be attached: this form accepts PDF and pictures.',
			},
		],
	])('%s', async (_, rules, body, { status, ...wanted }) => {
		const formId = await open(rules);
		const answer = await post(body);
		expect(answer.status).toBe(status);
		expect(answer.body).toMatchObject({
			...wanted,
			errors: [{ field: 'cv', code: wanted.code, message: wanted.error }],
		});
		expect(await stored(formId)).toEqual([]);
		expect(inFolder()).toEqual([]);
	});

	test.each(['refuse', 'keepFirst'] as const)(
		'that another one with its unique value overtakes (%s)',
		async (onDuplicate) => {
			const formId = await open();
			const fields: FieldRule[] = [{ name: 'seat', type: 'text', unique: true, onDuplicate }];
			await server.app.forms.update(encodeId(formId), { input: { fields } });
			const send = () => post(formData({ seat: '1a', cv: new File([random(5000)], 'cv.bin') }));
			const all = await Promise.all(Array.from({ length: 20 }, send));
			const accepted = all.filter(({ status }) => status === 200);
			expect(accepted).toHaveLength(onDuplicate === 'refuse' ? 1 : 20);
			expect(await stored(formId)).toHaveLength(1);
			expect(inFolder()).toHaveLength(1);
		},
	);

	test('that breaks off in the middle of a file', async () => {
		const formId = await open();
		const closed = Promise.withResolvers<void>();
		const socket = await Bun.connect({
			hostname: '127.0.0.1',
			port: Number(new URL(server.submitUrl).port),
			socket: { data() {}, close: () => closed.resolve() },
		});
		const head = '--b\r\nContent-Disposition: form-data; name="cv"; filename="a.bin"\r\n\r\n';
		socket.write(
			`POST /f/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 900000\r\n\r\n${head}${'x'.repeat(100_000)}`,
		);
		await until(() => inFolder().length > 0);
		socket.terminate();
		await until(() => inFolder().length === 0);
		expect(await stored(formId)).toEqual([]);
	});

	test('while 200 others of the network arrive, at once', async () => {
		const formId = await open(DEFAULT_FILE_RULES, { FORMSRV_RATE_SUBMIT: '0' });
		const begun =
			'POST /f/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 900000\r\n\r\n' +
			`--b\r\nContent-Disposition: form-data; name="cv"; filename="a.bin"\r\n\r\n${'x'.repeat(1000)}`;
		const sockets = await Promise.all(
			Array.from({ length: 200 }, async () => {
				const port = Number(new URL(server.submitUrl).port);
				const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } });
				socket.write(begun);
				return socket;
			}),
		);
		await until(() => inFolder().length >= 200);
		const began = performance.now();
		const answer = await post(formData({ cv: text }));
		expect([answer.status, answer.body.code]).toEqual([503, 'UNAVAILABLE']);
		expect(performance.now() - began).toBeLessThan(5000);
		expect((await post(formData({ note: 'x' }))).status).toBe(200);
		for (const socket of sockets) socket.terminate();
		await until(() => inFolder().length === 0);
		expect((await post(formData({ cv: text }))).status).toBe(200);
		expect(await stored(formId)).toHaveLength(2);
	});

	test('over the quota, while submissions without files are accepted', async () => {
		const formId = await open(DEFAULT_FILE_RULES, { FORMSRV_FILES_QUOTA: '1MiB', FORMSRV_FILES_FORM_SHARE: '50' });
		const half = new File([random(400_000)], 'half.bin');
		expect((await post(formData({ cv: half }))).status).toBe(200);
		const answer = await post(formData({ cv: half }));
		expect(answer.status).toBe(413);
		expect(answer.body).toMatchObject({
			code: 'FILES_FULL',
			error: '“half.bin” can’t be attached: there is no room left for the files of this form.',
		});
		expect(inFolder()).toHaveLength(1);
		expect((await post(formData({ note: 'x' }))).status).toBe(200);
		const [first] = await server.app.storage.db.select().from(submissions).orderBy(submissions.id).limit(1);
		await server.app.storage.submissions.remove(formId, [first?.id as number]);
		await until(async () => (await post(formData({ cv: half }))).status === 200);
	});

	test.each([
		['in all', ['jobs', 'more'], MIB],
		['of the form', ['jobs'], 0.8 * MIB],
	])('over the quota %s, however many arrive at once', async (_, slugs, room) => {
		await open(DEFAULT_FILE_RULES, { FORMSRV_FILES_QUOTA: '1MiB', FORMSRV_FILES_FORM_SHARE: '80' });
		await server.app.forms.create('live', { name: 'More', slug: 'more' });
		const body = formData({ cv: new File([random(100_000)], 'a.bin') });
		const sending = Array.from({ length: 20 }, (_, i) => post(body, {}, slugs[i % slugs.length]));
		const statuses = (await Promise.all(sending)).map(({ status }) => status);
		expect(new Set(statuses)).toEqual(new Set([200, 413]));
		const taken = statuses.filter((status) => status === 200).length;
		expect(taken * 100_000).toBeLessThanOrEqual(room);
		expect(await server.app.storage.submissions.fileBytes()).toBe(taken * 100_000);
		expect(inFolder()).toHaveLength(taken);
	});

	test('over the quota by their number: each takes 4 KiB at least, and gives as much back', async () => {
		const formId = await open(
			{ ...DEFAULT_FILE_RULES, maxFiles: 20 },
			{ FORMSRV_FILES_QUOTA: '8MiB', FORMSRV_FILES_FORM_SHARE: '100' },
		);
		const tiny = (count: number) => formData({ cv: Array.from({ length: count }, (_, i) => new File(['x'], `${i}`)) });
		const { submissions: all } = server.app.storage;
		for (let i = 0; i < 102; i++) expect((await post(tiny(20))).status).toBe(200);
		expect(await all.fileBytes()).toBe(2040 * 4096);
		expect((await post(tiny(7))).status).toBe(200);
		expect(await post(tiny(2))).toMatchObject({ status: 413, body: { code: 'FILES_FULL' } });
		expect(await post(formData({ cv: new File([random(4097)], 'a') }))).toMatchObject({ status: 413 });
		expect((await post(formData({ cv: new File([], 'empty') }))).status).toBe(200);
		expect(await all.fileBytes()).toBe(8 * MIB);
		expect(inFolder()).toHaveLength(2048);
		expect((await post(formData({ cv: new File([], 'empty') }))).status).toBe(413);
		expect((await post(formData({ note: 'x' }))).status).toBe(200);
		const ids = await server.app.storage.db.select({ id: submissions.id }).from(submissions);
		await all.remove(
			formId,
			ids.map(({ id }) => id),
		);
		expect(await all.fileBytes()).toBe(0);
	}, 60_000);

	test('when the file store cannot take it, until it can', async () => {
		const formId = await open();
		const { place } = server.app.config.files;
		const { folder } = place as { folder: string };
		rmSync(folder, { recursive: true, force: true });
		writeFileSync(folder, 'in the way');
		const answer = await post(formData({ cv: text }));
		expect([answer.status, answer.body.code]).toEqual([503, 'UNAVAILABLE']);
		expect(answer.body.error).toBe('The server cannot store files at the moment. Please try again shortly.');
		expect(await stored(formId)).toEqual([]);
		rmSync(folder);
		expect((await post(formData({ cv: text }))).status).toBe(200);
		expect(await bytesOf((await stored(formId))[0]?.files[0] as StoredFile)).toEqual(Buffer.from('hello'));
	});
});

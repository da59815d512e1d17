/** Downloads of attached files over the API, by curl and fetch: exact, in parts, never shown by a browser, for readers only. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startS3Server } from '../../files/s3-server.ts';
import { withProgram } from '../../programs.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { type Attached, attach, randomBytes, setScan } from './attached.ts';

const KIB = 1024;
const BYTES = randomBytes(700 * KIB);
const NAME = 'Lebenslauf „Ada“ (1).pdf';

let server: TestServer;
let sent: Attached;
let path: `/api/${string}`;

beforeAll(async () => {
	server = await openTestServer();
	await server.app.forms.create('live', { name: 'Jobs', slug: 'jobs' });
	await server.app.forms.create('live', { name: 'Other', slug: 'other' });
	sent = await attach(server, [new File([BYTES], NAME), new File([], 'empty.txt')]);
	path = fileAt(0);
});
afterAll(() => server.close());

const fileAt = (index: number, from = sent) => `${from.path}/files/${from.files[index]?.id}` as const;
const authorization = (key = server.adminKey) => ({ Authorization: `Bearer ${key}` });

async function get(headers: Record<string, string> = {}, at = path, method = 'GET') {
	const response = await fetch(server.baseUrl + at, { method, headers: { ...authorization(), ...headers } });
	return { response, status: response.status, headers: response.headers, bytes: await response.bytes() };
}

describe('a submission', () => {
	test('lists its files in the order sent, alone and in lists', async () => {
		expect(sent.files).toEqual([
			{
				id: expect.stringMatching(/^[0-9a-z]+$/),
				field: 'file',
				name: NAME,
				type: 'application/octet-stream',
				size: BYTES.length,
				sha256: new Bun.CryptoHasher('sha256').update(BYTES).digest('hex'),
			},
			expect.objectContaining({ name: 'empty.txt', size: 0 }),
		]);
		expect((await server.call<Attached>(`GET ${sent.path}`)).body.files).toEqual(sent.files);
	});

	test('without files has an empty list, beside those that have some', async () => {
		await server.submit('jobs', { name: 'Grace' });
		const { body } = await server.call<{ submissions: Attached[] }>(`GET /api/forms/${sent.formId}/submissions`);
		expect(body.submissions.map(({ files }) => files.length)).toEqual([0, 2]);
	});

	test('shows no files to a key that may flag and not read', async () => {
		const key = await server.createKey({ permissions: ['write'] });
		const { body } = await server.call(`PATCH ${sent.path}`, { key, json: { isStarred: true } });
		expect(body).toEqual(expect.not.objectContaining({ files: expect.anything(), data: expect.anything() }));
	});

	test('too large to be sent whole lists its files too', async () => {
		const large = await attach(server, [new File(['x'], 'x.txt')], {
			slug: 'other',
			fields: { text: 'long '.repeat(80_000) },
		});
		expect(large.files).toEqual([expect.objectContaining({ name: 'x.txt', size: 1 })]);
	});
});

describe('a download', () => {
	test('is what was sent, to be saved under its name, and nothing else', async () => {
		const { status, headers, bytes } = await get();
		expect(status).toBe(200);
		expect(Buffer.from(bytes).equals(Buffer.from(BYTES))).toBe(true);
		expect(Object.fromEntries(headers)).toMatchObject({
			'content-type': 'application/octet-stream',
			'content-disposition': `attachment; filename="Lebenslauf _Ada_ (1).pdf"; filename*=UTF-8''Lebenslauf%20%E2%80%9EAda%E2%80%9C%20%281%29.pdf`,
			'x-content-type-options': 'nosniff',
			'content-security-policy': "sandbox; default-src 'none'",
			'cache-control': 'private, no-store',
			'accept-ranges': 'bytes',
			etag: `"${sent.files[0]?.sha256}"`,
		});
	});

	test('of an empty file is empty', async () => {
		const { status, bytes } = await get({}, fileAt(1));
		expect([status, bytes.length]).toEqual([200, 0]);
	});

	test('does not tell the type of a file', async () => {
		expect(sent.files[1]?.type).toBe('text/plain');
		expect((await get({}, fileAt(1))).headers.get('content-type')).toBe('application/octet-stream');
	});

	test.each([
		['bytes=0-0', 0, 1],
		['bytes=300000-300999', 300_000, 301_000],
		['bytes=716799-', 716_799, 716_800],
		['bytes=-5', 716_795, 716_800],
		['bytes=-9999999', 0, 716_800],
		['bytes=700000-9999999', 700_000, 716_800],
	])('of %s is that part', async (range, start, end) => {
		const { status, headers, bytes } = await get({ Range: range });
		expect([status, headers.get('content-range')]).toEqual([206, `bytes ${start}-${end - 1}/${BYTES.length}`]);
		expect(Buffer.from(bytes).equals(Buffer.from(BYTES.subarray(start, end)))).toBe(true);
	});

	test.each(['bytes=716800-', 'bytes=-0'])('of %s is refused with its size', async (range) => {
		const { status, headers } = await get({ Range: range });
		expect([status, headers.get('content-range')]).toEqual([416, 'bytes */716800']);
	});

	test.each(['bytes=0-1,5-6', 'lines=1-2', 'bytes=9-1', 'bytes=-', 'bytes=a-b', ''])(
		'of %p is the whole',
		async (range) => {
			const { status, bytes } = await get({ Range: range });
			expect([status, bytes.length]).toEqual([200, BYTES.length]);
		},
	);

	test('of a range is the whole unless If-Range names the very file', async () => {
		const etag = `"${sent.files[0]?.sha256}"`;
		expect((await get({ Range: 'bytes=0-9', 'If-Range': etag })).bytes.length).toBe(10);
		for (const other of ['"x"', `W/${etag}`, 'Thu, 01 Jan 2026 00:00:00 GMT']) {
			expect((await get({ Range: 'bytes=0-9', 'If-Range': other })).status).toBe(200);
		}
	});

	test('is 304 for those who have it', async () => {
		const etag = `"${sent.files[0]?.sha256}"`;
		for (const known of [etag, `"a", W/${etag}`, '*']) {
			const { status, bytes, headers } = await get({ 'If-None-Match': known });
			expect([status, bytes.length, headers.get('etag')]).toEqual([304, 0, etag]);
		}
		expect((await get({ 'If-None-Match': '"a"' })).status).toBe(200);
	});

	test('by HEAD tells the size', async () => {
		const { status, headers } = await get({}, path, 'HEAD');
		expect([status, headers.get('content-length'), headers.get('content-type')]).toEqual([
			200,
			'716800',
			'application/octet-stream',
		]);
	});

	test('is for those who may read, and for keys of the form', async () => {
		const status = async (key: string | null, at = path) => (await server.call(`GET ${at}`, { key })).status;
		expect(await status(null)).toBe(401);
		expect(await status(await server.createKey({ permissions: ['write', 'delete'] }))).toBe(403);
		expect(await status(await server.createKey({ permissions: ['read'] }))).toBe(200);
		expect(await status(await server.createKey({ form: 'jobs', permissions: ['read'] }))).toBe(200);
		expect(await status(await server.createKey({ form: 'other', permissions: ['read'] }))).toBe(403);
		expect(await status(await server.createKey({ mode: 'test', permissions: ['read'] }))).toBe(404);
	});

	test('is found under its own form and submission only', async () => {
		const other = await attach(server, [new File(['y'], 'y.txt')], { slug: 'other' });
		const beside = await attach(server, [new File(['z'], 'z.txt')]);
		const id = sent.files[0]?.id;
		for (const wrong of [
			`/api/forms/${other.formId}/submissions/${sent.submissionId}/files/${id}`,
			`/api/forms/${other.formId}/submissions/${sent.submissionId}/files.zip`,
			`${beside.path}/files/${id}`,
			`${other.path}/files/${id}`,
			`${sent.path}/files/zzz`,
			`${sent.path}/files/${other.files[0]?.id}`,
		]) {
			expect((await server.call(`GET ${wrong as `/api/${string}`}`)).status).toBe(404);
		}
	});

	test('of an infected file takes admin and a confirmation', async () => {
		const bad = await attach(server, [new File(['virus'], 'bad.exe')]);
		await setScan(server, bad.files[0] as never, 'infected');
		const reader = await server.createKey({ permissions: ['read'] });
		expect((await server.call<Attached>(`GET ${bad.path}`)).body.files[0]).toMatchObject({ scan: 'infected' });
		expect((await server.call(`GET ${fileAt(0, bad)}?infected=download`, { key: reader })).status).toBe(403);
		expect((await server.call(`GET ${fileAt(0, bad)}`)).status).toBe(403);
		expect((await server.call(`GET ${fileAt(0, bad)}?infected=download`)).text).toBe('virus');
	});

	test('of a file that came with spam says that only its name was kept', async () => {
		const spam = await attach(server, [new File(['x'], 'x.txt')], { fields: { _gotcha: 'robot' } });
		expect(spam.files).toEqual([expect.objectContaining({ name: 'x.txt', size: 1 })]);
		const { status, body } = await server.call<{ error: string }>(`GET ${fileAt(0, spam)}`);
		expect([status, body.error]).toEqual([404, expect.stringContaining('only its name and size were kept')]);
	});

	test('of a lost file is an error that says so, and a finding until the submission is gone', async () => {
		const lost = await attach(server, [new File(['lost'], 'lost.txt')]);
		const { folder } = server.app.config.files.place;
		const all = readdirSync(folder, { recursive: true }).map(String);
		const [row] = await server.app.storage.submissions
			.files([Number.parseInt(lost.submissionId, 36)])
			.then((found) => [...found.values()].flat());
		rmSync(join(folder, all.find((name) => name.endsWith(row?.key ?? '?')) ?? ''));
		const { status, body } = await server.call<{ error: string }>(`GET ${fileAt(0, lost)}`);
		expect([status, body.error]).toEqual([503, expect.stringContaining('"lost.txt" is missing from the file store')]);
		const names = () => server.app.storage.findings.list().map(({ name }) => name);
		expect(names()).toContain('lostFile');
		await server.call(`DELETE ${lost.path}`);
		await server.app.files.store.look();
		expect(names()).not.toContain('lostFile');
	});
});

const curl = withProgram('curl');
curl.test('curl saves a file under its name, and resumes a download that broke off', async () => {
	const folder = join(server.app.config.files.place.folder, '..', 'curl');
	const run = async (...args: string[]) => {
		const process = Bun.spawn([
			curl.path,
			'-sS',
			'--fail',
			'--create-dirs',
			...args,
			'-H',
			`Authorization: Bearer ${server.adminKey}`,
			server.baseUrl + path,
		]);
		expect(await process.exited).toBe(0);
	};
	await run('--output-dir', folder, '-OJ');
	expect(readdirSync(folder)).toEqual(['Lebenslauf _Ada_ (1).pdf']);
	const part = join(folder, 'part');
	await Bun.write(part, BYTES.subarray(0, 123_456));
	await run('-C', '-', '-o', part);
	expect(Buffer.from(await Bun.file(part).bytes()).equals(Buffer.from(BYTES))).toBe(true);
});

test('from a bucket the same comes, whole, in parts, empty and as an archive', async () => {
	const s3 = await startS3Server();
	const inBucket = await openTestServer({ settings: s3.newSettings() });
	try {
		await inBucket.app.forms.create('live', { name: 'Jobs', slug: 'jobs' });
		const stored = await attach(inBucket, [new File([BYTES], NAME), new File([], 'empty.txt')]);
		const read = async (at: string, headers = {}) => {
			const response = await fetch(inBucket.baseUrl + at, {
				headers: { ...authorization(inBucket.adminKey), ...headers },
			});
			return { status: response.status, bytes: Buffer.from(await response.bytes()) };
		};
		const whole = await read(fileAt(0, stored));
		expect([whole.status, whole.bytes.equals(Buffer.from(BYTES))]).toEqual([200, true]);
		const part = await read(fileAt(0, stored), { Range: 'bytes=300000-300999' });
		expect([part.status, part.bytes.equals(Buffer.from(BYTES.subarray(300_000, 301_000)))]).toEqual([206, true]);
		expect(await read(fileAt(1, stored))).toEqual({ status: 200, bytes: Buffer.alloc(0) });
		const archive = await read(`${stored.path}/files.zip`);
		expect([archive.status, archive.bytes.includes(Buffer.from(BYTES))]).toEqual([200, true]);
	} finally {
		await inBucket.close();
		await s3.stop();
	}
}, 60_000);

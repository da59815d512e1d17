/** Attached files through the whole server: in a folder and in a bucket, removed with their submission, scanned, and counted. */

import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Status } from '../../src/dashboard/status/schema.ts';
import { openFileStore } from '../../src/files/open.ts';
import { sweepFiles } from '../../src/files/sweep.ts';
import { decodeId } from '../../src/ids.ts';
import { withProgram } from '../programs.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';
import { startClamd, VIRUS } from './clamd-server.ts';
import { type S3Server, startS3Server } from './s3-server.ts';

setDefaultTimeout(60_000);

let s3: S3Server;
beforeAll(async () => {
	s3 = await startS3Server();
});
afterAll(() => s3.stop());

let server: TestServer;
let formId: number;
let closes: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	for (const close of closes.reverse()) await close();
	closes = [];
});

async function open(settings: Record<string, string> = {}): Promise<void> {
	server = await openTestServer({ settings });
	closes.push(server.close);
	const form = await server.app.forms.create('live', { name: 'Jobs', slug: 'jobs' });
	formId = decodeId(form.id) as number;
}

async function post(...contents: Uint8Array[]): Promise<number> {
	const body = new FormData();
	body.append('name', 'Ada');
	for (const [index, content] of contents.entries()) body.append('cv', new File([content as BlobPart], `${index}.bin`));
	const headers = { Accept: 'application/json' };
	const response = await fetch(`${server.submitUrl}/f/jobs`, { method: 'POST', body, headers });
	await response.text();
	return response.status;
}

/** The files of all submissions, and the ids of these. */
async function stored() {
	const { submissions } = server.app.storage;
	const ids = await submissions.ids({ formId, filter: 'all' }, { order: 'asc', limit: 100 });
	return { ids, files: [...(await submissions.files(ids)).values()].flat() };
}

async function listed(): Promise<string[]> {
	const keys: string[] = [];
	for await (const { key } of (await openFileStore(server.app.config.files.place)).list()) keys.push(key);
	return keys.sort();
}

describe.each([
	['a folder', () => ({})],
	['a bucket', () => s3.newSettings()],
])('in %s', (_name, settings) => {
	test('five files are stored byte for byte, and gone after their submission', async () => {
		await open(settings());
		const contents = [
			randomBytes(0),
			randomBytes(1),
			randomBytes(70_000),
			randomBytes(3_000_000),
			randomBytes(9_000_000),
		];
		expect(await post(...contents)).toBe(200);
		const { ids, files } = await stored();
		expect(files.map(({ bytes }) => bytes)).toEqual(contents.map(({ length }) => length));
		for (const [index, { key }] of files.entries()) {
			const bytes = await new Response(await server.app.files.store.read(key as string)).bytes();
			expect(Buffer.from(bytes).equals(contents[index] as Buffer)).toBe(true);
		}
		expect((await listed()).length).toBe(5);
		const { body } = await server.call<Status>('GET /api/status');
		expect(body.files).toMatchObject({
			usedBytes: 12_000_000 + 70_000 + 2 * 4096,
			quotaBytes: 5 * 1024 ** 3,
			forms: [{ slug: 'jobs', usedBytes: 12_000_000 + 70_000 + 2 * 4096 }],
		});
		await server.app.storage.submissions.remove(formId, ids);
		await sweepFiles(server.app.storage, { store: server.app.files.store, pause: async () => true });
		expect(await listed()).toEqual([]);
	});
});

test('a bucket that cannot be reached rejects submissions with files, and no others', async () => {
	await open({ ...s3.newSettings(), FORMSRV_S3_ENDPOINT: 'http://127.0.0.1:1' });
	expect(await post(randomBytes(10))).toBe(503);
	expect((await server.submit('jobs', { name: 'Ada' })).status).toBe(200);
	expect((await stored()).ids.length).toBe(1);
	const ready = await fetch(`${server.baseUrl}/ready`);
	expect([ready.status, await ready.json()]).toEqual([
		200,
		{ status: 'ok', problem: expect.stringContaining('Attached files cannot be stored') },
	]);
	const { body } = await server.call<Status>('GET /api/status');
	expect(body.problems.map(({ name }) => name)).toEqual(['files']);
	expect(server.logLines.join('\n')).toContain('The S3 service at http://127.0.0.1:1 ');
});

test('a bucket that hangs is sent each file of a visitor once, and none of those after him, until it works again', async () => {
	let hangs = true;
	const sent: string[] = [];
	const kept = new Map<string, Blob>();
	const { promise: never } = Promise.withResolvers<Response>();
	const bucket = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		idleTimeout: 0,
		async fetch(request) {
			if (request.method === 'PUT' && !request.url.includes('/check-')) sent.push(request.url);
			if (hangs) return never;
			if (request.method === 'DELETE') return new Response(null, { status: 204 });
			const { pathname } = new URL(request.url);
			if (request.method === 'PUT') kept.set(pathname, await request.blob());
			return new Response(request.method === 'GET' ? kept.get(pathname) : null);
		},
	});
	closes.push(() => bucket.stop(true));
	await open({ ...s3.newSettings(), FORMSRV_S3_ENDPOINT: bucket.url.origin });
	const first = await Promise.all([post(randomBytes(10), randomBytes(3_000_000)), post(randomBytes(10))]);
	expect(first).toEqual([503, 503]);
	expect(sent).toHaveLength(3);
	expect(await post(randomBytes(10))).toBe(503);
	expect(sent).toHaveLength(3);
	expect(await post()).toBe(200);
	hangs = false;
	await until(async () => (await post(randomBytes(10))) !== 503);
});

test('what a dead server left is gone soon after the start', async () => {
	const folder = join(tempFolder(), 'files');
	mkdirSync(join(folder, 'incoming'), { recursive: true });
	const left = join(folder, 'incoming', 'ab'.repeat(16));
	writeFileSync(left, 'half');
	// Where other servers may share the folder, that is old.
	utimesSync(left, 0, 0);
	await open({ FORMSRV_FILES_URL: folder });
	const incoming = new Bun.Glob('incoming/*');
	await until(() => [...incoming.scanSync(folder)].length === 0);
});

const clamd = withProgram('clamd');
clamd.test('with a scanner, files become clean or infected', async () => {
	const { address, stop } = await startClamd(clamd.path);
	closes.push(stop);
	await open({ FORMSRV_SCAN: `clamd:${address.socket}` });
	expect(await post(randomBytes(100), Buffer.from(VIRUS))).toBe(200);
	const scans = async () => (await stored()).files.map(({ scan }) => scan);
	await until(async () => Bun.deepEquals(await scans(), ['clean', 'infected']));
});

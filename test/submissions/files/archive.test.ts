/** Archives of attached files, opened by a program that had no part in writing them. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { open as openFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { StoredFile } from '../../../src/storage/submission.ts';
import { writeArchive } from '../../../src/submissions/files/archive.ts';
import { dataDescriptor, directoryEntry, endOfArchive, localHeader } from '../../../src/submissions/files/zip.ts';
import { withProgram } from '../../programs.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { tempFolder } from '../../temp-folder.ts';
import { attach, randomBytes, setScan } from './attached.ts';

const MIB = 1024 * 1024;
/** Checks all sums, and prints each name with its size and sum. */
const LIST = `
import sys, json, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(json.dumps([[i.filename, i.file_size, i.CRC, list(i.date_time)] for i in z.infolist()]))`;

let server: TestServer;
beforeAll(async () => {
	server = await openTestServer();
	await server.app.forms.create('live', { name: 'Jobs', slug: 'jobs' });
});
afterAll(() => server.close());

const python = withProgram('python3');

async function entriesOf(file: string): Promise<[string, number, number, number[]][]> {
	const process = Bun.spawn([python.path, '-c', LIST, file], { stdout: 'pipe', stderr: 'pipe' });
	const text = await new Response(process.stdout).text();
	if ((await process.exited) !== 0) throw new Error(await new Response(process.stderr).text());
	return JSON.parse(text);
}

async function download(path: string, key = server.adminKey) {
	const response = await fetch(server.baseUrl + path, { headers: { Authorization: `Bearer ${key}` } });
	const file = join(tempFolder(), 'all.zip');
	await writeFile(file, await response.bytes());
	return { response, file };
}

python.test('all files of a submission come as one archive, under names of their own', async () => {
	const large = randomBytes(2 * MIB);
	const sent = [new File([large], 'a.bin'), new File(['second'], 'A.bin'), new File([], 'Ä „x“.txt')];
	const { path, submissionId } = await attach(server, sent);
	const { response, file } = await download(`${path}/files.zip`);
	expect(response.headers.get('content-disposition')).toBe(`attachment; filename="jobs-${submissionId}.zip"`);
	expect([response.headers.get('content-type'), response.headers.get('content-security-policy')]).toEqual([
		'application/zip',
		"sandbox; default-src 'none'",
	]);
	const at = [expect.any(Number), 1, 1, 0, 0, 0].map(() => expect.any(Number));
	expect(await entriesOf(file)).toEqual([
		['a.bin', large.length, crc32(large), at],
		['A (2).bin', 6, crc32('second'), at],
		['Ä „x“.txt', 0, 0, at],
	]);
	const head = await server.call(`HEAD ${path}/files.zip`);
	expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/zip']);
});

python.test('what cannot be in it is said in it', async () => {
	const sent = await attach(server, [new File(['bad'], 'bad.exe'), new File(['good'], 'good.txt')]);
	await setScan(server, sent.files[0] as never, 'infected');
	const { file } = await download(`${sent.path}/files.zip`);
	expect((await entriesOf(file)).map(([name]) => name)).toEqual(['good.txt', '_left-out.txt']);
	expect(await Bun.file(file).text()).toContain('bad.exe: The virus scanner found something');
	const confirmed = await download(`${sent.path}/files.zip?infected=download`);
	expect((await entriesOf(confirmed.file)).map(([name]) => name)).toEqual(['bad.exe', 'good.txt']);
	const key = await server.createKey({ permissions: ['read'] });
	const byReader = await download(`${sent.path}/files.zip?infected=download`, key);
	expect((await entriesOf(byReader.file)).map(([name]) => name)).toEqual(['good.txt', '_left-out.txt']);
});

test('there is no archive of no files, and none for those who may not read', async () => {
	const { path } = await attach(server, []);
	const { status, body } = await server.call<{ error: string }>(`GET ${path}/files.zip`);
	expect([status, body.error]).toEqual([404, 'This submission has no files.']);
	expect((await server.call(`GET ${path}/files.zip?infected=yes`)).status).toBe(400);
	const key = await server.createKey({ permissions: ['write'] });
	expect((await server.call(`GET ${path}/files.zip`, { key })).status).toBe(403);
});

python.test(
	'an archive of more files than the plain format counts',
	async () => {
		const file = join(tempFolder(), 'many.zip');
		const count = 70_000;
		function* entries() {
			for (let i = 0; i < count; i++) yield { path: `${i}/x`, addedAt: new Date(0), file: { bytes: 1 } as StoredFile };
		}
		async function* content() {
			yield Buffer.from('x');
		}
		const sink = Bun.file(file).writer();
		const progress = { files: 0, bytes: 0, leftOut: [] };
		for await (const chunk of writeArchive(entries(), { open: async () => content(), progress })) sink.write(chunk);
		await sink.end();
		const found = await entriesOf(file);
		expect([found.length, found.at(-1)?.[0], progress.files]).toEqual([count, `${count - 1}/x`, count]);
		await rm(file);
	},
	60_000,
);

python.test('a file behind the first four gigabytes of an archive', async () => {
	const path = join(tempFolder(), 'far.zip');
	const file = await openFile(path, 'w');
	const entry = { path: 'far.txt', addedAt: new Date(Date.UTC(2026, 0, 2, 3, 4, 6)), bytes: 3, crc32: crc32('far') };
	// A hole on the disk stands for the files before it.
	const offset = 4.5 * 2 ** 30;
	const parts = [localHeader(entry), Buffer.from('far'), dataDescriptor(entry)];
	let at = offset;
	async function put(bytes: Uint8Array): Promise<void> {
		await file.write(bytes, 0, bytes.length, at);
		at += bytes.length;
	}
	for (const part of parts) await put(part);
	const directory = at;
	await put(directoryEntry({ ...entry, offset }));
	await put(endOfArchive({ entries: 1, offset: directory, bytes: at - directory }));
	await file.close();
	expect(await entriesOf(path)).toEqual([['far.txt', 3, crc32('far'), [2026, 1, 2, 3, 4, 6]]]);
	await rm(path);
});

test('an archive that the client leaves gives its turn back', async () => {
	const { path } = await attach(server, [new File([randomBytes(8 * MIB)], 'a.bin')]);
	for (let i = 0; i < 12; i++) {
		const stop = new AbortController();
		const response = await fetch(`${server.baseUrl}${path}/files.zip`, {
			headers: { Authorization: `Bearer ${server.adminKey}` },
			signal: stop.signal,
		});
		expect(response.status).toBe(200);
		await response.body?.getReader().read();
		stop.abort();
	}
	expect((await server.call(`HEAD ${path}/files.zip`)).status).toBe(200);
});

test('nothing of an archive is left on the disk', async () => {
	const { folder } = server.app.config.files.place;
	expect(await readdir(join(folder, 'incoming'))).toEqual([]);
});

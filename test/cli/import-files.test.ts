/** `formsrv import --files`: forms move with their files, on one machine and from one to another. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isFile } from '../../src/storage/open.ts';
import { createZipWriter } from '../../src/submissions/files/zip-writer.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { attach, randomBytes } from '../submissions/files/attached.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

const LARGE = randomBytes(3 * 2 ** 20);
let server: TestServer;
let cli: CommandLine;

beforeEach(async () => {
	server = await openTestServer();
	await server.app.forms.create('live', { name: 'Jobs', slug: 'jobs', files: { maxBytes: 4 * 2 ** 20 } });
	await server.app.forms.create('live', { name: 'Copy', slug: 'copy' });
	await attach(server, [
		new File(['first'], 'cv.txt'),
		new File(['second'], 'CV.txt'),
		new File([LARGE], 'größe 日.bin'),
	]);
	await attach(server, [new File([''], 'empty.txt')]);
	cli = openCommandLine();
	const { dataDir, database } = server.app.config;
	cli.env.FORMSRV_DATA_DIR = dataDir;
	if (!isFile(database)) cli.env.FORMSRV_DATABASE_URL = database;
	writeFileSync(cli.path('key'), `${server.adminKey}\n`);
	await cli.call('submissions', 'export', 'jobs', '--format', 'ndjson', '-o', 'jobs.ndjson', '--files', 'jobs.zip');
});
afterEach(() => server.close());

const near: string[] = [];
const far = () => ['--server', server.baseUrl, '--key-file', 'key'];
const importTo = (...options: string[]) => cli.call('import', 'jobs.ndjson', '--form', 'copy', ...options);

/** The files of a form by the names that they have on a disk, and their contents. */
async function filesOf(slug: string) {
	const all: [string, string][] = [];
	for (const { id } of (await cli.json('submissions', 'list', slug)).submissions) {
		await cli.call('submissions', 'files', slug, id, '-o', id);
		for (const name of readdirSync(cli.path(id)))
			all.push([name, new Bun.CryptoHasher('md5').update(readFileSync(cli.path(id, name))).digest('hex')]);
	}
	return all.sort();
}

describe.each([
	['near', () => near],
	['far', far],
] as const)('%s', (_, at) => {
	test('an export goes in with its files, and a second time not again', async () => {
		const first = await importTo('--files', 'jobs.zip', ...at());
		expect([first.code, first.stderr]).toEqual([
			0,
			'2 submissions imported, 0 there already, 0 rows left out.\n4 files brought along.\n',
		]);
		expect(await filesOf('copy')).toEqual(await filesOf('jobs'));
		expect(await filesOf('copy')).toHaveLength(4);
		const second = await importTo('--files', 'jobs.zip', '--json', ...at());
		expect(JSON.parse(second.stdout)).toMatchObject({ imported: 0, known: 2, files: 0, leftOut: [] });
	});
});

test('files that a run before did not bring are brought by the next', async () => {
	expect((await importTo()).stderr).toContain('Without their bytes: 4 files. Add --files with their archive.\n');
	expect(JSON.parse((await importTo('--files', 'jobs.zip', '--json')).stdout)).toMatchObject({ known: 2, files: 4 });
	expect(await filesOf('copy')).toEqual(await filesOf('jobs'));
});

test('names what is missing or other in the archive, and brings the rest', async () => {
	const [first = '', second = ''] = readFileSync(cli.path('jobs.ndjson'), 'utf8')
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line).id)
		.reverse();
	const zip = createZipWriter();
	const parts: Uint8Array[] = [];
	const add = async (path: string, text: string) => {
		const entry = { path, addedAt: new Date(), isDeflated: true };
		for await (const part of zip.add(entry, [Buffer.from(text)])) parts.push(part);
	};
	await add(`${first}/cv.txt`, 'first');
	await add(`${first}/CV (2).txt`, 'changed');
	await add(`${second}/empty.txt`, '');
	writeFileSync(cli.path('other.zip'), Buffer.concat([...parts, ...zip.end()]));
	const { code, stderr } = await importTo('--files', 'other.zip');
	expect(code).toBe(1);
	expect(stderr).toContain('2 files brought along.\nLeft out: 2.\n');
	expect(stderr).toContain(`${first}/CV (2).txt: These are not the bytes of "CV.txt"`);
	expect(stderr).toContain(`${first}/größe 日.bin: it is not in the archive.`);
});

test('another file in place of the archive stores nothing', async () => {
	for (const [name, exitCode, sentence] of [
		['jobs.ndjson', 1, 'jobs.ndjson cannot be read as a ZIP archive'],
		['none.zip', 2, 'There is no file none.zip.'],
	] as const) {
		const { code, stderr } = await importTo('--files', name);
		expect([code, stderr]).toEqual([exitCode, expect.stringContaining(sentence)]);
	}
	expect((await cli.json('submissions', 'list', 'copy')).submissions).toEqual([]);
});

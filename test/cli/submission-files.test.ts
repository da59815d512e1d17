/** `formsrv submissions files` and `submissions export --files`: attached files on the command line, beside a running server. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { decodeId } from '../../src/ids.ts';
import { isFile } from '../../src/storage/open.ts';
import { files } from '../../src/storage/tables.ts';
import { mayMount, mountDisk } from '../mounts.ts';
import { withProgram } from '../programs.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { type Attached, attach, setScan } from '../submissions/files/attached.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

let server: TestServer;
let cli: CommandLine;
let sent: Attached;

beforeEach(async () => {
	server = await openTestServer();
	await server.app.forms.create('live', { name: 'Jobs', slug: 'jobs' });
	sent = await attach(server, [
		new File(['first'], 'cv.txt'),
		new File(['second'], 'CV.txt'),
		new File(['x'.repeat(1500)], '\u001b[31mred.txt'),
	]);
	cli = openCommandLine();
	const { dataDir, database } = server.app.config;
	cli.env.FORMSRV_DATA_DIR = dataDir;
	if (!isFile(database)) cli.env.FORMSRV_DATABASE_URL = database;
});
afterEach(() => server.close());

test('lists the files of a submission', async () => {
	const { code, stdout } = await cli.call('submissions', 'files', 'jobs', sent.submissionId);
	expect(code).toBe(0);
	const lines = stdout.split('\n').map((line) => line.split(/ {2,}/));
	expect(lines[0]).toEqual(['ID', 'FIELD', 'NAME', 'TYPE', 'SIZE', 'SCAN']);
	expect(lines[1]).toEqual([sent.files[0]?.id ?? '', 'file', 'cv.txt', 'text/plain', '5 B', '-']);
	expect(stdout).toContain('1.5 KiB');
	expect(stdout).not.toContain('\u001b');
	expect(await cli.json('submissions', 'files', 'jobs', sent.submissionId)).toEqual(sent.files);
});

test('saves them to a folder, for their owner only, and overwrites none without --force', async () => {
	const args = ['submissions', 'files', 'jobs', sent.submissionId, '-o', 'ada'];
	const first = await cli.onTerminal(...args);
	expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('100 %  5 B of 5 B')]);
	const names = ['CV (2).txt', 'cv.txt', `${sent.files[2]?.name}`.replace('\u001b', '_')].sort();
	expect(readdirSync(cli.path('ada')).sort()).toEqual(names);
	expect(readFileSync(cli.path('ada', 'CV (2).txt'), 'utf8')).toBe('second');
	expect(statSync(cli.path('ada')).mode & 0o777).toBe(0o700);
	expect(statSync(cli.path('ada', 'cv.txt')).mode & 0o777).toBe(0o600);

	writeFileSync(cli.path('ada', 'cv.txt'), 'mine');
	const second = await cli.call(...args);
	expect([second.code, second.stderr]).toEqual([
		1,
		expect.stringContaining('cv.txt exists already; --force overwrites it.'),
	]);
	expect(readFileSync(cli.path('ada', 'cv.txt'), 'utf8')).toBe('mine');
	expect((await cli.call(...args, '--force')).code).toBe(0);
	expect(readFileSync(cli.path('ada', 'cv.txt'), 'utf8')).toBe('first');
});

test('saves infected files only if told so', async () => {
	await setScan(server, sent.files[1] as never, 'infected');
	const args = ['submissions', 'files', 'jobs', sent.submissionId, '-o', 'ada'];
	const careful = await cli.call(...args);
	expect([careful.code, careful.stderr]).toEqual([1, expect.stringContaining('virus scanner found something')]);
	expect(readdirSync(cli.path('ada'))).toHaveLength(2);
	expect((await cli.call(...args, '--infected', '--force')).code).toBe(0);
	expect(readdirSync(cli.path('ada'))).toHaveLength(3);
});

test('says of which only name and size were kept', async () => {
	const spam = await attach(server, [new File(['x'], 'x.txt')], { fields: { _gotcha: 'robot' } });
	const { stdout } = await cli.call('submissions', 'files', 'jobs', spam.submissionId);
	expect(stdout).toContain('  1 B, not kept  ');
});

test('names a submission that is not there', async () => {
	const { code, stderr } = await cli.call('submissions', 'files', 'jobs', 'zzz');
	expect([code, stderr]).toEqual([1, 'There is no such submission.\n']);
});

const python = withProgram('python3');
python.test('exports the files of a form to an archive, with its submissions beside it', async () => {
	await server.submit('jobs', { name: 'Grace' });
	const other = await attach(server, [new File(['third'], 'cv.txt')]);
	const { code, stdout, stderr } = await cli.call(
		'submissions',
		'export',
		'jobs',
		'--files',
		'all.zip',
		'-o',
		'all.csv',
	);
	expect([code, stdout]).toEqual([0, '']);
	expect(stderr).toBe(`4 files (1.5 KiB) in ${cli.path('all.zip')}.\n3 submissions in ${cli.path('all.csv')}.\n`);
	const script =
		'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])';
	expect(await Bun.spawn([python.path, '-c', script, cli.path('all.zip'), cli.path('out')]).exited).toBe(0);
	expect(readdirSync(cli.path('out')).sort()).toEqual([sent.submissionId, other.submissionId].sort());
	expect(readFileSync(join(cli.path('out'), other.submissionId, 'cv.txt'), 'utf8')).toBe('third');
	expect((await cli.call('submissions', 'export', 'jobs', '--files', 'all.zip')).code).toBe(1);
});

python.test('exports the files of the chosen submissions, and says what is not in the archive', async () => {
	await setScan(server, sent.files[1] as never, 'infected');
	const none = await cli.call('submissions', 'export', 'jobs', '--files', 'none.zip', '--filter', 'starred');
	expect([none.code, none.stderr]).toEqual([0, `0 files (0 B) in ${cli.path('none.zip')}.\n`]);
	const { code, stderr } = await cli.call('submissions', 'export', 'jobs', '--files', 'some.zip');
	expect([code, stderr]).toEqual([1, expect.stringContaining('Not in it, as its file _left-out.txt says too: 1.')]);
	const all = await cli.call('submissions', 'export', 'jobs', '--files', 'every.zip', '--infected');
	expect([all.code, all.stderr]).toEqual([0, expect.stringContaining('3 files')]);
});

test('exports the other files if one lost its end', async () => {
	const [{ key } = { key: null }] = await server.app.storage.db
		.select({ key: files.key })
		.from(files)
		.where(eq(files.id, decodeId(`${sent.files[0]?.id}`) ?? -1));
	truncateSync(join(server.app.config.files.place.folder, `${key}`.slice(0, 2), `${key}`), 3);
	const { code, stderr } = await cli.call('submissions', 'export', 'jobs', '--files', 'all.zip', '-o', 'all.csv');
	expect([code, stderr]).toEqual([1, expect.stringContaining('2 files (1.5 KiB)')]);
	expect(stderr).toContain('/cv.txt: The file cannot be read at the moment.');
	expect(readdirSync(cli.cwd)).toContain('all.csv');
	const { status } = await server.call(`GET ${sent.path}/files/${sent.files[0]?.id}`);
	expect(status).toBe(503);
});

test.skipIf(!mayMount)('names the file for which there is no room, and leaves nothing of it', async () => {
	const disk = mountDisk('4k');
	const full = await cli.call('submissions', 'files', 'jobs', sent.submissionId, '-o', disk);
	const path = join(disk, 'CV (2).txt');
	expect([full.code, full.stderr]).toEqual([
		1,
		expect.stringContaining(`${path} cannot be written: no space left on device.\n`),
	]);
	expect(readdirSync(disk)).toEqual(['cv.txt']);
});

import { beforeEach, expect, test } from 'bun:test';
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../src/cli/run.ts';
import { openStorage } from '../../src/storage/open.ts';
import { forms } from '../../src/storage/tables.ts';
import { readCsv } from '../submissions/csv-reader.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

let cli: CommandLine;

beforeEach(async () => {
	cli = openCommandLine();
	const form = await cli.json('forms', 'create', 'Contact', '--slug', 'contact');
	const storage = await openStorage(cli.config().database);
	const formId = Number.parseInt(form.id, 36);
	for (const name of ['Ada', 'Grace', '\u001b[31mred']) {
		const data = JSON.stringify({ name });
		await storage.submissions.append({
			formId,
			data,
			names: ['name'],
			spamReason: null,
			subject: null,
			replyTo: null,
		});
	}
	await storage.close();
});

test('prints CSV, oldest first on request', async () => {
	const { code, stdout } = await cli.call('submissions', 'export', 'contact', '--order', 'asc');
	expect(code).toBe(0);
	const [header, ...rows] = readCsv(stdout);
	expect(header).toEqual([
		'id',
		'createdAt',
		'isRead',
		'isStarred',
		'isSpam',
		'name',
		'spamScore',
		'spamReasons',
		'meta',
		'isArchived',
		'ownerLabels',
		'ownerNote',
	]);
	expect(rows.map((row) => row[5])).toEqual(['Ada', 'Grace', '\u001b[31mred']);
});

test.each([
	['contact.xlsx', 'PK'],
	['contact.NDJSON', '{"id":'],
	['contact.json', '['],
	['contact.csv', 'id,'],
	['contact', 'id,'],
])('the file %s has the format of its name, unless another is asked for', async (name, beginning) => {
	expect(await cli.call('submissions', 'export', 'contact', '-o', name)).toMatchObject({ code: 0 });
	expect(readFileSync(cli.path(name), 'latin1')).toStartWith(beginning);
	const args = ['submissions', 'export', 'contact', '--format', 'csv', '--force', '-o', name];
	expect(await cli.call(...args)).toMatchObject({ code: 0 });
	expect(readFileSync(cli.path(name), 'latin1')).toStartWith('id,');
});

test('guards against formulas, except with raw', async () => {
	const storage = await openStorage(cli.config().database);
	const [form] = await storage.db.select().from(forms);
	await storage.submissions.append({
		formId: form?.id as number,
		data: '{"name":"=1+1"}',
		names: ['name'],
		spamReason: null,
		subject: null,
		replyTo: null,
	});
	await storage.close();
	const nameOf = async (...args: string[]) =>
		readCsv((await cli.call('submissions', 'export', 'contact', ...args)).stdout)[1]?.[5];
	expect(await nameOf()).toBe("'=1+1");
	expect(await nameOf('--formulas', 'raw')).toBe('=1+1');
	expect((await cli.call('submissions', 'export', 'contact', '--formulas', 'no')).code).toBe(2);
});

test('writes the columns that are asked for', async () => {
	const exported = (columns: string) => cli.call('submissions', 'export', 'contact', '--columns', columns);
	const { code, stdout } = await exported('isRead,name,data.name,id');
	expect({ code, header: readCsv(stdout)[0] }).toEqual({ code: 0, header: ['isRead', 'name', 'id'] });
	const wrong = await exported('name,nope');
	expect(wrong.code).not.toBe(0);
	expect(wrong).toMatchObject({ stdout: '', stderr: expect.stringContaining('columns names "nope"') });
});

test('writes a file for its owner only, and overwrites another one only with --force', async () => {
	const file = cli.path('out.ndjson');
	const args = ['submissions', 'export', 'contact', '--format', 'ndjson', '-o', 'out.ndjson'];
	const first = await cli.call(...args);
	expect(first).toEqual({ code: 0, stdout: '', stderr: `3 submissions in ${file}.\n` });
	expect(statSync(file).mode & 0o777).toBe(0o600);
	expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(3);
	writeFileSync(file, 'mine');
	const second = await cli.call(...args);
	expect({ code: second.code, stderr: second.stderr }).toEqual({
		code: 1,
		stderr: `${file} exists already; --force overwrites it.\n`,
	});
	expect(readFileSync(file, 'utf8')).toBe('mine');
	expect((await cli.call(...args, '--force')).code).toBe(0);
	expect(readFileSync(file, 'utf8')).toContain('Grace');
});

test('a failed export leaves the old file unchanged, and no other file', async () => {
	writeFileSync(cli.path('out.csv'), 'old', { mode: 0o640 });
	const before = readdirSync(cli.cwd).sort();
	const lines: string[] = [];
	const stderr = {
		isTTY: true,
		write: (text: string) => {
			if (text.startsWith('\r')) throw new Error('the terminal is gone');
			lines.push(text);
		},
	};
	const io = { stdout: { write: () => {} }, stderr, env: cli.env, cwd: cli.cwd };
	const args = ['submissions', 'export', 'contact', '-o'];
	expect(await run([...args, 'out.csv', '--force'], io)).toBe(1);
	expect(await run([...args, 'new.csv', '--force'], io)).toBe(1);
	expect(await run([...args, 'new.csv'], io)).toBe(1);
	expect(lines.join('')).toContain('the terminal is gone');
	expect(readFileSync(cli.path('out.csv'), 'utf8')).toBe('old');
	expect(readdirSync(cli.cwd).sort()).toEqual(before);
	expect((await cli.call(...args, 'out.csv', '--force')).code).toBe(0);
	expect(readFileSync(cli.path('out.csv'), 'utf8')).toContain('Grace');
	expect(statSync(cli.path('out.csv')).mode & 0o777).toBe(0o640);
	expect(readdirSync(cli.cwd).sort()).toEqual(before);
});

test('an export and its archive of files are not written over each other', async () => {
	const outcome = await cli.call('submissions', 'export', 'contact', '-o', 'both', '--files', './both', '--force');
	expect(outcome).toEqual({
		code: 2,
		stdout: '',
		stderr: '--output and --files name the same file: give each its own.\n',
	});
	expect(readdirSync(cli.cwd)).not.toContain('both');
});

test('a file of the name that was given is there as a whole or not at all, whatever ends the command', async () => {
	const begun = `
		import { writeToFile } from ${JSON.stringify(join(import.meta.dir, '../../src/cli/output-file.ts'))};
		async function* chunks() {
			yield Buffer.from('id,name');
			console.log('begun');
			await new Promise(() => setInterval(() => {}, 1000));
		}
		const written = { chunks: chunks(), total: 2, done: 1 };
		await writeToFile(written, { file: 'out.csv', isForced: false, stderr: { write: () => {} } });`;
	const before = readdirSync(cli.cwd).sort();
	for (const [signal, left] of [
		['SIGTERM', []],
		['SIGINT', []],
		['SIGHUP', []],
		['SIGKILL', [expect.stringMatching(/^out\.csv\.[0-9a-f]{8}\.part$/)]],
	] as const) {
		const writing = Bun.spawn([process.execPath, '-e', begun], { cwd: cli.cwd, stdout: 'pipe' });
		for await (const _ of writing.stdout) break;
		writing.kill(signal);
		await writing.exited;
		expect(readdirSync(cli.cwd).filter((name) => !before.includes(name))).toEqual([...left]);
	}
});

test('a command that nohup runs goes on when its terminal is closed', async () => {
	const program = `
		import { onStop } from ${JSON.stringify(join(import.meta.dir, '../../src/cli/stop-signals.ts'))};
		onStop(() => console.log('stopped'));
		process.kill(process.pid, 'SIGHUP');
		await Bun.sleep(50);
		console.log('whole');`;
	const running = Bun.spawn(['nohup', process.execPath, '-e', program], { stdout: 'pipe', stderr: 'ignore' });
	expect(await new Response(running.stdout).text()).toBe('whole\n');
	expect(await running.exited).toBe(0);
});

test('a forced export follows a link, and writes to pipes and devices', async () => {
	writeFileSync(cli.path('target.csv'), 'old');
	symlinkSync('target.csv', cli.path('link.csv'));
	const args = ['submissions', 'export', 'contact', '--force', '-o'];
	expect((await cli.call(...args, 'link.csv')).code).toBe(0);
	expect(lstatSync(cli.path('link.csv')).isSymbolicLink()).toBe(true);
	expect(readFileSync(cli.path('target.csv'), 'utf8')).toContain('Grace');
	symlinkSync('/dev/null', cli.path('nowhere'));
	expect((await cli.call(...args, 'nowhere')).code).toBe(0);
	expect(lstatSync('/dev/null').isFile()).toBe(false);
	expect(lstatSync(cli.path('nowhere')).isSymbolicLink()).toBe(true);
});

test('shows its progress on a terminal, where submitted text controls nothing', async () => {
	const out: string[] = [];
	const err: string[] = [];
	const io = {
		stdout: { isTTY: true, write: (text: string) => out.push(text) },
		stderr: { isTTY: true, write: (text: string) => err.push(text) },
		env: cli.env,
		cwd: cli.cwd,
	};
	expect(await run(['submissions', 'export', 'contact'], io)).toBe(0);
	expect(out.join('')).toContain('\\u001b[31mred');
	expect(out.join('')).not.toContain('\u001b');
	expect(await run(['submissions', 'export', 'contact', '-o', 'bar.csv'], io)).toBe(0);
	expect(err.join('')).toContain('100 %  3 of 3\n');
});

test('says what is wrong with its options', async () => {
	const { code, stderr } = await cli.call('submissions', 'export', 'contact', '--since', 'yesterday');
	expect({ code, stderr }).toEqual({
		code: 2,
		stderr: 'since must be a date such as 2026-01-31 or 2026-01-31T09:30:00Z.\n',
	});
	expect((await cli.call('submissions', 'export', 'nobody')).code).toBe(1);
	expect((await cli.call('submissions', 'export', 'contact', '-o', 'no/such/folder.csv')).code).toBe(1);
	expect(existsSync(cli.path('no'))).toBe(false);
});

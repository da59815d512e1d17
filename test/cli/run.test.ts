/** The command line as a whole: help, wrong calls, exit codes, and what may reach a terminal. */

import { beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { version } from '../../package.json';
import { run } from '../../src/cli/run.ts';
import { testOnSqlite } from '../engine.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

let cli: CommandLine;
beforeEach(() => {
	cli = openCommandLine();
});

describe('help', () => {
	test('formsrv alone shows the help on stderr and is wrong usage', async () => {
		const { code, stdout, stderr } = await cli.call();
		expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
		expect(stderr).toContain('Usage: formsrv');
	});

	test.each([
		[['--help'], 'Usage: formsrv [options] [command]'],
		[['help'], 'Usage: formsrv [options] [command]'],
		[['keys', '--help'], 'Usage: formsrv keys'],
		[['help', 'serve'], 'Usage: formsrv serve'],
		[['keys', 'help'], 'Usage: formsrv keys [options]'],
		[['keys', 'help', 'create'], 'Usage: formsrv keys create'],
		[['help', 'keys', 'create'], 'Usage: formsrv keys create'],
		[['help', 'backup', 'folder'], 'Usage: formsrv backup'],
		[['forms', 'help', 'delete', 'contact'], 'Usage: formsrv forms delete'],
		[['keys', 'create', '-h'], 'Usage: formsrv keys create'],
	])('formsrv %p is answered on stdout', async (argv, usage) => {
		const { code, stdout, stderr } = await cli.call(...argv);
		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		expect(stdout).toStartWith(usage);
	});

	test.each(['serve', 'doctor'])('%s --help wraps what it says', async (command) => {
		const { stdout } = await cli.call(command, '--help');
		expect(stdout).toMatch(/^ {2}--log-level <choice> {2,}\S.*\n {20,}\S.*choices: "debug"/m);
		const [, options = ''] = /\nSettings:\n(.*?)\n\n/s.exec(`${stdout}\n\n`) ?? [];
		expect(options.split('\n').filter((line) => line.length > 100)).toEqual([]);
	});

	test('serve --help names every setting, the secrets without a flag as well', async () => {
		const { stdout } = await cli.call('serve', '--help');
		expect(stdout).toMatch(/--submit-port <number>.*[\s\S]*\(FORMSRV_SUBMIT_PORT; default: 8081\)/);
		expect(stdout).toContain('FORMSRV_SMTP_URL ');
		expect(stdout).not.toContain('--smtp-url');
	});

	test('the version is printed', async () => {
		expect(await cli.call('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
		expect((await cli.call('version')).stdout).toStartWith(`formsrv ${version} (bun `);
		expect(await cli.json('version')).toMatchObject({ formsrv: version, bun: Bun.version });
	});
});

describe('wrong usage is exit 2 and one sentence on stderr', () => {
	test.each([
		[['kyes'], "Unknown command 'kyes'; did you mean keys? See formsrv --help."],
		[['help', 'teapot'], "Unknown command 'teapot'. See formsrv --help."],
		[['help', 'kyes'], "Unknown command 'kyes'; did you mean keys? See formsrv --help."],
		[['keys', 'help', 'nope'], "Unknown command 'nope'. See formsrv keys --help."],
		[['help', 'keys', 'craete'], "Unknown command 'craete'; did you mean create? See formsrv keys --help."],
		[['keys', 'craete'], "Unknown command 'craete'; did you mean create? See formsrv keys --help."],
		[['serve', '--prot', '1'], "Unknown option '--prot'; did you mean --port? See formsrv serve --help."],
		[['serve', 'help'], "Too many arguments for 'serve'"],
		[['forms', 'show'], "Missing required argument 'form'. See formsrv forms show --help."],
		[['serve', '--port'], "Option '--port <number>' argument missing. See formsrv serve --help."],
		[['serve', '--port', 'x'], '--port must be a whole number from 0 to 65535; not "x".'],
		[['doctor', 'now'], 'Too many arguments for'],
		[['doctor', '--server', 'https://forms.example.com'], 'This command takes no --server'],
		[['forms', 'list', '--key-file', 'key'], '--key-file and --insecure are for --server'],
		[['forms', 'list', '--server', 'https://forms.example.com', '--data-dir', 'x'], "Option '--server <url>' cannot"],
		[['\x1b[2J\nfaked'], "Unknown command '\\u001b[2J\\nfaked'. See formsrv --help."],
	])('%p', async (argv, sentence) => {
		const { code, stdout, stderr } = await cli.call(...argv);
		expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
		expect(stderr).toStartWith(sentence);
		expect(stderr.split('\n')).toHaveLength(2);
	});

	test.each([
		[['apply', '-'], '<file>'],
		[['import', '-', '--form', 'contact'], '<file>'],
		[['backup', '-'], '<to>'],
		[['submissions', 'export', 'contact', '-o', '-'], '--output'],
		[['lists', 'add', 'block', '--file', '-'], '--file'],
		[['forms', 'list', '--data-dir', '-'], '--data-dir'],
	])('"-" is no file, and none is made: %j', async (argv, name) => {
		const { code, stderr } = await cli.call(...argv);
		expect(code).toBe(2);
		expect(stderr).toStartWith(`${name} must name a file: "-" does not stand for standard input or output`);
		expect(existsSync(cli.path('-'))).toBe(false);
	});

	test('all problems of the settings are reported at once', async () => {
		cli.env.FORMSRV_PROT = '1';
		const { code, stderr } = await cli.call('serve', '--port', 'x');
		expect(code).toBe(2);
		expect(stderr).toBe(
			'FORMSRV_PROT is not a setting; did you mean FORMSRV_PORT?\n--port must be a whole number from 0 to 65535; not "x".\n',
		);
	});
});

describe('a command that fails is exit 1 and one sentence on stderr', () => {
	test('without a database it says where it looked, and creates none', async () => {
		const { code, stderr } = await cli.call('keys', 'list');
		expect({ code, stderr }).toEqual({
			code: 1,
			stderr: `There is no database at ${cli.path('formsrv-data', 'formsrv.db')}. Name its folder with --data-dir, or make one with "formsrv serve".\n`,
		});
	});

	testOnSqlite('when another database took the place of its own before it ended', async () => {
		await cli.call('forms', 'create', 'Contact');
		await cli.call('backup', 'earlier.db');
		const said: string[] = [];
		const restore = () => renameSync(cli.path('earlier.db'), cli.path('formsrv-data', 'formsrv.db'));
		const code = await run(['erase', '--email', 'ada@example.org', '--yes'], {
			...{ env: cli.env, cwd: cli.cwd },
			stdout: { write: restore },
			stderr: { write: (text) => said.push(`${text}`) },
		});
		expect([code, said.at(-1)]).toEqual([1, expect.stringMatching(/^The database was replaced while the command ran/)]);
		expect((await cli.call('forms', 'list')).stdout).toContain('Contact');
	});

	test('a file that is no database is not changed', async () => {
		mkdirSync(cli.path('formsrv-data'));
		writeFileSync(cli.path('formsrv-data', 'formsrv.db'), 'not a database, but a text of some length. '.repeat(100));
		chmodSync(cli.path('formsrv-data', 'formsrv.db'), 0o600);
		const { code, stderr } = await cli.call('keys', 'create');
		expect(code).toBe(1);
		expect(stderr).toContain('cannot be opened as an SQLite database');
		expect(stderr).not.toContain('    at ');
	});
});

/** `formsrv doctor`. */

import { beforeEach, expect, test } from 'bun:test';
import { chmodSync, closeSync, openSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { type CommandLine, openCommandLine } from './command-line.ts';

let cli: CommandLine;
beforeEach(() => {
	cli = openCommandLine();
});

test('finds no problem before the first start, and creates nothing', async () => {
	const { code, stdout } = await cli.call('doctor');
	expect(code).toBe(0);
	expect(stdout).toContain('none yet; the first start of the server makes it');
	expect((await cli.call('keys', 'list')).stderr).toContain('There is no database');
});

test('finds no problem with a new database', async () => {
	await cli.call('keys', 'create');
	const { code, stdout } = await cli.call('doctor');
	expect(code).toBe(0);
	expect(stdout).toMatch(/ok +database +intact, schema \d+\n/);
});

test('shows the size of the log, and finds one that cannot be emptied', async () => {
	await cli.call('keys', 'create');
	expect((await cli.call('doctor')).stdout).toMatch(/ok +log +\d.* in .*formsrv\.db-wal\n/);
	const log = cli.path('formsrv-data', 'formsrv.db-wal');
	writeFileSync(log, '', { mode: 0o600 });
	truncateSync(log, 300_000_000);
	const { code, stdout } = await cli.call('doctor');
	expect(code).toBe(1);
	expect(stdout).toMatch(/!! +log +There is 286.1 MiB in .*: end that\./);
});

test('shows the settings in force, but no secret', async () => {
	cli.env.FORMSRV_HCAPTCHA_SECRET = 'hunter2';
	const { stdout } = await cli.call('doctor', '--port', '9000');
	expect(stdout).toMatch(/FORMSRV_PORT +9000 +--port\n/);
	expect(stdout).toMatch(/FORMSRV_HCAPTCHA_SECRET +\(set, not shown\) +FORMSRV_HCAPTCHA_SECRET\n/);
	expect(stdout + (await cli.call('doctor', '--json')).stdout).not.toContain('hunter2');
});

test('finds files that others can read', async () => {
	await cli.call('keys', 'create');
	const file = cli.path('formsrv-data', 'formsrv.db');
	chmodSync(file, 0o644);
	const { code, stdout } = await cli.call('doctor');
	expect(code).toBe(1);
	expect(stdout).toContain(`${file} is open to other users of this machine (0644): chmod 600 ${file}`);
});

test('finds damage', async () => {
	await cli.call('keys', 'create');
	const file = cli.path('formsrv-data', 'formsrv.db');
	const handle = openSync(file, 'r+');
	for (let at = 8192; at < statSync(file).size; at += 4096) writeSync(handle, Buffer.alloc(64, 0xff), 0, 64, at);
	closeSync(handle);
	const { code, stdout } = await cli.call('doctor');
	expect(code).toBe(1);
	expect(stdout).toMatch(/!! +database +\S*formsrv\.db is damaged: .* Restore a backup\./);
});

test('finds a file that is no database', async () => {
	await cli.call('keys', 'create');
	writeFileSync(cli.path('formsrv-data', 'formsrv.db'), 'a text. '.repeat(1000));
	const { code, stdout } = await cli.call('doctor');
	expect(code).toBe(1);
	expect(stdout).toContain('cannot be opened as an SQLite database');
});

test('prints JSON too', async () => {
	await cli.call('keys', 'create');
	const { settings, findings } = await cli.json('doctor');
	expect(settings).toContainEqual({ name: 'FORMSRV_HOST', value: '127.0.0.1', source: 'default' });
	expect(findings).toContainEqual({ subject: 'database', found: expect.stringContaining('intact') });
});

test('finds another program where the server would listen', async () => {
	for (const body of ['<h1>Hello</h1>', '{}', 'null']) {
		await using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(body) });
		const { code, stdout } = await cli.call('doctor', '--port', `${other.port}`);
		expect(code).toBe(1);
		expect(stdout).toMatch(
			/!! +server +Another program answers at http:\/\/127\.0\.0\.1:\d+, where the server would listen: give the server another --port\.\n/,
		);
	}
});

test('finds that the list of disposable domains cannot be read, without which no server starts', async () => {
	const missing = await cli.call('doctor', '--disposable-domains', '/nope');
	expect(missing.code).toBe(1);
	expect(missing.stdout).toMatch(/!! +spam +FORMSRV_DISPOSABLE_DOMAINS names \/nope, which cannot be read: /);
	writeFileSync(cli.path('domains'), 'mailinator.example\n');
	const there = await cli.call('doctor', '--disposable-domains', cli.path('domains'));
	expect(there.code).toBe(0);
	expect(there.stdout).toMatch(/ok +spam +disposable mail addresses are those of .*domains\n/);
});

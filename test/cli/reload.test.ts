/** SIGHUP: a running server takes over what it can of its settings, names the rest, and keeps what it has if they are wrong. */

import { afterEach, expect, test } from 'bun:test';
import { openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { type ScriptedSmtp, startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

const TOML = 'mail_from = "forms@example.com"\nsmtp_url_file = "smtp"\nlog_level = "error"\n';
const FORM = ['forms', 'create', 'Contact', '--slug', 'contact', '--notification-email', 'owner@example.com'];

let server: RunningBinary;
let mailServer: ScriptedSmtp;
afterEach(async () => {
	await server.end('SIGKILL');
	await mailServer.close();
});

/** A server whose mail server does not accept the password `former`. */
async function serve() {
	const cwd = tempFolder();
	mailServer = await startScriptedSmtp({ AUTH: '535 5.7.8 wrong' });
	const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
	const writePassword = (text: string) => write('smtp', `smtp://robot:${text}@127.0.0.1:${mailServer.port}\n`);
	write('formsrv.toml', TOML);
	writePassword('former');
	expect((await runBinary(FORM, { cwd })).code).toBe(0);
	const log = join(cwd, 'log');
	server = await startBinary({ cwd, stderr: openSync(log, 'w') });
	const lines = () => readFileSync(log, 'utf8').split('\n').slice(0, -1);
	return {
		cwd,
		write,
		writePassword,
		lines,
		submit: () =>
			fetch(`${server.submitUrl}/f/contact`, {
				method: 'POST',
				body: new URLSearchParams({ message: 'one' }),
				redirect: 'manual',
			}),
		/** Sends SIGHUP; resolves with the message of the log about it. */
		async reload(): Promise<string> {
			const before = lines().length;
			process.kill(server.pid, 'SIGHUP');
			const said = () =>
				lines()
					.slice(before)
					.map((line) => JSON.parse(line).message as string);
			return until(() => said().find((message) => message.startsWith('SIGHUP')));
		},
	};
}

test('log level and mail server are taken over, waiting mail goes out, and what needs a restart is named', async () => {
	const { lines, reload, submit, write, writePassword } = await serve();
	expect((await submit()).status).toBe(303);
	await until(() => mailServer.connections[0]);
	expect(lines()).toEqual([]);

	writePassword('renewed');
	mailServer.script = {};
	write('formsrv.toml', `${TOML.replace('error', 'info')}max_fields = 7\n`);
	expect(await reload()).toBe(
		'SIGHUP: the settings were read again. Changed: FORMSRV_SMTP_URL, FORMSRV_LOG_LEVEL. Only a restart changes FORMSRV_MAX_FIELDS.',
	);
	await until(() => mailServer.accepted[0]);
	expect((await submit()).status).toBe(303);
	await until(() => lines().find((line) => line.includes('/f/contact')));
	expect(await reload()).toBe('SIGHUP: the settings were read again. Only a restart changes FORMSRV_MAX_FIELDS.');
	write('formsrv.toml', TOML.replace('error', 'info'));
	expect(await reload()).toBe('SIGHUP: the settings were read again. They are as before.');
	expect(lines().join('\n')).not.toMatch(/former|renewed/);
}, 60_000);

test('wrong settings change nothing, and are named; so is a secret that is gone', async () => {
	const { cwd, lines, reload, submit, write, writePassword } = await serve();
	writePassword('renewed');
	write('formsrv.toml', `${TOML.replace('"error"', '"loud"')}prot = 1\n`);
	const wrong = await reload();
	expect(wrong).toStartWith('SIGHUP: nothing was changed, because the settings are wrong. ');
	expect(wrong).toMatch(/log_level in .* must be one of .*; not "loud"\./);
	expect(wrong).toMatch(/prot in .* is not a setting; did you mean port\?/);

	write('formsrv.toml', TOML);
	rmSync(join(cwd, 'smtp'));
	expect(await reload()).toMatch(/smtp_url_file in .* names ".*", which cannot be read: no such file or directory\./);
	expect((await submit()).status).toBe(303);
	await until(() => mailServer.connections[0]);
	expect(lines().join('\n')).not.toMatch(/former|renewed/);
	expect(await server.end('SIGTERM')).toBe(0);
}, 60_000);

test('forty of them under load end nothing and lose nothing', async () => {
	const { cwd, submit, writePassword } = await serve();
	let accepted = 0;
	for (let i = 0; i < 40; i++) {
		writePassword(`number${i}`);
		process.kill(server.pid, 'SIGHUP');
		accepted += Number((await submit()).status === 303);
	}
	expect(accepted).toBe(40);
	expect(await server.end('SIGTERM')).toBe(0);
	const { stdout } = await runBinary(['submissions', 'export', 'contact'], { cwd });
	expect(stdout.trim().split('\n').length).toBe(41);
}, 60_000);

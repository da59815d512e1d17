/** `formsrv mail test`: what is wrong, in words. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type ScriptedSmtp, startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

let cli: CommandLine;
let peer: ScriptedSmtp;
beforeEach(async () => {
	cli = openCommandLine();
	peer = await startScriptedSmtp();
	cli.env.FORMSRV_SMTP_URL = peer.url.replace('//', '//robot:secret@');
	cli.env.FORMSRV_MAIL_FROM = 'Forms <forms@example.com>';
});
afterEach(() => peer.close());

test('a sent mail is reported with the mail server’s reply', async () => {
	const { code, stdout, stderr } = await cli.call('mail', 'test', 'you@example.com');
	expect([code, stdout]).toEqual([0, 'The mail server accepted it: 250 2.0.0 queued as 4711\n']);
	expect(stderr).toBe(`Sending as forms@example.com through 127.0.0.1:${peer.port} …\n`);
	expect(peer.accepted).toMatchObject([{ from: 'forms@example.com', to: ['you@example.com'] }]);
});

test.each([
	[{ greeting: '554 no service' }, 'rejected the connection: 554 no service'],
	[{ AUTH: '535 5.7.8 bad credentials' }, 'rejected the login of robot: 535 5.7.8 bad credentials'],
	[{ MAIL: '550 not your address' }, 'rejected the sender, FORMSRV_MAIL_FROM: 550 not your address'],
	[{ RCPT: '550 no such user' }, 'rejected the recipient: 550 no such user'],
	[{ content: '554 looks like spam' }, 'rejected the mail: 554 looks like spam'],
])('%j is told in words', async (script, words) => {
	peer.script = script;
	const { code, stdout, stderr } = await cli.call('mail', 'test', 'you@example.com');
	expect([code, stdout]).toEqual([1, '']);
	expect(stderr).toContain(words);
	expect(stderr).not.toContain('secret');
});

test('a refused connection, an unknown host and a missing setting have different sentences', async () => {
	await peer.close();
	expect((await cli.call('mail', 'test', 'you@example.com')).stderr).toContain('check host and port');
	cli.env.FORMSRV_SMTP_URL = 'smtp://no-such-host.invalid';
	expect((await cli.call('mail', 'test', 'you@example.com')).stderr).toContain(
		'no-such-host.invalid cannot be resolved',
	);
	delete cli.env.FORMSRV_SMTP_URL;
	const { code, stderr } = await cli.call('mail', 'test', 'you@example.com');
	expect([code, stderr]).toEqual([1, expect.stringContaining('FORMSRV_SMTP_URL')]);
	peer = await startScriptedSmtp();
});

test('an invalid address is wrong usage', async () => {
	const { code, stderr } = await cli.call('mail', 'test', 'you@example.com, me@example.com');
	expect([code, stderr]).toEqual([2, expect.stringContaining('is not one valid mail address.')]);
});

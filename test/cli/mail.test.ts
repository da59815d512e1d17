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

test('the mail of a form is shown, and sent to its recipients', async () => {
	const made = await cli.call(
		...['forms', 'create', 'Contact', '--slug', 'contact', '--time-zone', 'Europe/Berlin', '--notification'],
		'{"to":"Ada <ada@example.com>","bcc":"e-ve@example.com","subject":"{{form.name}}: {{name}}","intro":"One.\\nTwo."}',
	);
	expect([made.code, made.stderr.includes('post to /f/contact')]).toEqual([0, true]);
	const shown = await cli.call('mail', 'preview', '--form', 'contact');
	expect(shown.stdout).toStartWith(
		'From: Forms <forms@example.com>\nTo: Ada <ada@example.com>\nBcc: e-ve@example.com\nReply-To: ada@example.com\nSubject: Contact: Ada\n\nContact: Ada\nContact\n\nOne.\nTwo.\n\nname:\nAda\n',
	);
	expect(JSON.parse((await cli.call('mail', 'preview', '--form', 'contact', '--json')).stdout).bcc).toEqual([
		'e-ve@example.com',
	]);
	expect((await cli.call('mail', 'preview', '--form', 'contact', '--html')).stdout).toStartWith('<!doctype html>');
	expect(peer.accepted).toEqual([]);
	const { code, stdout } = await cli.call('mail', 'test', '--form', 'contact');
	expect([code, stdout]).toEqual([
		0,
		'The mail server accepted it for Ada <ada@example.com>, e-ve@example.com: 250 2.0.0 queued as 4711\n',
	]);
	expect(peer.accepted.map(({ to }) => to)).toEqual([['ada@example.com', 'e-ve@example.com']]);
	expect(peer.accepted[0]?.content).toContain('Subject: Test: Contact: Ada\r\n');
	const { deliveries } = JSON.parse((await cli.call('deliveries', 'list', '--json')).stdout);
	expect(deliveries).toEqual([]);
	await cli.call('forms', 'create', 'Trial', '--test', '--slug', 'trial', '--notification-email', 'ada@example.com');
	expect((await cli.call('mail', 'test', '--form', 'trial')).stderr).toContain('In test mode nothing is sent');
	expect(peer.accepted).toHaveLength(1);
});

test('a form without mails, an unknown one, and neither a form nor an address have different sentences', async () => {
	await cli.call('forms', 'create', 'Silent', '--slug', 'silent');
	const silent = await cli.call('mail', 'test', '--form', 'silent');
	expect([silent.code, silent.stderr]).toEqual([1, expect.stringContaining('sends no mail')]);
	expect((await cli.call('mail', 'preview', '--form', 'nope')).stderr).toContain('There is no form "nope"');
	for (const args of [[], ['you@example.com', '--form', 'silent']]) {
		const { code, stderr } = await cli.call('mail', 'test', ...args);
		expect([code, stderr]).toEqual([2, expect.stringContaining('either an address, or a form')]);
	}
});

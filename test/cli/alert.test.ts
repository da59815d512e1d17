/** Alerts of a real server and `formsrv alert test`: by mail and to a webhook. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type ScriptedSmtp, startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { openTestServer } from '../server.ts';
import { until } from '../until.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

let cli: CommandLine;
let peer: ScriptedSmtp;
let receiver: Bun.Server<undefined>;
/** The bodies posted to the webhook. */
let posted: Record<string, string>[];
let status: number;
let authorization: string | null;

beforeEach(async () => {
	cli = openCommandLine();
	peer = await startScriptedSmtp();
	[posted, status] = [[], 200];
	receiver = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			authorization = request.headers.get('authorization');
			posted.push((await request.json()) as Record<string, string>);
			return new Response(null, { status });
		},
	});
	Object.assign(cli.env, settings());
});
afterEach(async () => {
	await peer.close();
	await receiver.stop(true);
});

const settings = () => ({
	FORMSRV_ALERT_URL: `http://127.0.0.1:${receiver.port}/alerts?token=secret`,
	FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
	FORMSRV_ALERT_MAIL: 'operator@example.com',
	FORMSRV_ALERT_SMTP_URL: peer.url,
	FORMSRV_MAIL_FROM: 'Forms <forms@example.com>',
});

test('the test reaches both, and says so without secrets', async () => {
	const { code, stdout, stderr } = await cli.call('alert', 'test');
	expect([code, stderr]).toEqual([0, '']);
	expect(stdout).toBe(`127.0.0.1:${receiver.port} accepted it.\noperator@example.com accepted it.\n`);
	expect(posted).toMatchObject([{ state: 'test', text: expect.stringContaining('a test of alerts') }]);
	expect(peer.accepted).toMatchObject([{ from: 'forms@example.com', to: ['operator@example.com'] }]);
});

test('a receiver that fails is named with the reason, and the other still gets it', async () => {
	status = 500;
	const { code, stdout, stderr } = await cli.call('alert', 'test');
	expect([code, stdout]).toEqual([1, 'operator@example.com accepted it.\n']);
	expect(stderr).toBe(`127.0.0.1:${receiver.port}: It returned 500.\n`);
});

test('a chat gets a message in its format, with the header of the operator', async () => {
	Object.assign(cli.env, { FORMSRV_ALERT_FORMAT: 'ntfy', FORMSRV_ALERT_TOKEN: 'tk_1' });
	const { code, stderr } = await cli.call('alert', 'test', '--base-url', 'https://forms.example.com');
	expect([code, stderr]).toEqual([0, '']);
	expect(posted).toEqual([
		{
			topic: 'alerts',
			title: 'formsrv: a test of alerts',
			message: expect.stringContaining('Alerts arrive. Nothing else needs to be done.\nServer: '),
			click: 'https://forms.example.com',
		},
	]);
	expect(authorization).toBe('Bearer tk_1');
	cli.env.FORMSRV_ALERT_FORMAT = 'matrix';
	const wrong = await cli.call('alert', 'test');
	expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('because FORMSRV_ALERT_FORMAT is matrix')]);
});

test('a private address that is not allowed is not reached', async () => {
	delete cli.env.FORMSRV_WEBHOOK_ALLOW;
	const { code, stderr } = await cli.call('alert', 'test');
	expect([code, stderr]).toEqual([1, expect.stringContaining('FORMSRV_WEBHOOK_ALLOW')]);
	expect(posted).toEqual([]);
});

test('without a receiver, or a mail server for it, the missing setting is named', async () => {
	for (const name of Object.keys(settings())) delete cli.env[name];
	expect((await cli.call('alert', 'test')).stderr).toContain('FORMSRV_ALERT_URL');
	cli.env.FORMSRV_ALERT_MAIL = 'operator@example.com';
	expect((await cli.call('alert', 'test')).stderr).toContain('FORMSRV_ALERT_SMTP_URL');
});

test('a running server tells of a problem and of its end, by mail and to the webhook', async () => {
	const server = await openTestServer({ settings: settings() });
	try {
		const { findings } = server.app.storage;
		findings.set('scanner', 'nothing listens');
		const begun = `formsrv has a problem: scanner`;
		await until(() => posted.length === 1 && peer.accepted.length === 1);
		expect(posted[0]).toMatchObject({ state: 'begun', name: 'scanner', dashboard: server.baseUrl });
		expect(posted[0]?.text).toStartWith(`${begun}. The virus scanner of FORMSRV_SCAN cannot be used`);
		expect(peer.accepted[0]?.content).toContain(`Subject: ${begun}`);
		findings.clear('scanner');
		await until(() => posted.length === 2 && peer.accepted.length === 2);
		expect(posted[1]).toMatchObject({ state: 'over', name: 'scanner', since: posted[0]?.since });
	} finally {
		await server.close();
	}
}, 60_000);

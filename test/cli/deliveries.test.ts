/** `formsrv deliveries`, beside a running server and without one. */

import { beforeEach, expect, test } from 'bun:test';
import { openDeliveryFixture } from '../delivery/delivery-fixture.ts';
import { startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

let cli: CommandLine;
beforeEach(async () => {
	cli = openCommandLine();
	await cli.call('forms', 'create', 'Contact', '--slug', 'contact', '--notification-email', 'owner@example.com');
});

/** Opens the same database as a server does. */
const openServer = (smtpUrl: string | null) => openDeliveryFixture({ file: cli.config().database, smtpUrl });

test('failed deliveries are listed, shown and retried while the server runs', async () => {
	const peer = await startScriptedSmtp({ RCPT: '550 no such user' });
	const server = await openServer(peer.url);
	await server.start();
	await server.submit({ name: 'Ada\u001b[31m' });
	const rows = await server.until(([row]) => row?.state === 'failed');
	expect(rows).toHaveLength(1);

	const { deliveries } = await cli.json('deliveries', 'list', '--state', 'failed', '--form', 'contact');
	expect(deliveries).toMatchObject([{ state: 'failed', destination: 'owner@example.com', attempts: 1 }]);
	const [{ id }] = deliveries;
	expect((await cli.call('deliveries', 'list')).stdout).toMatch(
		/^ID +CREATED +STATE[\s\S]*failed[\s\S]*550 no such user/,
	);
	const shown = await cli.call('deliveries', 'show', id);
	expect(shown.stdout).toContain('New submission: Contact');
	expect(shown.stdout).not.toContain('\u001b');
	expect((await cli.json('deliveries', 'show', id)).content.text).toContain('Ada');

	peer.script = {};
	expect(await cli.json('deliveries', 'retry', id)).toEqual({ retried: 1 });
	await server.until(([row]) => row?.state === 'sent');
	expect(peer.accepted).toHaveLength(1);
	await server.close();
	await peer.close();
});

test('a body of the owner’s is shown with every member, also with those that a mail has', async () => {
	const body = { subject: '{{name}}', html: '<b>{{name}}</b>', text: ['{{name}}'], to: 'x' };
	const webhook = ['--url', 'https://hooks.example.com/', '--format', 'custom', '--body', JSON.stringify(body)];
	expect((await cli.call('webhooks', 'create', 'contact', ...webhook)).code).toBe(0);
	const server = await openServer(null);
	await server.submit({ name: 'Ada' });
	await server.close();
	const { deliveries } = await cli.json('deliveries', 'list', '--channel', 'webhook');
	const { stdout } = await cli.call('deliveries', 'show', deliveries[0].id);
	expect(stdout).toEndWith(
		'\nsubject        "Ada"\nhtml           "<b>Ada</b>"\ntext           ["Ada"]\nto             "x"\n',
	);
});

test('many are retried by state, channel or form', async () => {
	const server = await openServer(null);
	await server.submit();
	await server.submit();
	await server.close();
	expect(await cli.json('deliveries', 'retry', '--state', 'failed')).toEqual({ retried: 0 });
	expect((await cli.call('deliveries', 'retry', '--state', 'withheld')).stdout).toBe('2 deliveries are tried again.\n');
	const { deliveries } = await cli.json(
		'deliveries',
		'list',
		'--state',
		'waiting',
		'--channel',
		'mail',
		'--mode',
		'live',
	);
	expect(deliveries).toHaveLength(2);
	// No server runs that could try them: the moment has passed.
	expect((await cli.call('deliveries', 'list')).stdout.match(/ waiting +0 +due +owner/g)).toHaveLength(2);
});

test('what waits is held, and sent when it is asked for, as after a database was restored by other means', async () => {
	const closed = await startScriptedSmtp();
	await closed.close();
	const server = await openServer(closed.url);
	await server.submit();
	await server.submit();
	expect((await cli.call('deliveries', 'hold')).stdout).toBe('2 deliveries are held.\n');
	expect(await cli.json('deliveries', 'hold')).toEqual({ held: 0 });
	await server.submit({ later: 'yes' });
	const peer = await startScriptedSmtp({}, closed.port);
	await server.start();
	await server.until((rows) => rows.some(({ state }) => state === 'sent'));
	expect((await server.rows()).map(({ state }) => state)).toEqual(['held', 'held', 'sent']);
	expect(await cli.json('deliveries', 'retry', '--state', 'held')).toEqual({ retried: 2 });
	await server.until((rows) => rows.every(({ state }) => state === 'sent'));
	expect(peer.accepted).toHaveLength(3);
	await server.close();
	await peer.close();
});

test.each([
	[['retry'], 2],
	[['retry', 'abc', '--state', 'failed'], 2],
	[['retry', 'abc'], 1],
	[['show', 'abc'], 1],
	[['list', '--state', 'lost'], 2],
	[['list', '--limit', 'many'], 2],
	[['list', '--form', 'nowhere'], 1],
])('deliveries %j ends with %d and a sentence', async (argv, expected) => {
	const { code, stdout, stderr } = await cli.call('deliveries', ...argv);
	expect([code, stdout]).toEqual([expected as 1 | 2, '']);
	expect(stderr).toMatch(/^["A-Za-z].*\.\n$/);
});

/** After a restore nothing is sent again by itself: what was waiting is held until the owner asks for it. */

import { afterEach, expect, setDefaultTimeout } from 'bun:test';
import { readFileSync } from 'node:fs';
import { MINUTE_MS } from '../../src/tasks/durations.ts';
import { openBrowser } from '../browser.ts';
import { openDashboard } from '../dashboard/dashboard.ts';
import { messageIds, useDeliveryFixtures } from '../delivery/fixtures.ts';
import { testOnSqlite } from '../engine.ts';
import { freePort } from '../free-port.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { until } from '../until.ts';
import { openCommandLine } from './command-line.ts';

setDefaultTimeout(60_000);

const DELAY_MINUTES = 60;

const { server: startSmtp } = useDeliveryFixtures();
const closers: (() => unknown)[] = [];
afterEach(async () => {
	for (const close of closers.splice(0).reverse()) await close();
});

interface Listed {
	id: string;
	state: string;
	channel: string;
	attempts: number;
	lastError: string | null;
}

const listOf = async (server: TestServer) =>
	(await server.call<{ deliveries: Listed[]; held: number }>('GET /api/deliveries?limit=100')).body;

const untilList = (server: TestServer, isSo: (list: Listed[]) => boolean) =>
	until(async () => (await listOf(server)).deliveries, { isSo, withinMs: 40_000 });

/** Takes what a webhook posts; `ids` are those of the deliveries. */
function startReceiver(port: number) {
	const ids: string[] = [];
	const receiver = Bun.serve({
		port,
		hostname: '127.0.0.1',
		fetch(request) {
			ids.push(request.headers.get('webhook-id') ?? '');
			return new Response('ok');
		},
	});
	closers.push(() => receiver.stop(true));
	return ids;
}

/** A backup of a server to which four mails and webhook requests wait, one mail of them in flight, and all were sent since. */
async function restoreAfterSending(...options: string[]) {
	const cli = openCommandLine();
	const database = cli.path('formsrv-data', 'formsrv.db');
	const [smtpPort, hookPort] = [await freePort(), await freePort()];
	const settings = {
		FORMSRV_SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
		FORMSRV_MAIL_FROM: 'forms@example.com',
		FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
	};
	const open = async (now?: () => number) => {
		const server = await openTestServer({ settings, database, now });
		closers.push(server.close);
		return server;
	};
	await cli.call('keys', 'create');
	const first = await open();
	const hanging = await startSmtp({ greeting: 'hang' }, smtpPort);
	const form = (
		await first.call<{ id: string; slug: string }>('POST /api/forms', {
			json: { name: 'Contact', notificationEmail: 'owner@example.com' },
		})
	).body;
	await first.call(`POST /api/forms/${form.id}/webhooks`, { json: { url: `http://127.0.0.1:${hookPort}/` } });
	for (let i = 0; i < 4; i++) await first.submit(form.slug, { number: i });
	const waits = ({ state, attempts, channel }: Listed) =>
		state === 'sending' || (channel === 'webhook' && attempts > 0);
	await untilList(first, (list) => list.filter(waits).length >= 2);
	const backup = await cli.json('backup', 'backup.tar');
	await hanging.close();
	const sentBefore = await startSmtp({}, smtpPort);
	const postedBefore = startReceiver(hookPort);
	await first.call('POST /api/deliveries/retry', { json: { state: 'waiting' } });
	await untilList(first, (list) => list.filter(({ state }) => state === 'sent').length === 8);
	expect([sentBefore.accepted.length, new Set(postedBefore).size]).toEqual([4, 4]);
	await first.close();
	closers.splice(closers.indexOf(first.close), 1);
	await sentBefore.close();
	const peer = await startSmtp({}, smtpPort);
	const posted = postedBefore.length;
	const restored = await cli.call('restore', 'backup.tar', '--force', ...options);
	expect(restored.code).toBe(0);
	return { backup, cli, form, open, peer, posts: () => postedBefore.slice(posted), restored };
}

const numbersIn = (mails: { content: string }[]) =>
	mails.map(({ content }) => /number:\s+(\d)/.exec(content)?.[1]).sort();

testOnSqlite('what was waiting is held until it is asked for, and is then sent once', async () => {
	const { cli, form, open, peer, posts, restored } = await restoreAfterSending();
	expect(restored.stderr).toContain('that were waiting are held (8), because they may have been sent since');
	expect(restored.stderr).toContain('but not here: FORMSRV_');
	expect(restored.stderr).toMatch(/FORMSRV_SMTP_URL/);
	expect(readFileSync(cli.path('backup.tar'), 'latin1')).toMatch(/"settings":\[[^\]]*"FORMSRV_SMTP_URL"/);
	expect(readFileSync(cli.path('backup.tar'), 'latin1')).not.toContain('smtp://');

	const second = await open();
	// Deliveries after the restore are sent as ever.
	await second.submit(form.slug, { number: 9 });
	const list = await untilList(second, (all) => all.filter(({ state }) => state === 'sent').length === 2);
	expect(numbersIn(peer.accepted)).toEqual(['9']);
	expect(posts()).toHaveLength(1);
	const held = list.filter(({ state }) => state === 'held');
	expect(held).toHaveLength(8);
	expect((await listOf(second)).held).toBe(8);
	expect(new Set(held.map(({ lastError }) => lastError))).toEqual(
		new Set(['restored: it waited when the backup was made, and may have been sent since']),
	);

	const one = held.find(({ channel }) => channel === 'mail') as Listed;
	expect((await second.call(`POST /api/deliveries/${one.id}/retry`)).status).toBe(200);
	await untilList(second, (all) => all.find(({ id }) => id === one.id)?.state === 'sent');
	expect(peer.accepted).toHaveLength(2);
	expect(await cli.json('deliveries', 'retry', '--state', 'held')).toEqual({ retried: 7 });
	await untilList(second, (all) => all.every(({ state }) => state === 'sent'));
	expect(numbersIn(peer.accepted)).toEqual(['0', '1', '2', '3', '9']);
	expect([posts().length, new Set(posts()).size]).toEqual([5, 5]);
	expect((await listOf(second)).held).toBe(0);
});

testOnSqlite('a button in the dashboard sends it', async () => {
	const { open, peer } = await restoreAfterSending();
	const server = await open();
	const browser = await openBrowser();
	closers.push(() => browser.close());
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo('/deliveries?state=held');
	await page.getByText('may have been sent since, so they are held (8).').waitFor();
	await page.getByRole('button', { name: 'Send held deliveries' }).click();
	await page.getByText('Trying again: 8.').waitFor();
	await untilList(server, (list) => list.filter(({ state }) => state === 'sent').length === 8);
	expect(peer.accepted).toHaveLength(4);
	expect(complaints).toEqual([]);
	await close();
});

testOnSqlite('with --send-waiting it is sent at once', async () => {
	const { open, peer, posts, restored } = await restoreAfterSending('--send-waiting');
	expect(restored.stderr).not.toContain('held');
	// Later than the claim lasts that the mail in flight had.
	const server = await open(() => Date.now() + MINUTE_MS);
	await untilList(server, (list) => list.filter(({ state }) => state === 'sent').length === 8);
	expect(numbersIn(peer.accepted)).toEqual(['0', '1', '2', '3']);
	expect(posts()).toHaveLength(4);
});

/** A backup of a server that will answer a visitor later, and the server after the restore. */
async function restoreWithResponse(
	{ isSent, isStopped = false }: { isSent: boolean; isStopped?: boolean },
	...options: string[]
) {
	const cli = openCommandLine();
	const database = cli.path('formsrv-data', 'formsrv.db');
	const peer = await startSmtp();
	const settings = { FORMSRV_SMTP_URL: peer.url, FORMSRV_MAIL_FROM: 'forms@example.com' };
	let ahead = 0;
	const open = () => openTestServer({ settings, database, now: () => Date.now() + ahead });
	const first = await open();
	const form = { name: 'Contact', captcha: 'altcha', autoresponder: { field: 'email', delayMinutes: DELAY_MINUTES } };
	const { slug } = await first.createForm<{ slug: string }>(form);
	const key = await first.createKey({ permissions: ['submit'] });
	const submitted = await first.submit(slug, { email: 'ada@example.com' }, { Authorization: `Bearer ${key}` });
	expect(submitted.status).toBe(200);
	await cli.json('backup', 'backup.tar');
	const goOn = () => {
		ahead += (DELAY_MINUTES + 1) * MINUTE_MS;
	};
	if (isSent) {
		goOn();
		await untilList(first, ([one]) => one?.state === 'sent');
	}
	if (isStopped) {
		const mail = peer.accepted[0]?.content.replaceAll('=\r\n', '') ?? '';
		const link = /\/f\/[^/]+\/stop\/[\w.-]+/.exec(mail)?.[0];
		expect((await fetch(`${first.submitUrl}${link}`, { method: 'POST' })).status).toBe(200);
	}
	await first.close();
	expect((await cli.call('restore', 'backup.tar', '--force', ...options)).code).toBe(0);
	const second = await open();
	closers.push(second.close);
	return { cli, peer, second, goOn };
}

testOnSqlite(
	'a response that was sent after the backup is not sent again but by the owner, under the same id',
	async () => {
		const { cli, peer, second, goOn } = await restoreWithResponse({ isSent: true });
		goOn();
		await Bun.sleep(500);
		expect((await listOf(second)).deliveries).toMatchObject([{ state: 'held', channel: 'visitor', attempts: 0 }]);
		expect(peer.accepted).toHaveLength(1);
		expect(await cli.json('deliveries', 'retry', '--state', 'held')).toEqual({ retried: 1 });
		await untilList(second, ([one]) => one?.state === 'sent');
		expect(peer.accepted).toHaveLength(2);
		expect(new Set(messageIds(peer)).size).toBe(1);
	},
);

testOnSqlite('an address that asked for no more mails after the backup gets none after the restore', async () => {
	const { cli, peer, second } = await restoreWithResponse({ isSent: true, isStopped: true });
	expect(await cli.json('suppressions', 'count')).toEqual({ asked: 1, rejected: 0 });
	expect(await cli.json('deliveries', 'retry', '--state', 'held')).toEqual({ retried: 1 });
	await untilList(second, ([one]) => one?.state === 'withheld');
	expect(peer.accepted).toHaveLength(1);
});

testOnSqlite('with --send-waiting a response still waits for its moment, and goes once', async () => {
	const { peer, second, goOn } = await restoreWithResponse({ isSent: false }, '--send-waiting');
	await Bun.sleep(500);
	expect((await listOf(second)).deliveries).toMatchObject([{ state: 'waiting', attempts: 0 }]);
	expect(peer.accepted).toEqual([]);
	goOn();
	await untilList(second, ([one]) => one?.state === 'sent');
	expect(peer.accepted).toHaveLength(1);
});

testOnSqlite('what waited to be confirmed waits on: its mail is held, and its link works once', async () => {
	const cli = openCommandLine();
	const database = cli.path('formsrv-data', 'formsrv.db');
	const smtpPort = await freePort();
	const settings = { FORMSRV_SMTP_URL: `smtp://127.0.0.1:${smtpPort}`, FORMSRV_MAIL_FROM: 'forms@example.com' };
	await cli.call('keys', 'create');
	const first = await openTestServer({ settings, database });
	const peer = await startSmtp({}, smtpPort);
	const json = { name: 'News', slug: 'news', confirm: {}, notificationEmail: 'owner@example.com' };
	const form = await first.createForm<{ id: string }>(json);
	await first.submit('news', { email: 'ada@example.com' });
	await untilList(first, (all) => all.some(({ state }) => state === 'sent'));
	await peer.close();
	await first.submit('news', { email: 'bob@example.com' });
	await untilList(first, (all) => all.some(({ state }) => state === 'waiting'));
	await cli.json('backup', 'backup.tar');
	await first.close();
	await cli.call('restore', 'backup.tar', '--force');
	const second = await openTestServer({ settings, database });
	closers.push(second.close);
	const after = await startSmtp({}, smtpPort);
	const counts = async () => {
		const { body } = await second.call<{ submissionCount: number; pendingCount: number }>(`GET /api/forms/${form.id}`);
		return [body.submissionCount, body.pendingCount];
	};
	expect(await counts()).toEqual([0, 2]);
	expect((await listOf(second)).deliveries.map(({ state }) => state).sort()).toEqual(['held', 'sent']);
	const link = /\/f\/news\/confirm\/[\w.-]+/.exec(peer.accepted[0]?.content.replaceAll('=\r\n', '') ?? '')?.[0];
	for (let times = 0; times < 2; times++)
		expect((await fetch(`${second.submitUrl}${link}`, { method: 'POST' })).status).toBe(200);
	expect(await counts()).toEqual([1, 1]);
	await untilList(second, (all) => all.filter(({ state }) => state === 'sent').length === 2);
	expect(after.accepted.map(({ to }) => to)).toEqual([['owner@example.com']]);
	expect(await cli.json('deliveries', 'retry', '--state', 'held')).toEqual({ retried: 1 });
	await untilList(second, (all) => all.every(({ state }) => state === 'sent'));
	expect(after.accepted.map(({ to }) => to[0])).toEqual(['owner@example.com', 'bob@example.com']);
});

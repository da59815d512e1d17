/** A destination that is paused for long is seen wherever an operator looks, also without a server, and no longer than it lasts. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Status } from '../../../src/dashboard/status/schema.ts';
import { openBrowser } from '../../browser.ts';
import { openCommandLine } from '../../cli/command-line.ts';
import { openDashboard } from '../../dashboard/dashboard.ts';
import { newDatabase } from '../../engine.ts';
import { freePort } from '../../free-port.ts';
import { openTestServer, type TestServer, type TestServerOptions } from '../../server.ts';
import { tempFolder } from '../../temp-folder.ts';
import { until } from '../../until.ts';
import { useDeliveryFixtures } from '../fixtures.ts';

setDefaultTimeout(90_000);

const MINUTE_MS = 60_000;
const { server: startSmtp } = useDeliveryFixtures();
const isOnPostgres = process.env.FORMSRV_TEST_ENGINE === 'postgres';

/** A server whose clock can be moved, and commands on the same database. */
async function open(settings: Record<string, string>, { now, database }: Partial<TestServerOptions> = {}) {
	const folder = tempFolder();
	const place = database ?? (await newDatabase(folder));
	const clock = { shift: 0 };
	const moved = now ?? (() => Date.now() + clock.shift);
	const server = await openTestServer({ settings, database: place, now: moved, elapsed: () => performance.now() });
	const port = new URL(server.baseUrl).port;
	const url = isOnPostgres ? place : `file:${place}`;
	const { call } = openCommandLine(folder, { ...settings, FORMSRV_DATABASE_URL: url, FORMSRV_DATA_DIR: folder });
	const doctor = () => call('doctor', '--port', port);
	return { server, clock, database: place, doctor };
}

const eventually = <T>(read: () => Promise<T>, isSo: (found: T) => boolean) =>
	until(read, { isSo, withinMs: 45_000, everyMs: 100 });

const statusOf = async (server: TestServer, key?: string) =>
	(await server.call<Status>('GET /api/status', { key })).body;
const namesOf = (status: Status) => status.problems.map(({ name }) => name);
const stateOf = async (server: TestServer) => {
	const { body } = await server.call<{ deliveries: { lastError: string | null; state: string }[] }>(
		'GET /api/deliveries',
	);
	return body.deliveries.map(({ lastError, state }) => (lastError === null ? state : `${state}: ${lastError}`)).join();
};

async function formWith(server: TestServer, extras: object): Promise<{ id: string; slug: string }> {
	const { body } = await server.call<{ id: string; slug: string }>('POST /api/forms', {
		json: { name: 'Contact', ...extras },
	});
	return body;
}

const probe = async (server: TestServer) => {
	const response = await fetch(`${server.submitUrl}/health`);
	return { code: response.status, problem: ((await response.json()) as { problem?: string }).problem };
};

test('a mail server that is dead for 20 minutes is a problem everywhere, and none once it is alive', async () => {
	const port = await freePort();
	const settings = { FORMSRV_SMTP_URL: `smtp://127.0.0.1:${port}`, FORMSRV_MAIL_FROM: 'forms@example.com' };
	const { server, clock, doctor, database } = await open(settings);
	const other = isOnPostgres
		? (await open(settings, { database, now: () => Date.now() + clock.shift })).server
		: server;
	const browser = await openBrowser();
	try {
		const form = await formWith(server, { notificationEmail: 'owner@example.com' });
		const { page, signIn, goTo, close } = await openDashboard({ browser, server: other });
		await signIn(other === server ? undefined : server.adminKey);
		await server.submit(form.slug, { a: 'b' });
		await eventually(
			() => stateOf(server),
			(state) => state.includes('refused'),
		);
		expect(namesOf(await statusOf(server))).toEqual([]);
		expect(await probe(server)).toEqual({ code: 200, problem: undefined });
		const early = await eventually(doctor, ({ stdout }) => stdout.includes('refused'));
		expect(early.code).toBe(0);
		expect(early.stdout).toMatch(/^ok +mail +paused since \d{4}.*, and tried again: Nothing accepts connections/m);

		clock.shift = 20 * MINUTE_MS;
		const status = await eventually(
			() => statusOf(other, server.adminKey),
			(found) => namesOf(found).includes('mail'),
		);
		expect(status.problems[0]).toMatchObject({ detail: expect.stringContaining('refused') });
		expect(status.health).toStartWith('Mail has been paused');
		expect(await probe(other)).toEqual({ code: 200, problem: expect.stringContaining('Mail has been paused') });
		await goTo('/settings');
		await page.reload();
		await page.getByRole('link', { name: 'Server (needs attention)' }).waitFor();
		const found = await eventually(doctor, ({ stdout }) => stdout.includes('Mail has been paused'));
		expect(found.code).toBe(1);
		expect(found.stdout).toMatch(/^!! +server +Mail has been paused/m);
		expect(found.stdout).toMatch(/^ok +deliveries +1 waiting, the oldest since \d{4}/m);

		const peer = await startSmtp({}, port);
		await server.call('POST /api/deliveries/retry', { json: { state: 'waiting' } });
		await eventually(
			() => stateOf(server),
			(state) => state === 'sent',
		);
		await eventually(
			() => statusOf(other, server.adminKey),
			(found) => namesOf(found).length === 0,
		);
		expect(peer.accepted).toHaveLength(1);
		await eventually(doctor, ({ stdout }) =>
			/^ok +mail +not paused[\s\S]*^ok +server +accepts submissions/m.test(stdout),
		);
		await page.reload();
		await page.getByRole('link', { name: 'Server', exact: true }).waitFor();
		expect(await page.getByRole('link', { name: 'Server (needs attention)' }).count()).toBe(0);
		await close();
	} finally {
		await browser.close();
		if (other !== server) await other.close();
		await server.close();
	}
});

test('doctor finds it without a server, and neither a restart nor a stop makes it look well', async () => {
	const port = await freePort();
	const settings = {
		FORMSRV_SMTP_URL: `smtp://127.0.0.1:${port}`,
		FORMSRV_MAIL_FROM: 'forms@example.com',
		FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
	};
	const before = () => Date.now() - 20 * MINUTE_MS;
	const { server, doctor, database } = await open(settings, { now: before });
	const form = await formWith(server, { notificationEmail: 'owner@example.com' });
	const hook = await freePort();
	await server.call(`POST /api/forms/${form.id}/webhooks`, {
		json: { url: `http://127.0.0.1:${hook}/?token=hunter2` },
	});
	await server.submit(form.slug, { a: 'b' });
	const isStored = async () => (await doctor()).stdout;
	await eventually(isStored, (text) => /!! +mail/.test(text) && /!! +webhooks/.test(text));
	await server.close();
	const stopped = await doctor();
	expect(stopped.code).toBe(1);
	expect(stopped.stdout).toMatch(/^!! +mail +Nothing could be sent since \d{4}.*refused/m);
	expect(stopped.stdout).toMatch(
		new RegExp(
			`^!! +webhooks +Nothing could be sent to 127\\.0\\.0\\.1:${hook} since \\d{4}[^ ]* \\(.*refused.*\\)`,
			'mi',
		),
	);
	expect(stopped.stdout).toMatch(/^ok +deliveries +2 waiting, the oldest since \d{4}/m);
	expect(stopped.stdout).toMatch(/^!! +server +2 deliveries wait, and none runs: nothing is received or sent/m);
	expect(stopped.stdout).not.toContain('hunter2');

	const next = await open(settings, { database });
	try {
		const status = await eventually(
			() => statusOf(next.server),
			(found) => namesOf(found).length === 2,
		);
		expect(namesOf(status)).toEqual(['mail', 'webhooks']);
		expect(status.problems[1]).toMatchObject({ detail: expect.stringContaining(`127.0.0.1:${hook} since`) });
		expect(JSON.stringify(status.problems)).not.toContain('hunter2');
		// The awaited form is gone: there is no later sign that the pause is over.
		await next.server.call(`DELETE /api/forms/${form.id}`);
		await eventually(
			() => statusOf(next.server),
			(found) => namesOf(found).length === 0,
		);
	} finally {
		await next.server.close();
	}
	const idle = await next.doctor();
	expect(idle.code).toBe(0);
	expect(idle.stdout).toMatch(/^-- +server +none runs: nothing is received or sent until/m);
});

/** A server whose clock is wrong for a while: times are right afterwards, and nothing is lost. */

import { afterEach, expect, test } from 'bun:test';
import { isNotNull } from 'drizzle-orm';
import type { Status } from '../../src/dashboard/status/schema.ts';
import { sessions } from '../../src/storage/session-tables.ts';
import { deliveries, forms as formsTable } from '../../src/storage/tables.ts';
import type { DayCount } from '../../src/submissions/stats/schema.ts';
import { startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { openTestServer } from '../server.ts';
import { until } from '../until.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const NOON = Date.UTC(2027, 5, 1, 12);

interface List {
	submissions: { id: string; createdAt: string; data: { n: number } }[];
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
	for (const close of closers.splice(0)) await close();
});

async function setUp(settings: Record<string, string> = {}) {
	const time = { passed: 0, shift: 0 };
	const now = () => NOON + time.passed + time.shift;
	const server = await openTestServer({ now, elapsed: () => time.passed, settings });
	closers.push(() => server.close());
	const form = await server.app.forms.create('live', { name: 'Contact', notificationEmail: 'owner@example.com' });
	let count = 0;

	return {
		server,
		form,
		time,
		now,
		/** A second later. */
		async submit(headers: Record<string, string> = {}, n = ++count) {
			time.passed += 1000;
			const { status } = await server.submit(form.slug, { n }, headers);
			expect(status).toBe(200);
			return new Date(now()).toISOString();
		},
		async list(query = '') {
			const { body } = await server.call<List>(`GET /api/forms/${form.id}/submissions?limit=100&${query}`);
			return body.submissions;
		},
		numbers: async (query: string) =>
			(await server.call<List>(`GET /api/forms/${form.id}/submissions?${query}`)).body.submissions.map(
				({ data }) => data.n,
			),
		status: async () => (await server.call<Status>('GET /api/status')).body,
		/** Has the server do what it does each minute, by deleting a form. */
		async maintain() {
			const { storage, forms } = server.app;
			const { id } = await forms.create('live', { name: 'Swept' });
			await forms.remove(id);
			const isThere = () => storage.db.$count(formsTable, isNotNull(formsTable.deletedAt));
			await until(async () => (await isThere()) === 0, { everyMs: 1 });
			// Each batch after the sweep is a commit.
			for (let commits = 0; commits < 20; commits++) await storage.batch(() => []);
		},
	};
}

test.each([10 * YEAR, -YEAR, 3 * HOUR, -3 * HOUR, 5000])(
	'one submission at a time wrong by %d ms: those after it have the right one, in the list, since, the days and an export',
	async (shift) => {
		const { server, form, time, now, submit, list, numbers, status } = await setUp();
		const expected = [await submit(), await submit()];
		time.shift = shift;
		expected.push(await submit());
		time.shift = 0;
		expected.push(await submit(), await submit());

		const listed = await list('order=asc');
		expect(listed.map(({ createdAt }) => createdAt)).toEqual(expected);
		expect((await list()).map(({ id }) => id)).toEqual(listed.map(({ id }) => id).reverse());
		expect(await numbers(`since=${expected[3]}`)).toEqual([5]);
		expect(await numbers(`since=${expected[2]}&order=asc`)).toEqual([4, 5]);
		expect(await numbers(`since=${expected[1]}&order=asc`)).toEqual([3, 4, 5]);
		expect(await numbers(`until=${expected[3]}&order=asc`)).toEqual([1, 2, 3, 4]);
		const { body: stats } = await server.call<{ days: DayCount[] }>(`GET /api/forms/${form.id}/stats?days=2`);
		expect(stats.days.map(({ count }) => count)).toEqual([0, 5]);
		const { text } = await server.call(`GET /api/forms/${form.id}/export?format=ndjson&order=asc`);
		const exported = text
			.trim()
			.split('\n')
			.map((line) => (JSON.parse(line) as { createdAt: string }).createdAt);
		expect(exported).toEqual(expected);
		const { clock } = await status();
		expect(clock.problem).toBeNull();
		const iso = (millis: number) => new Date(millis).toISOString();
		if (Math.abs(shift) > MINUTE) expect(clock.latest).toContain(iso(now() + shift).slice(0, 16));
		server.app.log.flush();
		const warnings = server.logLines.map((line) => (JSON.parse(line) as { message: string }).message);
		const back = warnings.filter((line) => line.startsWith('The clock was set back'));
		const forward = warnings.filter((line) => line.startsWith('The clock went forward'));
		// The next clock check notices a step forward of seconds, if it lasts until then.
		expect([back.length, forward.length]).toEqual(Math.abs(shift) > MINUTE ? [1, 1] : [1, 0]);
	},
);

test('the status distinguishes a clock that is wrong from one that was', async () => {
	const { time, submit, status } = await setUp();
	await submit();
	time.shift = 10 * YEAR;
	await submit();
	expect((await status()).clock.problem).toStartWith('The clock went forward by 10 years');
	time.shift = 0;
	await submit();
	expect((await status()).clock).toMatchObject({ problem: null, latest: expect.stringContaining('was wrong between') });
	time.shift = -YEAR;
	await submit();
	expect((await status()).clock.problem).toStartWith('The clock');
	time.shift = 0;
	await submit();
	expect((await status()).clock.problem).toBeNull();
});

test.each([10 * YEAR, -10 * DAY, 25 * HOUR])(
	'an Idempotency-Key outlives a clock wrong by %d ms, and ends a day after it was made by one',
	async (shift) => {
		const { form, server, time, submit, maintain } = await setUp();
		const stored = async () => (await server.app.forms.get(form.id)).submissionCount;
		const once = (key: string) => submit({ 'Idempotency-Key': key }, 1);
		await once('before');
		time.shift = shift;
		await once('meanwhile');
		await maintain();
		await once('before');
		expect(await stored()).toBe(2);
		time.shift = 0;
		await once('before');
		await maintain();
		await once('before');
		await once('meanwhile');
		expect(await stored()).toBe(2);
		time.passed += 2 * DAY;
		await maintain();
		time.passed += 2 * DAY;
		await maintain();
		await once('before');
		await once('meanwhile');
		expect(await stored()).toBe(4);
	},
);

test('sessions survive a clock step, and one created by a wrong clock does not last longer', async () => {
	const { server, time, submit, maintain } = await setUp();
	const { sessions: open } = server.app;
	const isOpen = async (token: string) => (await open.find(token, { isUse: false })) !== undefined;
	const signIn = async () => open.openWithLink(await open.createLink());
	const before = await signIn();
	await submit();
	time.shift = 10 * YEAR;
	await submit();
	await maintain();
	const meanwhile = await signIn();
	const link = await open.createLink();
	time.shift = 0;
	await submit();
	await maintain();
	expect([await isOpen(before), await isOpen(meanwhile)]).toEqual([true, true]);
	await expect(open.openWithLink(link)).rejects.toThrow();
	time.passed += 8 * DAY;
	await submit();
	expect([await isOpen(before), await isOpen(meanwhile)]).toEqual([false, false]);
	await maintain();
	expect(await server.app.storage.db.$count(sessions)).toBe(0);
});

test('mails carry the time of their submission, and sent content can still be viewed', async () => {
	const peer = await startScriptedSmtp();
	closers.push(() => peer.close());
	const mail = { FORMSRV_SMTP_URL: peer.url, FORMSRV_MAIL_FROM: 'Forms <forms@example.com>' };
	const { server, time, submit, maintain } = await setUp(mail);
	const kept = () => server.app.storage.db.$count(deliveries, isNotNull(deliveries.content));
	await submit();
	await until(async () => (await kept()) === 1);
	time.shift = 10 * YEAR;
	await submit();
	await maintain();
	time.shift = 0;
	const last = await submit();
	await maintain();
	await until(() => peer.accepted.length === 3);
	await until(async () => (await kept()) === 3);
	const dates = peer.accepted.map(({ content }) => Date.parse(/^Date: (.*)$/m.exec(content)?.[1] ?? ''));
	expect(dates.sort()[1]).toBe(Date.parse(last));
});

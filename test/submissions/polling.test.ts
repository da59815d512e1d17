/** Who polls by the cursor, or by the newest time, gets every submission once: whatever the clock did, whatever was deleted, whatever overlaps. */

import { afterEach, expect, test } from 'bun:test';
import type { SubmissionList } from '../../src/submissions/schema.ts';
import { openTestServer, type TestServer } from '../server.ts';

const HOUR_MS = 3600_000;
const SECOND_MS = 1000;

let server: TestServer;
afterEach(() => server.close());

async function open(options: Parameters<typeof openTestServer>[0] = {}) {
	server = await openTestServer({ ...options, settings: { FORMSRV_RATE_SUBMIT: '0', FORMSRV_RATE_API: '0' } });
	return (await server.app.forms.create('live', { name: 'Contact', slug: 'contact' })).id;
}

async function list(formId: string, query: string, key = server.adminKey) {
	const { status, body } = await server.call<SubmissionList>(`GET /api/forms/${formId}/submissions?${query}`, { key });
	expect(status).toBe(200);
	return {
		ns: body.submissions.map(({ data }) => (data as { n: number }).n),
		ids: body.submissions.map(({ id }) => id),
		newest: body.submissions.at(-1)?.createdAt,
		...body.pagination,
	};
}

function poller(formId: string, query: string, key?: string) {
	let cursor = '0';
	const got: number[] = [];
	return {
		got,
		async poll(): Promise<boolean> {
			const page = await list(formId, `order=asc&after=${cursor}&${query}`, key);
			got.push(...page.ns);
			cursor = page.cursor as string;
			return page.ns.length > 0;
		},
	};
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

const CLOCKS = {
	'the clock of the day': (passed: () => number) => passed,
	// As if the machine had slept, or where a tool sets both.
	'both clocks': () => undefined,
};

test.each(Object.entries(CLOCKS))(
	'setting %s forward by an hour and back, and back and forward, hides and repeats nothing',
	async (_, elapsedOf) => {
		const start = Date.now();
		let passed = 0;
		let shift = 0;
		const formId = await open({ now: () => start + passed + shift, elapsed: elapsedOf(() => passed) });
		const key = await server.createKey({ form: formId });
		const pollers = [poller(formId, 'limit=10'), poller(formId, 'limit=1'), poller(formId, 'filter=unread', key)];
		for (const n of upTo(44)) {
			passed += SECOND_MS;
			shift = { 5: HOUR_MS, 6: 0, 20: -HOUR_MS, 30: 0 }[n] ?? shift;
			await server.submit('contact', { n });
			// At each step too, so that a poller goes on from a submission of another time.
			if (n % 5 === 0) for (const one of pollers) await one.poll();
		}
		for (const one of pollers) {
			while (await one.poll());
			expect(one.got).toEqual(upTo(44));
		}
	},
);

test('submissions that overlap are all polled, once, while they come', async () => {
	const formId = await open();
	const one = poller(formId, 'limit=7');
	let sent = 0;
	const send = async () => {
		while (sent < 300) await server.submit('contact', { n: sent++ });
	};
	const sending = Promise.all(upTo(24).map(send));
	let isOver = false;
	void sending.then(() => {
		isOver = true;
	});
	while (!isOver) await one.poll();
	while (await one.poll());
	expect(one.got.toSorted((a, b) => a - b)).toEqual(upTo(300));
});

test('who asks for what is later than the newest time misses nothing of the same millisecond', async () => {
	const start = Date.now();
	const formId = await open({ now: () => start });
	const got: number[] = [];
	let since = '2020-01-01T00:00:00.000Z';
	async function poll(): Promise<void> {
		const { ns, newest } = await list(formId, `order=asc&since=${since}`);
		got.push(...ns);
		since = newest ?? since;
	}
	for (const n of upTo(40)) {
		const sent = server.submit('contact', { n });
		if (n % 2) await poll();
		await sent;
		if (n % 3) await poll();
	}
	await poll();
	expect(got).toEqual(upTo(40));
});

test('a cursor outlives its submission, and an empty page keeps it', async () => {
	const formId = await open();
	const before = await list(formId, 'order=asc&after=0');
	expect(before).toMatchObject({ ns: [], total: 0, hasMore: false, cursor: '0' });
	for (const n of upTo(5)) await server.submit('contact', { n });
	const { ids, cursor, hasMore } = await list(formId, 'order=asc&after=0&limit=2');
	expect([cursor, hasMore]).toEqual([ids[1], true]);
	await server.call(`DELETE /api/forms/${formId}/submissions/${ids[1]}`);
	const rest = await list(formId, `order=asc&after=${cursor}`);
	expect([rest.ns, rest.total]).toEqual([[2, 3, 4], 3]);
	expect(await list(formId, `order=asc&after=${rest.cursor}`)).toMatchObject({ ns: [], cursor: rest.cursor });
	expect((await list(formId, `order=desc&after=${cursor}`)).ns).toEqual([4, 3, 2]);
});

test('a list since a moment goes on by its cursor, and others have none', async () => {
	const formId = await open();
	const since = new Date().toISOString();
	const empty = await list(formId, `order=asc&since=${since}`);
	await server.submit('contact', { n: 1 });
	expect((await list(formId, `order=asc&after=${empty.cursor}`)).ns).toEqual([1]);
	for (const query of ['', 'order=asc', 'after=0', `since=${since}`])
		expect(await list(formId, query)).not.toHaveProperty('cursor');
});

test.each(['', 'ZZ', '-1', '1.5', '00', 'a b', '2gosa7pa2gu', 'zzzzzzzzzzzz'])(
	'the cursor %j is rejected by name',
	async (cursor) => {
		const formId = await open();
		const path = `/api/forms/${formId}/submissions?order=asc&after=${encodeURIComponent(cursor)}` as const;
		const { status, body } = await server.call<{ errors: { field: string }[] }>(`GET ${path}`);
		expect([status, body.errors[0]?.field]).toEqual([400, 'after']);
	},
);

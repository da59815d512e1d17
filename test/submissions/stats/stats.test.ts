import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Form } from '../../../src/forms/schema.ts';
import { decodeId } from '../../../src/ids.ts';
import { type DeliveryState, deliveries, type Mode } from '../../../src/storage/tables.ts';
import type { AllStats } from '../../../src/submissions/stats/schema.ts';
import { openTestServer, type TestServer } from '../../server.ts';

const DAY_MS = 86_400_000;
const TODAY = Date.UTC(2026, 2, 15, 10, 30);

let clock = TODAY;
let server: TestServer;
let form: Form;
let quiet: Form;

interface Days {
	days: { date: string; count: number; spam: number }[];
}

const daysOf = async (query = '') => (await server.call<Days>(`GET /api/forms/${form.id}/stats${query}`)).body.days;

beforeAll(async () => {
	clock = TODAY - 40 * DAY_MS;
	server = await openTestServer({ now: () => clock, settings: { FORMSRV_RATE_API: '0', FORMSRV_RATE_SUBMIT: '0' } });
	form = await server.createForm<Form>({ name: 'Contact' });
	quiet = await server.createForm<Form>({ name: 'Quiet' });
	const submitAt = async (time: number, spam = false) => {
		clock = time;
		await server.submit(form.slug, { a: '1', _gotcha: spam ? 'x' : '' });
	};
	await submitAt(TODAY - 40 * DAY_MS);
	await submitAt(Date.UTC(2026, 2, 13, 23, 59, 59, 999));
	await submitAt(Date.UTC(2026, 2, 14));
	await submitAt(Date.UTC(2026, 2, 14, 12));
	await submitAt(Date.UTC(2026, 2, 14, 13), true);
	await submitAt(TODAY);
});
afterAll(() => server.close());

test('counts by days in UTC, spam apart, today last', async () => {
	expect(await daysOf('?days=3')).toEqual([
		{ date: '2026-03-13', count: 1, spam: 0 },
		{ date: '2026-03-14', count: 2, spam: 1 },
		{ date: '2026-03-15', count: 1, spam: 0 },
	]);
	const month = await daysOf();
	expect(month).toHaveLength(30);
	expect(month.reduce((sum, { count }) => sum + count, 0)).toBe(4);
	expect((await daysOf('?days=9999')).length).toBe(366);
	expect((await daysOf('?days=0')).length).toBe(1);
});

test('counts all forms of the mode together', async () => {
	const { body } = await server.call<AllStats>('GET /api/stats?days=3');
	expect(body).toEqual({ forms: { [form.id]: [1, 2, 1], [quiet.id]: [0, 0, 0] }, failedDeliveries: {} });
	const key = await server.createKey({ mode: 'test' });
	expect((await server.call('GET /api/stats', { key })).body).toEqual({ forms: {}, failedDeliveries: {} });
});

test('counts deliveries that failed, of each form of the mode, up to a hundred', async () => {
	const { storage } = server.app;
	const made = async (mode: Mode, failed: number) => {
		const { id } = await server.app.forms.create(mode, { name: 'Hooked' });
		const delivery = {
			formId: decodeId(id) as number,
			channel: 'webhook',
			destination: 'https://example.com',
		} as const;
		const states: DeliveryState[] = [...Array<DeliveryState>(failed).fill('failed'), 'sent', 'withheld'];
		await storage.batch((tx) =>
			states.map((state) => tx.insert(deliveries).values({ ...delivery, id: storage.nextId(), state })),
		);
		return id;
	};
	const [none, few, many, tested] = [
		await made('live', 0),
		await made('live', 3),
		await made('live', 250),
		await made('test', 2),
	];
	const { body } = await server.call<AllStats>('GET /api/stats?days=1');
	expect(body.failedDeliveries).toEqual({ [few]: 3, [many]: 100 });
	const key = await server.createKey({ permissions: ['read'] });
	expect((await server.call<AllStats>('GET /api/stats?days=1', { key })).body.failedDeliveries).toEqual({});
	for (const id of [none, few, many, tested]) await server.app.forms.remove(id);
	expect((await server.call<AllStats>('GET /api/stats?days=1')).body.failedDeliveries).toEqual({});
});

test('agrees with the list, however many submissions there are', async () => {
	const many = await server.createForm<Form>({ name: 'Many' });
	const { storage } = server.app;
	const formId = Number.parseInt(many.id, 36);
	for (let day = 0; day <= 10; day++) {
		clock = TODAY + day * DAY_MS;
		const rows = Array.from({ length: 300 }, () => ({
			formId,
			data: '{"a":1}',
			names: ['a'],
			spamReason: null,
			subject: null,
			replyTo: null,
		}));
		await Promise.all(rows.map(storage.submissions.append));
	}
	const { body } = await server.call<Days>(`GET /api/forms/${many.id}/stats?days=20`);
	expect(body.days.map(({ count }) => count)).toEqual([...Array(9).fill(0), ...Array(11).fill(300)]);
});

test('rejects texts that are no numbers, and keys without the permission to read', async () => {
	expect((await server.call(`GET /api/forms/${form.id}/stats?days=x`)).status).toBe(400);
	expect((await server.call('GET /api/stats?days=1.5')).status).toBe(400);
	expect((await server.call('GET /api/forms/nope/stats?days=x')).status).toBe(404);
	const writer = await server.createKey({ permissions: ['write'] });
	const ofForm = await server.createKey({ form: form.id });
	for (const key of [writer, ofForm]) {
		expect((await server.call(`GET /api/forms/${form.id}/stats`, { key })).status).toBe(403);
		expect((await server.call('GET /api/stats', { key })).status).toBe(403);
	}
});

/** Deletion by age: what goes, what stays, what is said of it before, and who may set it. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { sweepFiles } from '../../src/files/sweep.ts';
import type { Form } from '../../src/forms/schema.ts';
import { decodeId } from '../../src/ids.ts';
import { deliveries, serverValues } from '../../src/storage/tables.ts';
import { applyRetention } from '../../src/submissions/retention.ts';
import { DAY_MS, HOUR_MS } from '../../src/tasks/durations.ts';
import { isOnPostgres, testOnSqlite } from '../engine.ts';
import { openTestServer, type TestServer } from '../server.ts';

const goOn = async () => true;

/** The clock only goes forward, from test to test as well. */
let now = Date.parse('2026-01-01T00:00:00Z');
let start: number;
let server: TestServer;
beforeAll(async () => {
	server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '0', FORMSRV_RATE_FORM: '0' }, now: () => now });
});
afterAll(() => server.close());
beforeEach(async () => {
	now += DAY_MS;
	start = now;
	await apply();
});

const log = { error: (message: string, { cause }: { cause?: unknown } = {}) => expect([message, cause]).toEqual([]) };
const pass = (pause = goOn) => applyRetention(server.app.storage, { pause, now, log });
/** As many passes as it takes to come to the present, a day each. */
async function apply(): Promise<void> {
	const { db } = server.app.storage;
	const reached = async () =>
		(await db.select().from(serverValues).where(eq(serverValues.name, 'retention')))[0]?.value;
	do await pass();
	while (Number(await reached()) < (isOnPostgres ? now - 1000 : now));
}
/** Everything sent at `start` is a day old: a millisecond has only so many ids. */
async function makeOld(): Promise<void> {
	now = start + HOUR_MS;
	await pass();
	now = start + DAY_MS + 1000;
}
const create = (settings: object = {}) => server.app.forms.create('live', { name: 'Aged', ...settings });
const read = async (id: string) => (await server.call<Form>(`GET /api/forms/${id}`)).body;

async function textsOf(id: string, filter = 'all'): Promise<string[]> {
	type Listed = { submissions: { data: { text: string } }[] };
	const { body } = await server.call<Listed>(`GET /api/forms/${id}/submissions?limit=100&filter=${filter}`);
	return body.submissions.map(({ data }) => data.text).sort();
}

/** Submits one text a day for so many days, beginning now. */
async function submitDaily({ slug }: Form, days: number, more: object = {}): Promise<void> {
	for (let day = 0; day < days; day++) {
		expect((await server.submit(slug, { text: `day ${day}`, ...more })).status).toBe(200);
		now += DAY_MS;
	}
}

describe('submissions', () => {
	test('that are older go, the younger stay, and counts are those of what is left', async () => {
		const form = await create({ retention: { days: 3 } });
		await submitDaily(form, 6);
		await apply();
		// The clock is at the beginning of the seventh day.
		expect(await textsOf(form.id)).toEqual(['day 4', 'day 5']);
		expect(await read(form.id)).toMatchObject({ submissionCount: 2, unreadCount: 2 });
	});

	test('are announced to webhooks that subscribe to deletions', async () => {
		const form = await create({ retention: { days: 3 } });
		const url = 'https://hooks.example.com/';
		await server.app.webhooks.create({ form: form.id }, { url, events: ['submission.deleted'] });
		await submitDaily(form, 6);
		await apply();
		const rows = await server.app.storage.db
			.select()
			.from(deliveries)
			.where(eq(deliveries.formId, decodeId(form.id) ?? 0));
		const told = rows.map(({ event, submissionId, content }) => [event, submissionId, content?.includes('day')]);
		expect(told).toEqual(Array(4).fill(['submission.deleted', null, false]));
	});

	test('of other forms stay, for ever', async () => {
		const kept = await create();
		const aged = await create({ retention: { days: 1 } });
		await submitDaily(kept, 2);
		await submitDaily(aged, 2);
		now += 40 * DAY_MS;
		await apply();
		expect([await textsOf(kept.id), await textsOf(aged.id)]).toEqual([['day 0', 'day 1'], []]);
	});

	test('that are spam go after their own days, and with all others at the latest', async () => {
		const own = await create({ retention: { days: 5, spamDays: 1 } });
		const same = await create({ retention: { days: 2 } });
		const only = await create({ retention: { spamDays: 2 } });
		for (const { slug } of [own, same, only]) {
			await server.submit(slug, { text: 'spam', _gotcha: 'x' });
			await server.submit(slug, { text: 'genuine' });
		}
		now += 3 * DAY_MS;
		await apply();
		expect(await Promise.all([own, same, only].map(({ id }) => textsOf(id)))).toEqual([['genuine'], [], ['genuine']]);
		expect(await Promise.all([own, same, only].map(({ id }) => textsOf(id, 'spam')))).toEqual([[], [], []]);
	});

	test('of a moment to the millisecond: one that is exactly so old goes, one that is not yet stays', async () => {
		const form = await create({ retention: { days: 1 } });
		await server.submit(form.slug, { text: 'first' });
		now += 1;
		await server.submit(form.slug, { text: 'second' });
		now = start + DAY_MS;
		await apply();
		expect(await textsOf(form.id)).toEqual(['second']);
	});

	test('are deleted in chunks: a stop in between loses nothing, and the next run goes on', async () => {
		const form = await create({ retention: { days: 1 } });
		await Promise.all(Array.from({ length: 450 }, (_, i) => server.submit(form.slug, { text: `${i}` })));
		await makeOld();
		await pass(async () => false);
		expect((await read(form.id)).submissionCount).toBe(250);
		await pass();
		expect((await read(form.id)).submissionCount).toBe(0);
	}, 30_000);
});

// The clock of PostgreSQL is the database's own; ids would stay ahead of this one.
testOnSqlite('a clock that is far ahead deletes what one more day makes old, and no more', async () => {
	const form = await create({ retention: { days: 3 } });
	await submitDaily(form, 6);
	await apply();
	expect(await textsOf(form.id)).toEqual(['day 4', 'day 5']);
	const right = now;
	now += 3650 * DAY_MS;
	await pass();
	expect(await textsOf(form.id)).toEqual(['day 5']);
	now = right;
	await pass();
	expect(await textsOf(form.id)).toEqual(['day 5']);
});

test('what its owner keeps from now on is not deleted by the pass that is under way', async () => {
	const form = await create({ retention: { days: 1 } });
	await Promise.all(Array.from({ length: 450 }, (_, i) => server.submit(form.slug, { text: `${i}` })));
	await makeOld();
	await pass(async () => {
		await server.app.forms.update(form.id, { input: { retention: null } });
		return true;
	});
	expect((await read(form.id)).submissionCount).toBe(250);
}, 30_000);

describe('files', () => {
	async function submitFile({ slug }: Form): Promise<void> {
		const body = new FormData();
		body.set('text', 'with a file');
		body.set('cv', new File(['%PDF-1.7 private'], 'cv.pdf'));
		const response = await fetch(`${server.submitUrl}/f/${slug}`, { method: 'POST', body, redirect: 'manual' });
		expect(response.status).toBeLessThan(400);
		await response.body?.cancel();
	}
	type Shown = { submissions: { id: string; files: { id: string; isKept?: false; name: string }[] }[] };

	test('go before their submission, which keeps their names and sizes', async () => {
		const form = await create({ retention: { days: 30, filesDays: 2 }, files: {} });
		await submitFile(form);
		now += DAY_MS;
		await submitFile(form);
		now += DAY_MS + HOUR_MS;
		await apply();
		const { body } = await server.call<Shown>(`GET /api/forms/${form.id}/submissions`);
		const [young, old] = body.submissions.map(({ id, files }) => ({
			id,
			file: files[0] as Shown['submissions'][0]['files'][0],
		}));
		expect(young?.file).toMatchObject({ name: 'cv.pdf' });
		expect(young?.file.isKept).toBeUndefined();
		expect(old?.file).toMatchObject({ name: 'cv.pdf', isKept: false });
		const path = `/api/forms/${form.id}/submissions/${old?.id}/files/${old?.file.id}` as const;
		expect((await server.call(`GET ${path}`)).status).toBe(404);
		expect((await read(form.id)).fileBytes).toBe(4096);
	});

	test('of submissions that go leave nothing in the store', async () => {
		const form = await create({ retention: { days: 1 }, files: {} });
		await submitFile(form);
		const [file] = [...(await server.app.storage.submissions.files([await onlyId(form)])).values()].flat();
		const { store } = server.app.files;
		const isThere = async () => {
			const bytes = await store.read(file?.key as string).catch(() => undefined);
			await bytes?.cancel();
			return bytes !== undefined;
		};
		expect(await isThere()).toBe(true);
		now += 2 * DAY_MS;
		await apply();
		await sweepFiles(server.app.storage, { store, pause: goOn, now: () => now });
		expect(await isThere()).toBe(false);
		expect((await read(form.id)).fileBytes).toBe(0);
	});

	const onlyId = async ({ id }: Form) => {
		const [submission] = await server.app.storage.submissions.ids(
			{ formId: decodeId(id) as number, filter: 'all' },
			{ order: 'asc', limit: 1 },
		);
		return submission as number;
	};
});

test('kept mails of a form are forgotten with what they showed', async () => {
	const form = await create({ retention: { days: 1 } });
	const row = {
		formId: decodeId(form.id) as number,
		channel: 'mail' as const,
		state: 'sent' as const,
		destination: 'a@b.co',
	};
	const { storage } = server.app;
	const [old, young] = [storage.nextId(), storage.nextId()];
	await storage.batch((tx) => [
		tx.insert(deliveries).values({ ...row, id: old, finishedAt: now, content: '{"text":"private"}' }),
		tx.insert(deliveries).values({ ...row, id: young, finishedAt: now + DAY_MS, content: '{"text":"young"}' }),
	]);
	now += DAY_MS + HOUR_MS;
	await apply();
	const rows = await storage.db
		.select({ id: deliveries.id, content: deliveries.content })
		.from(deliveries)
		.where(eq(deliveries.formId, row.formId));
	expect(rows.sort((a, b) => a.id - b.id)).toEqual([
		{ id: old, content: null },
		{ id: young, content: '{"text":"young"}' },
	]);
});

describe('the next deletion', () => {
	test('is that of the oldest, with how many go within a day from then', async () => {
		const form = await create({ retention: { days: 10, spamDays: 4 } });
		await submitDaily(form, 3);
		now = start + 3 * DAY_MS;
		await server.submit(form.slug, { text: 'spam', _gotcha: 'x' });
		// The first goes on day 10, the spam on day 7; nothing else goes within a day of that.
		expect((await read(form.id)).nextDeletion).toEqual({ at: new Date(start + 7 * DAY_MS).toISOString(), count: 1 });
		await server.call(`PATCH /api/forms/${form.id}`, { json: { retention: { days: 10 } } });
		const { body } = await server.call<{ forms: Form[] }>('GET /api/forms');
		const next = { at: new Date(start + 10 * DAY_MS).toISOString(), count: 2 };
		expect(body.forms.find(({ id }) => id === form.id)?.nextDeletion).toEqual(next);
	});

	test('is null without retention, and without submissions', async () => {
		expect((await create()).nextDeletion).toBeNull();
		expect((await create({ retention: { days: 1 } })).nextDeletion).toBeNull();
	});
});

describe('the setting', () => {
	test.each([
		[{ days: 0 }, 'retention.days'],
		[{ days: 3651 }, 'retention.days'],
		[{ days: 1.5 }, 'retention.days'],
		[{ spamDays: -1 }, 'retention.spamDays'],
		[{ days: 10, spamDays: 11 }, 'retention.spamDays'],
		[{ days: 10, filesDays: 11 }, 'retention.filesDays'],
	])('%j is rejected, and %s named', async (retention, field) => {
		const json = { name: 'x', retention };
		const { status, body } = await server.call<{ errors: { field: string }[] }>('POST /api/forms', { json });
		expect([status, body.errors.map((error) => error.field)]).toEqual([400, [field]]);
	});

	test('of no days at all is null', async () => {
		expect((await create({ retention: { days: null } })).retention).toBeNull();
		expect((await create({ retention: {} })).retention).toBeNull();
	});

	test('takes the permission to delete; what leaves it as it is does not', async () => {
		const { id } = await create({ retention: { days: 10 } });
		const writer = await server.createKey({ permissions: ['write', 'read'] });
		const deleter = await server.createKey({ permissions: ['write', 'delete'] });
		const patch = async (key: string, json: object) =>
			(await server.call(`PATCH /api/forms/${id}`, { key, json })).status;
		expect(await patch(writer, { retention: { days: 1 } })).toBe(403);
		expect(await patch(writer, { retention: null })).toBe(403);
		expect(await patch(writer, { retention: { days: 10 }, name: 'Renamed' })).toBe(200);
		expect(await patch(deleter, { retention: { days: 1 } })).toBe(200);
		const json = { name: 'x', retention: { days: 1 } };
		expect((await server.call('POST /api/forms', { key: writer, json })).status).toBe(403);
		expect((await server.call('POST /api/forms', { key: deleter, json })).status).toBe(201);
		// The file that a form is kept in can delete it.
		expect(await patch(writer, { keptIn: 'site' })).toBe(403);
		expect(await patch(deleter, { keptIn: 'site' })).toBe(200);
		expect(await patch(writer, { keptIn: 'site', name: 'Again' })).toBe(200);
		expect(await patch(writer, { keptIn: null })).toBe(403);
		const kept = { name: 'x', keptIn: 'site' };
		expect((await server.call('POST /api/forms', { key: writer, json: kept })).status).toBe(403);
	});
});

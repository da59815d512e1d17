/** Forms that open, close and fill up: what those who send to them are told, by which response, and what pages may know before. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, readAnswer, type TestServer } from '../../server.ts';

const NOON = Date.UTC(2027, 0, 31, 12);
const iso = (ms: number) => new Date(ms).toISOString();

let clock = NOON;
let server: TestServer;

beforeAll(async () => {
	server = await openTestServer({ now: () => clock, settings: { FORMSRV_RATE_SUBMIT: '0' } });
});
afterAll(() => server.close());

async function makeForm(settings: object): Promise<{ id: string; slug: string }> {
	clock = NOON;
	return server.createForm({ name: 'Contact', ...settings });
}

const count = async (id: string) =>
	(await server.call<{ submissionCount: number }>(`GET /api/forms/${id}`)).body.submissionCount;

async function statusOf(slug: string, headers: Record<string, string> = {}) {
	return readAnswer<Record<string, unknown>>(await fetch(`${server.submitUrl}/f/${slug}/status`, { headers }));
}

test('a form opens and closes at its moments, to the millisecond', async () => {
	const { slug } = await makeForm({ opensAt: iso(NOON), closesAt: iso(NOON + 1000) });
	const at = async (ms: number) => {
		clock = ms;
		const { status, body } = await server.submit(slug, { a: 1 });
		return status === 200 ? 'stored' : `${status} ${body.code}`;
	};
	expect(await at(NOON - 1)).toBe('403 FORM_NOT_OPEN');
	expect(await at(NOON)).toBe('stored');
	expect(await at(NOON + 999)).toBe('stored');
	expect(await at(NOON + 1000)).toBe('403 FORM_CLOSED');
});

test('without words of the owner a sentence says when it opens', async () => {
	const { slug } = await makeForm({ opensAt: '2027-02-01T10:30:00+01:00' });
	const { body } = await server.submit(slug, { a: 1 });
	expect(body.message).toBe('This form is not open yet. It opens on 1 Feb 2027, 09:30 UTC.');
});

test('that moment is told in the time zone of the form, else in that of the server', async () => {
	const { config } = server.app;
	const { timeZone } = config;
	// As a reload of the settings does.
	config.timeZone = 'America/Havana';
	const { slug } = await makeForm({ opensAt: '2027-02-01T04:30:00Z' });
	const own = await makeForm({ opensAt: '2027-02-01T04:30:00Z', timeZone: 'Asia/Kathmandu' });
	try {
		expect((await statusOf(slug)).body.message).toEndWith('31 Jan 2027, 23:30 GMT-5.');
		expect((await statusOf(own.slug)).body.message).toEndWith('1 Feb 2027, 10:15 GMT+5:45.');
	} finally {
		config.timeZone = timeZone;
	}
});

describe('a full form', () => {
	test('says so to programs, pages and clients of Formspree, and stores no more', async () => {
		const { id, slug } = await makeForm({
			maxSubmissions: 2,
			closedText: 'All seats are taken.\nSee you <next> year!',
		});
		expect((await server.submit(slug, { a: 1 })).status).toBe(200);
		expect((await server.submit(slug, { a: 2, _gotcha: 'robot' })).status).toBe(200);
		expect((await server.submit(slug, { a: 3 })).status).toBe(200);
		const json = await server.submit(slug, { a: 4 });
		expect([json.status, json.body.code, json.body.message]).toEqual([
			403,
			'FORM_FULL',
			'All seats are taken.\nSee you <next> year!',
		]);
		const formspree = await server.submit(slug, { a: 4 }, { 'Formspree-Client': 'x' });
		expect(formspree.body).toMatchObject({ errors: [{ code: 'INACTIVE', message: json.body.message }] });
		const page = await fetch(`${server.submitUrl}/f/${slug}`, {
			method: 'POST',
			body: new URLSearchParams({ a: '4' }),
		});
		const html = await page.text();
		expect(page.status).toBe(403);
		expect(html).toContain('All seats are taken.\nSee you &lt;next&gt; year!');
		expect(html).not.toContain('another way');
		expect(await count(id)).toBe(2);
	});

	test('has a place again once one is spam or deleted', async () => {
		const { id, slug } = await makeForm({ maxSubmissions: 1 });
		const send = async () => (await server.submit(slug, { a: 1 })).status;
		expect([await send(), await send()]).toEqual([200, 403]);
		const newest = async () =>
			(await server.call<{ submissions: { id: string }[] }>(`GET /api/forms/${id}/submissions`)).body.submissions[0]
				?.id;
		await server.call(`PATCH /api/forms/${id}/submissions/${await newest()}`, { json: { isSpam: true } });
		expect([await send(), await send()]).toEqual([200, 403]);
		await server.call(`DELETE /api/forms/${id}/submissions/${await newest()}`);
		expect([await send(), await send()]).toEqual([200, 403]);
		await server.call(`PATCH /api/forms/${id}`, { json: { maxSubmissions: null } });
		expect([await send(), await send()]).toEqual([200, 200]);
	});

	test('takes exactly as many of thousands at once', async () => {
		const { id, slug } = await makeForm({ maxSubmissions: 77 });
		const statuses: number[] = [];
		let next = 0;
		const sender = async () => {
			while (next++ < 3000) statuses.push((await server.submit(slug, { next })).status);
		};
		await Promise.all(Array.from({ length: 100 }, sender));
		expect(statuses.filter((status) => status === 200)).toHaveLength(77);
		expect(new Set(statuses)).toEqual(new Set([200, 403]));
		expect(await count(id)).toBe(77);
	}, 30_000);
});

test('what was accepted before is repeated with success, whether the form is full or closed by now', async () => {
	const { id, slug } = await makeForm({ maxSubmissions: 1, closesAt: iso(NOON + 1000) });
	const send = (a: number, key: string) => server.submit(slug, { a }, { 'Idempotency-Key': key });
	expect((await send(1, 'first')).status).toBe(200);
	expect((await send(1, 'first')).status).toBe(200);
	expect((await send(2, 'second')).body.code).toBe('FORM_FULL');
	clock = NOON + 1000;
	expect((await send(1, 'first')).status).toBe(200);
	expect((await send(2, 'second')).body.code).toBe('FORM_CLOSED');
	expect((await send(2, 'first')).status).toBe(409);
	expect(await count(id)).toBe(1);
});

test('the same of a form that is paused by now', async () => {
	const { id, slug } = await makeForm({});
	const send = (a: number, key: string) => server.submit(slug, { a }, { 'Idempotency-Key': key });
	expect((await send(1, 'first')).status).toBe(200);
	await server.call(`PATCH /api/forms/${id}`, { json: { isActive: false } });
	expect((await send(1, 'first')).status).toBe(200);
	expect((await send(1, 'second')).body.code).toBe('FORM_DISABLED');
	expect(await count(id)).toBe(1);
});

test('a paused form says the words of its owner too, and a file is not kept', async () => {
	const { slug } = await makeForm({ isActive: false, closedText: 'On holiday.' });
	expect((await server.submit(slug, { a: 1 })).body).toMatchObject({ code: 'FORM_DISABLED', message: 'On holiday.' });
});

describe('the status', () => {
	test('tells pages of any origin whether the form takes submissions, and no numbers', async () => {
		const { slug } = await makeForm({ opensAt: iso(NOON), closesAt: iso(NOON + 1000), maxSubmissions: 1 });
		const moments = { opensAt: iso(NOON), closesAt: iso(NOON + 1000) };
		const open = await statusOf(slug, { Origin: 'https://a.example' });
		expect(open.body).toEqual({ open: true, code: null, message: null, ...moments, full: false });
		expect(open.headers.get('Access-Control-Allow-Origin')).toBe('*');
		expect(open.headers.get('Cache-Control')).toBe('no-store');
		clock = NOON - 1;
		expect((await statusOf(slug)).body).toMatchObject({ open: false, code: 'FORM_NOT_OPEN', ...moments });
		clock = NOON;
		await server.submit(slug, { a: 1 });
		const message = 'This form is full.';
		expect((await statusOf(slug)).body).toEqual({ open: false, code: 'FORM_FULL', message, ...moments, full: true });
		clock = NOON + 1000;
		expect((await statusOf(slug)).body).toMatchObject({ open: false, code: 'FORM_CLOSED', full: true });
	});

	test('says the words of the owner, on the base too, and 404 without a form', async () => {
		const { slug } = await makeForm({ isActive: false, closedText: 'On holiday.' });
		const atBase = await fetch(`${server.baseUrl}/api/f/${slug}/status`);
		expect(await atBase.json()).toMatchObject({ open: false, code: 'FORM_DISABLED', message: 'On holiday.' });
		expect((await statusOf('none')).body.code).toBe('FORM_NOT_FOUND');
		const preflight = await fetch(`${server.submitUrl}/f/${slug}/status`, { method: 'OPTIONS' });
		expect(preflight.headers.get('Access-Control-Allow-Methods')).toBe('GET, OPTIONS');
		expect((await fetch(`${server.submitUrl}/f/${slug}/status`, { method: 'POST' })).status).toBe(405);
	});
});

describe('the settings', () => {
	const patch = async (id: string, json: object) =>
		server.call<{ errors?: unknown }>(`PATCH /api/forms/${id}`, { json });

	test('are stored in UTC, can be sent back as they were read, and cleared', async () => {
		const { id } = await makeForm({
			opensAt: '2027-01-31T10:00:00+02:00',
			maxSubmissions: 5,
			closedText: ' Bye.\r\nSee you ',
		});
		const { body } = await server.call<Record<string, unknown>>(`GET /api/forms/${id}`);
		expect(body).toMatchObject({
			opensAt: '2027-01-31T08:00:00.000Z',
			closesAt: null,
			maxSubmissions: 5,
			closedText: 'Bye.\nSee you',
		});
		expect((await patch(id, body)).body).toEqual(body);
		const cleared = { opensAt: null, closesAt: null, maxSubmissions: null, closedText: null };
		expect((await patch(id, cleared)).body).toMatchObject(cleared);
	});

	test.each([
		[{ opensAt: 'tomorrow' }, 'opensAt', 'opensAt must be a moment with its zone, such as 2027-01-31T09:00:00Z.'],
		[
			{ closesAt: '2027-01-31T09:00:00' },
			'closesAt',
			'closesAt must be a moment with its zone, such as 2027-01-31T09:00:00Z.',
		],
		[{ maxSubmissions: 0 }, 'maxSubmissions', 'maxSubmissions must be a whole number from 1 to 1000000000.'],
		[{ closedText: 'x'.repeat(1001) }, 'closedText', 'closedText must be a text of 1 to 1000 characters.'],
		[{ closedText: 'a\u0007b' }, 'closedText', 'closedText must be a text of 1 to 1000 characters.'],
	])('number %# is refused by the name of the field', async (settings, field, message) => {
		const { id } = await makeForm({});
		const { status, body } = await patch(id, settings);
		expect([status, body.errors]).toEqual([400, [{ field, code: expect.any(String), message }]]);
	});

	test('cannot close a form before it opens, whichever of the two is sent', async () => {
		const { id } = await makeForm({ opensAt: iso(NOON) });
		const { status, body } = await patch(id, { closesAt: iso(NOON) });
		expect([status, body.errors]).toEqual([
			400,
			[
				{
					field: 'closesAt',
					code: 'INVALID_DATE',
					message: `closesAt must be later than opensAt, which is ${iso(NOON)}.`,
				},
			],
		]);
		expect((await patch(id, { opensAt: null, closesAt: iso(NOON) })).status).toBe(200);
	});
});

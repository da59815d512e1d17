/** Section 8 of the interface: the bounds of the list, and the limits that it leaves to the server. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, readAnswer, type TestServer } from '../server.ts';
import type { ErrorBody, FormBody, ListBody } from './wire.ts';

const MEBIBYTE = 1024 * 1024;

let server: TestServer;
let form: FormBody;

beforeAll(async () => {
	server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '200', FORMSRV_RATE_API: '120' } });
	form = await server.createForm<FormBody>({ name: 'Contact' });
	await Promise.all(Array.from({ length: 101 }, (_, index) => server.submit(form.slug, { index })));
});
afterAll(() => server.close());

const list = (query: string) => server.call<ListBody>(`GET /api/forms/${form.id}/submissions${query}`);

describe('the list of submissions', () => {
	test('has 50 at a time, from the first, by default', async () => {
		const { body } = await list('');
		expect(body.submissions).toHaveLength(50);
		expect(body.pagination).toEqual({ limit: 50, offset: 0, total: 101, hasMore: true });
	});

	test.each([
		['1', 1],
		['100', 100],
		['101', 100],
		['1000000', 100],
		['99999999999999999999', 100],
		['0', 1],
		['-5', 1],
	])('with limit=%s shows the applied limit %i', async (limit, applied) => {
		const { status, body } = await list(`?limit=${limit}`);
		expect([status, body.pagination.limit, body.submissions.length]).toEqual([200, applied, applied]);
	});

	test.each(['1.5', '0x10', '%2010', '', '1e1', 'ten', '1&limit=2'])('refuses limit=%s', async (limit) => {
		expect((await list(`?limit=${limit}`)).status).toBe(400);
		expect((await list(`?offset=${limit.replace('limit', 'offset')}`)).status).toBe(400);
	});
});

describe('a submission', () => {
	const send = async (body: BodyInit, contentType = 'application/json') =>
		readAnswer<ErrorBody>(
			await fetch(`${server.submitUrl}/f/${form.slug}`, {
				method: 'POST',
				headers: { 'Content-Type': contentType, Accept: 'application/json' },
				body,
			}),
		);
	const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]));
	const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
	const named = (bytes: number) => JSON.stringify({ ['n'.repeat(bytes)]: 1 });
	const sized = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - 8) });

	test.each([
		['1 MiB of body', () => sized(MEBIBYTE), () => sized(MEBIBYTE + 1)],
		['1,000 fields', () => JSON.stringify(fields(1000)), () => JSON.stringify(fields(1001))],
		['a name of 256 bytes', () => named(256), () => named(257)],
		['a depth of 32', () => nested(32), () => nested(33)],
	])('has at most %s', async (_, fits, exceeds) => {
		expect((await send(fits())).status).toBe(200);
		const { status, body } = await send(exceeds());
		expect([status, body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
		expect(body.error).toMatch(/\d/);
	});

	test('has at most 1 MiB of text in a multipart body, however many fields it is in', async () => {
		const part = (bytes: number) => `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(bytes)}\r\n`;
		const post = (...parts: string[]) => send(`${parts.join('')}--b--\r\n`, 'multipart/form-data; boundary=b');
		expect((await post(part(MEBIBYTE))).status).toBe(200);
		expect((await post(...new Array(512).fill(part(2048)))).status).toBe(200);
		for (const body of [[part(MEBIBYTE + 1)], new Array(513).fill(part(2048)), [part(24 * MEBIBYTE)]]) {
			const { status, body: refusal } = await post(...body);
			expect([status, refusal.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
			expect(refusal.error).toBe('The text fields of a multipart body may have at most 1048576 bytes together.');
		}
	});

	test('has at most 25 MiB of multipart body, files included', async () => {
		const file = (bytes: number) =>
			`--b\r\nContent-Disposition: form-data; name="cv"; filename="cv.pdf"\r\n\r\n${'x'.repeat(bytes)}\r\n--b--\r\n`;
		const refusal = async (bytes: number) => (await send(file(bytes), 'multipart/form-data; boundary=b')).body.code;
		expect(await refusal(24 * MEBIBYTE)).toBe('FILE_TOO_LARGE');
		expect(await refusal(25 * MEBIBYTE)).toBe('PAYLOAD_TOO_LARGE');
	});
});

test('a submission may be kept with at most twice as many characters, escapes included, as it may have bytes', async () => {
	const narrow = await openTestServer({ settings: { FORMSRV_MAX_BODY: '100KiB' } });
	const { slug } = await narrow.app.forms.create('live', { name: 'Contact' });
	const send = (value: string) =>
		fetch(`${narrow.submitUrl}/f/${slug}`, {
			method: 'POST',
			headers: { 'Content-Type': 'multipart/form-data; boundary=b', Accept: 'application/json' },
			body: `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${value}\r\n--b--`,
		});
	expect((await send('"'.repeat(100_000))).status).toBe(200);
	const refused = await send('\0'.repeat(100_000));
	const { code, error } = (await refused.json()) as ErrorBody;
	expect([refused.status, code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
	expect(error).toContain('204800 characters');
	await narrow.close();
});

test('a body may be as large as the operator allows', async () => {
	const roomy = await openTestServer({ settings: { FORMSRV_MAX_BODY: '80MiB' } });
	const { slug } = await roomy.app.forms.create('live', { name: 'Contact' });
	const send = () => roomy.submit(slug, { a: 'x'.repeat(70 * MEBIBYTE) }, { 'Idempotency-Key': 'large' });
	let { status } = await send();
	// A busy disk may keep the database from responding in time: then the outcome is unknown, and the same key is sent again.
	while (status === 500) ({ status } = await send());
	expect(status).toBe(200);
	await roomy.close();
}, 180_000);

describe('rates', () => {
	test('are reported and, once used up, return 429 and Retry-After', async () => {
		let answer = await server.submit(form.slug, { a: 'b' });
		expect(answer.headers.get('RateLimit-Limit')).toBe('200');
		for (let left = Number(answer.headers.get('RateLimit-Remaining')); left >= 0; left--) {
			answer = await server.submit(form.slug, { a: 'b' });
		}
		expect([answer.status, answer.body.code]).toEqual([429, 'RATE_LIMITED']);
		expect(Number(answer.headers.get('Retry-After'))).toBeWithin(1, 61);
		expect(answer.headers.get('RateLimit-Remaining')).toBe('0');
		expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
	});

	test('of one form are not those of another', async () => {
		const other = await server.createForm<FormBody>({ name: 'Other' });
		expect((await server.submit(other.slug, { a: 'b' })).status).toBe(200);
	});

	test('of one address hold for all forms together', async () => {
		const settings = { FORMSRV_RATE_SUBMIT: '3', FORMSRV_RATE_ADDRESS: '5' };
		const narrow = await openTestServer({ settings });
		const slugs = await Promise.all(
			['A', 'B', 'C'].map(async (name) => (await narrow.app.forms.create('live', { name })).slug),
		);
		const statuses: number[] = [];
		for (const slug of [...slugs, ...slugs]) statuses.push((await narrow.submit(slug, { a: 'b' })).status);
		expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
		const refused = await narrow.submit(slugs[0] as string, { a: 'b' });
		expect([refused.body.code, refused.headers.get('RateLimit-Limit')]).toEqual(['RATE_LIMITED', '5']);
		await narrow.close();
	});

	test('of a form, from all addresses, send what is beyond to spam and lose nothing', async () => {
		const narrow = await openTestServer({ settings: { FORMSRV_RATE_FORM: '3' } });
		const form = await narrow.app.forms.create('live', { name: 'A', notificationEmail: 'owner@example.com' });
		const other = await narrow.app.forms.create('live', { name: 'B' });
		const post = (slug: string, index: number, extra = {}) =>
			narrow.submit(slug, { index, ...extra }, { 'X-Forwarded-For': `203.0.113.${index}` });
		for (let index = 0; index < 5; index++) expect((await post(form.slug, index, { _gotcha: 'x' })).status).toBe(200);
		for (let index = 0; index < 5; index++) expect((await post(form.slug, index)).status).toBe(200);
		expect((await post(other.slug, 9)).status).toBe(200);
		const counts = await Promise.all([form, other].map(async ({ id }) => narrow.app.forms.get(id)));
		expect(counts.map(({ submissionCount, spamCount }) => [submissionCount, spamCount])).toEqual([
			[3, 7],
			[1, 0],
		]);
		const { body } = await narrow.call<ListBody>(`GET /api/forms/${form.id}/submissions?filter=spam`);
		const reasons = body.submissions.map((one) => (one as unknown as { spamReason: string }).spamReason);
		expect(Object.groupBy(reasons, (reason) => reason)).toMatchObject({
			flood: { length: 2 },
			honeypot: { length: 5 },
		});
		const { body: mails } = await narrow.call<{ deliveries: { lastError: string | null }[] }>(
			`GET /api/forms/${form.id}/deliveries?limit=100`,
		);
		expect(mails.deliveries.filter(({ lastError }) => lastError === 'The submission is spam')).toHaveLength(7);
		await narrow.close();
	});

	test('count the requests of each API key', async () => {
		const key = await server.createKey();
		let answer = await server.call<ErrorBody>('GET /api/forms', { key });
		expect(answer.headers.get('RateLimit-Limit')).toBe('120');
		for (let left = Number(answer.headers.get('RateLimit-Remaining')); left >= 0; left--) {
			answer = await server.call<ErrorBody>('GET /api/forms', { key });
		}
		expect([answer.status, answer.body.code]).toEqual([429, 'RATE_LIMITED']);
		expect(Number(answer.headers.get('Retry-After'))).toBeWithin(1, 61);
		expect((await server.call('GET /api/forms')).status).toBe(200);
	});
});

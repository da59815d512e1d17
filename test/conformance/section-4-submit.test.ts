/** Section 4 of the interface: the submission endpoint, the same at both addresses. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, readAnswer, type TestServer } from '../server.ts';
import type { ErrorBody, FormBody, ListBody } from './wire.ts';

let server: TestServer;

beforeAll(async () => {
	server = await openTestServer();
});
afterAll(() => server.close());

const createForm = (json: object = {}) => server.createForm<FormBody>({ name: 'Contact', ...json });

async function lastData({ id }: FormBody): Promise<unknown> {
	const { body } = await server.call<ListBody>(`GET /api/forms/${id}/submissions?limit=1`);
	return body.submissions[0]?.data;
}

describe.each([
	['{base_url}/api/f/{slug}', () => `${server.baseUrl}/api/f`],
	['{submit_url}/f/{slug}', () => `${server.submitUrl}/f`],
])('POST %s', (_, prefix) => {
	const post = async (form: FormBody, body: BodyInit, headers: Record<string, string> = {}) =>
		readAnswer<ErrorBody>(
			await fetch(`${prefix()}/${form.slug}`, { method: 'POST', body, headers, redirect: 'manual' }),
		);
	const json = { 'Content-Type': 'application/json' };
	const urlencoded = { 'Content-Type': 'application/x-www-form-urlencoded' };
	const prefersJson = { Accept: 'application/json' };

	test('takes a JSON object that fetch sends as text, and says in JSON what is wrong with it', async () => {
		const form = await createForm();
		const text = { 'Content-Type': 'text/plain;charset=UTF-8' };
		expect((await post(form, '{"name":"Ann"}', { ...text, ...prefersJson })).status).toBe(200);
		expect(await lastData(form)).toEqual({ name: 'Ann' });
		expect(await post(form, '{"name":', text)).toMatchObject({ status: 400, body: { code: 'INVALID_BODY' } });
		expect(await post(form, 'name=Ann', { ...text, ...prefersJson })).toMatchObject({
			status: 415,
			body: { code: 'UNSUPPORTED_MEDIA_TYPE' },
		});
	});

	test.each(['false', '0', '{}', '[]', '[""]', '" "'])('keeps it as spam if _gotcha is %s', async (value) => {
		const form = await createForm();
		expect((await post(form, `{"a":1,"_gotcha":${value}}`, { ...json, ...prefersJson })).status).toBe(200);
		const { body } = await server.call<ListBody>(`GET /api/forms/${form.id}/submissions?filter=spam`);
		expect(body.pagination.total).toBe(1);
	});

	test('takes a JSON object of any fields', async () => {
		const form = await createForm();
		const data = { name: 'Ann', tags: ['a', 'b'], age: 41, nested: { deep: true } };
		expect((await post(form, JSON.stringify(data), { ...json, ...prefersJson })).status).toBe(200);
		expect(await lastData(form)).toEqual(data);
	});

	test('takes multipart/form-data', async () => {
		const form = await createForm();
		const body = new FormData();
		body.append('name', 'Ann');
		body.append('tag', 'a');
		body.append('tag', 'b');
		expect((await post(form, body, prefersJson)).status).toBe(200);
		expect(await lastData(form)).toEqual({ name: 'Ann', tag: ['a', 'b'] });
	});

	test('takes what a plain HTML form sends', async () => {
		const form = await createForm();
		const body = new URLSearchParams([
			['name', 'Ann & Bob'],
			['x', 'ü+ %'],
		]);
		expect((await post(form, body)).status).toBe(303);
		expect(await lastData(form)).toEqual({ name: 'Ann & Bob', x: 'ü+ %' });
	});

	test('returns 200 with success and message to Accept: application/json', async () => {
		const form = await createForm({ redirectUrl: 'https://example.com/ok' });
		const { status, headers, body } = await post(form, '{"a":"b","_next":"https://example.com/n"}', {
			...json,
			...prefersJson,
		});
		expect([status, body as unknown]).toEqual([200, { success: true, message: 'Form submitted successfully' }]);
		expect(headers.get('Content-Type')).toStartWith('application/json');
	});

	test.each(['', '*/*', 'text/html', 'text/html,application/xhtml+xml,*/*;q=0.8'])(
		'redirects with Accept: %s',
		async (accept) => {
			const form = await createForm();
			const { status } = await post(form, '{"a":"b"}', { ...json, Accept: accept });
			expect(status).toBe(303);
		},
	);

	test('redirects to _next first, then to the form’s redirectUrl, then to the thank-you page', async () => {
		const withUrl = await createForm({ redirectUrl: 'https://example.com/ok' });
		const next = await post(withUrl, '{"a":"b","_next":"https://example.com/next"}', json);
		expect([next.status, next.headers.get('Location')]).toEqual([303, 'https://example.com/next']);
		const configured = await post(withUrl, '{"a":"b"}', json);
		expect([configured.status, configured.headers.get('Location')]).toEqual([303, 'https://example.com/ok']);
		const standard = await post(await createForm(), '{"a":"b"}', json);
		expect(standard.status).toBe(303);
		const page = await fetch(new URL(standard.headers.get('Location') ?? '', prefix()));
		expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
		expect(await page.text()).toContain('<h1>Thank you</h1>');
	});

	test.each(['javascript:alert(1)', 'https://user:pass@evil.example/', 'data:text/html,x', '/relative', ' '])(
		'skips the unusable _next %j and keeps the submission',
		async (next) => {
			const form = await createForm({ redirectUrl: 'https://example.com/ok' });
			const { headers } = await post(form, JSON.stringify({ a: 'b', _next: next }), json);
			expect(headers.get('Location')).toBe('https://example.com/ok');
			expect(await lastData(form)).toEqual({ a: 'b' });
		},
	);

	test('keeps a form that is restricted to domains for their pages', async () => {
		const form = await createForm({ allowedDomains: ['example.com'] });
		const from = (headers: Record<string, string>) => post(form, '{"a":"b"}', { ...json, ...prefersJson, ...headers });
		for (const headers of [
			{ Origin: 'https://example.com' },
			{ Origin: 'http://www.example.com:8080' },
			{ Origin: 'null', Referer: 'https://example.com/contact' },
		] as Record<string, string>[]) {
			expect((await from(headers)).status).toBe(200);
		}
		for (const headers of [
			{},
			{ Origin: 'null' },
			{ Origin: 'https://example.com.evil.example' },
			{ Origin: 'https://notexample.com' },
			{ Referer: 'https://evil.example/?https://example.com' },
		] as Record<string, string>[]) {
			const { status, body } = await from(headers);
			expect([status, body.code]).toEqual([403, 'DOMAIN_NOT_ALLOWED']);
		}
	});

	test('allows pages of any origin, without credentials', async () => {
		const form = await createForm();
		const preflight = await fetch(`${prefix()}/${form.slug}`, {
			method: 'OPTIONS',
			headers: {
				Origin: 'https://example.com',
				'Access-Control-Request-Method': 'POST',
				'Access-Control-Request-Headers': 'content-type,idempotency-key',
			},
		});
		expect(preflight.status).toBe(204);
		expect(preflight.headers.get('Access-Control-Allow-Methods')).toContain('POST');
		expect(preflight.headers.get('Access-Control-Allow-Headers')?.toLowerCase()).toContain('idempotency-key');
		const refused = await post(form, '{', { ...json, Origin: 'https://example.com' });
		for (const headers of [preflight.headers, refused.headers]) {
			expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
			expect(headers.get('Access-Control-Allow-Credentials')).toBeNull();
		}
	});

	test('names the origin to pages of a restricted form, in every response', async () => {
		const form = await createForm({ allowedDomains: ['example.com'] });
		const own = 'https://www.example.com';
		const foreign = 'https://evil.example';
		const ask = (method: string, headers: Record<string, string>) =>
			fetch(`${prefix()}/${form.slug}`, { method, headers, redirect: 'manual' });
		const answers = [
			await ask('OPTIONS', { Origin: own }),
			await ask('GET', { Origin: own, Accept: 'text/html' }),
			await ask('GET', { Origin: own, Accept: 'application/json' }),
			await ask('DELETE', { Origin: own }),
			await ask('POST', { Origin: own }),
			await post(form, 'a=b', { ...urlencoded, Origin: own }),
			await post(form, 'a=b', { ...urlencoded, Origin: own, ...prefersJson }),
			await post(form, 'a=b', { ...urlencoded, Origin: foreign }),
		];
		expect(answers.map(({ status }) => status)).toEqual([204, 405, 405, 405, 400, 303, 200, 403]);
		for (const { headers, status } of answers) {
			expect(headers.get('Access-Control-Allow-Origin')).toBe(status === 403 ? foreign : own);
			expect(headers.get('Vary')?.split(', ')).toContain('Origin');
		}
	});

	test('stores once what is sent twice under one Idempotency-Key', async () => {
		const form = await createForm();
		const key = { ...json, ...prefersJson, 'Idempotency-Key': 'a-key' };
		const first = await post(form, '{"a":"b"}', key);
		const second = await post(form, '{"a":"b"}', key);
		expect([second.status, second.text]).toEqual([first.status, first.text]);
		const other = await post(form, '{"a":"c"}', key);
		expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
		expect((await server.call<FormBody>(`GET /api/forms/${form.id}`)).body.submissionCount).toBe(1);
	});

	test('knows a multipart body again that is sent anew, with another boundary, under one Idempotency-Key', async () => {
		const form = await createForm();
		const send = (value: string) => {
			const body = new FormData();
			body.append('a', value);
			return post(form, body, { ...prefersJson, 'Idempotency-Key': 'a-key' });
		};
		expect([(await send('b')).status, (await send('b')).status, (await send('c')).status]).toEqual([200, 200, 409]);
		expect((await server.call<FormBody>(`GET /api/forms/${form.id}`)).body.submissionCount).toBe(1);
	});

	test('finds the form whatever the case of the slug, and with a slash behind it', async () => {
		const form = await createForm();
		for (const spelling of [form.slug.toUpperCase(), `${form.slug}/`]) {
			expect((await post({ ...form, slug: spelling }, '{"a":"b"}', { ...json, ...prefersJson })).status).toBe(200);
		}
	});

	test('stores files, and their names among the fields', async () => {
		const form = await createForm();
		const body = new FormData();
		body.append('name', 'Ann');
		body.append('cv', new File(['my life'], 'cv.txt'));
		expect((await post(form, body, prefersJson)).status).toBe(200);
		expect(await lastData(form)).toEqual({ name: 'Ann', cv: 'cv.txt' });
	});

	test('takes a form whose file field was left empty', async () => {
		const form = await createForm();
		const body = new FormData();
		body.append('name', 'Ann');
		body.append('cv', new File([], ''));
		expect((await post(form, body, prefersJson)).status).toBe(200);
	});
});

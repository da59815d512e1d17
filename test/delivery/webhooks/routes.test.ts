import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, type TestServer } from '../../server.ts';

interface WebhookAnswer {
	id: string;
	secret?: string;
	isActive: boolean;
	code?: string;
	error?: string;
}

const URL_OF_ONE = 'https://hooks.example.com/a';

let server: TestServer;
let formId: string;

beforeAll(async () => {
	server = await openTestServer();
	formId = (await server.createForm<{ id: string }>({ name: 'Contact' })).id;
});
afterAll(() => server.close());

const create = (json: unknown = { url: URL_OF_ONE }) =>
	server.call<WebhookAnswer>(`POST /api/forms/${formId}/webhooks`, { json });

test('a webhook is made, listed, read, changed and removed', async () => {
	const made = await create();
	expect(made.status).toBe(201);
	const { secret, ...webhook } = made.body;
	expect(secret).toStartWith('whsec_');
	const path = `/api/forms/${formId}/webhooks/${webhook.id}` as const;
	expect(made.headers.get('location')).toBe(path);
	expect((await server.call(`GET /api/forms/${formId}/webhooks`)).body).toEqual({ webhooks: [webhook] });
	expect((await server.call(`GET ${path}`)).body).toEqual(webhook);
	const changed = await server.call<WebhookAnswer>(`PATCH ${path}`, { json: { ...webhook, isActive: false } });
	expect([changed.status, changed.body]).toEqual([200, { ...webhook, isActive: false }]);
	const rotated = await server.call<WebhookAnswer>(`POST ${path}/rotate-secret`);
	expect(rotated.status).toBe(200);
	expect(rotated.body.secret).toStartWith('whsec_');
	expect(rotated.body.secret).not.toBe(secret as string);
	const removed = await server.call(`DELETE ${path}`);
	expect([removed.status, removed.body]).toEqual([200, { success: true }]);
	expect((await server.call<WebhookAnswer>(`DELETE ${path}`)).body.code).toBe('NOT_FOUND');
});

test('a test event to a private address is rejected with a reason', async () => {
	const { body } = await create({ url: 'http://localhost:9999/' });
	const result = await server.call(`POST /api/forms/${formId}/webhooks/${body.id}/test`);
	expect(result.status).toBe(200);
	expect(result.body).toMatchObject({
		delivered: false,
		status: null,
		error: expect.stringContaining('is not a public address'),
	});
});

describe('every route', () => {
	const routes = () =>
		[
			`GET /api/forms/${formId}/webhooks`,
			`POST /api/forms/${formId}/webhooks`,
			`GET /api/forms/${formId}/webhooks/x`,
			`PATCH /api/forms/${formId}/webhooks/x`,
			`DELETE /api/forms/${formId}/webhooks/x`,
			`POST /api/forms/${formId}/webhooks/x/rotate-secret`,
			`POST /api/forms/${formId}/webhooks/x/test`,
		] as const;

	test('asks for a key, and for admin', async () => {
		const limited = await server.createKey({ permissions: ['read', 'write', 'delete'] });
		const ofForm = await server.createKey({ form: formId });
		for (const route of routes()) {
			expect((await server.call(route, { key: null })).status).toBe(401);
			expect((await server.call(route, { key: limited })).status).toBe(403);
			expect((await server.call(route, { key: ofForm })).status).toBe(403);
		}
	});

	test('knows no form of the other mode, whatever the body', async () => {
		const key = await server.createKey({ mode: 'test' });
		for (const route of routes()) {
			const { status, body } = await server.call<WebhookAnswer>(route, { key });
			expect([route, status, body.code]).toEqual([route, 404, 'FORM_NOT_FOUND']);
		}
	});
});

describe('a body is rejected', () => {
	test.each<[unknown, string]>([
		[{}, 'url'],
		[{ url: 5 }, 'url'],
		[{ url: 'ftp://example.com' }, 'url'],
		[{ url: 'http://10.0.0.1/' }, 'url'],
		[{ url: URL_OF_ONE, events: ['form.deleted'] }, 'events.0'],
		[{ url: URL_OF_ONE, events: 'submission.created' }, 'events'],
		[{ url: URL_OF_ONE, isActive: 'yes' }, 'isActive'],
		[{ url: URL_OF_ONE, secret: 'whsec_mine' }, 'secret'],
	])('%j, naming %s', async (json, field) => {
		const { status, body } = await server.call<{ errors: { field: string }[] }>(`POST /api/forms/${formId}/webhooks`, {
			json,
		});
		expect(status).toBe(400);
		expect(body.errors.map((error) => error.field)).toEqual([field]);
	});

	test('that has a number of its own which would lose digits; others are kept', async () => {
		const headers = { Authorization: `Bearer ${server.adminKey}`, 'Content-Type': 'application/json' };
		const post = async (numbers: string) => {
			const body = `{"url":"${URL_OF_ONE}","format":"custom","body":{"a":["x",{"b":[${numbers}]}]}}`;
			return (await fetch(`${server.baseUrl}/api/forms/${formId}/webhooks`, { method: 'POST', headers, body })).json();
		};
		for (const number of ['9007199254740993', '-12345678901234567890', '1e400', '0.12345678901234567890'])
			expect(await post(`1,${number}`)).toMatchObject({
				code: 'VALIDATION_ERROR',
				errors: [{ field: 'body.a.1.b.1', code: 'TOO_MANY_DIGITS', message: expect.stringContaining('or a text') }],
			});
		const numbers = [9007199254740991, -9007199254740991, 0.1, 1e-9];
		expect(await post(numbers.join())).toMatchObject({ body: { a: ['x', { b: numbers }] } });
	});
});

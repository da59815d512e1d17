/** Section 7 of the interface: it leaves errors open; ours have one shape everywhere, and pages for browsers. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, readAnswer, type TestServer } from '../server.ts';
import type { ErrorBody, FormBody } from './wire.ts';

let server: TestServer;
let form: FormBody;
let closed: FormBody;

beforeAll(async () => {
	server = await openTestServer();
	form = await server.createForm<FormBody>({ name: 'Contact' });
	closed = await server.createForm<FormBody>({ name: 'Closed', isActive: false });
});
afterAll(() => server.close());

function expectEnvelope(body: ErrorBody, headers: Headers): void {
	expect(body.error).toMatch(/^\S.*[.)]$/s);
	expect(body.code).toMatch(/^[A-Z_]+$/);
	expect(body.requestId).toBe(headers.get('X-Request-Id') ?? '');
	for (const member of Object.keys(body)) {
		expect(['error', 'code', 'errors', 'requestId', 'success', 'message']).toContain(member);
	}
}

describe('an error of the management API', () => {
	test.each([
		[401, 'UNAUTHORIZED', () => server.call<ErrorBody>('GET /api/forms', { key: null })],
		[404, 'FORM_NOT_FOUND', () => server.call<ErrorBody>('GET /api/forms/zzz')],
		[404, 'NOT_FOUND', () => server.call<ErrorBody>('GET /api/nothing')],
		[405, 'METHOD_NOT_ALLOWED', () => server.call<ErrorBody>('PUT /api/forms')],
		[400, 'VALIDATION_ERROR', () => server.call<ErrorBody>('POST /api/forms', { json: {} })],
		[400, 'VALIDATION_ERROR', () => server.call<ErrorBody>(`GET /api/forms/${form.id}/submissions?limit=ten`)],
		[409, 'SLUG_TAKEN', () => server.call<ErrorBody>('POST /api/forms', { json: { name: 'X', slug: form.slug } })],
	])('%i has the envelope with the code %s', async (status, code, call) => {
		const answer = await call();
		expect([answer.status, answer.body.code]).toEqual([status, code]);
		expectEnvelope(answer.body, answer.headers);
		expect(answer.body).not.toContainAnyKeys(['success', 'message']);
	});

	test('400 for a body that is no JSON object', async () => {
		for (const body of ['{', '', '[]', 'null', '"x"', '{"name":"a"} x', '{"a":'.repeat(100_000)]) {
			const response = await fetch(`${server.baseUrl}/api/forms`, {
				method: 'POST',
				headers: { Authorization: `Bearer ${server.adminKey}`, 'Content-Type': 'application/json' },
				body,
			});
			const answer = await readAnswer<ErrorBody>(response);
			expect(answer.status).toBe(400);
			expectEnvelope(answer.body, answer.headers);
		}
	});

	test('405 says which methods there are', async () => {
		const { headers } = await server.call('PUT /api/forms');
		expect(headers.get('Allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'POST']);
	});

	test('stays JSON, whatever Accept says', async () => {
		const { headers } = await server.call('GET /api/nothing', { headers: { Accept: 'text/html' } });
		expect(headers.get('Content-Type')).toStartWith('application/json');
	});
});

describe('an error of the submission endpoint', () => {
	interface Rejection {
		slug: string;
		body?: BodyInit;
		headers?: Record<string, string>;
		method?: string;
	}
	const refusals: [number, string, () => Rejection][] = [
		[404, 'FORM_NOT_FOUND', () => ({ slug: 'nothing-here' })],
		[404, 'FORM_NOT_FOUND', () => ({ slug: '%00' })],
		[404, 'FORM_NOT_FOUND', () => ({ slug: '%zz' })],
		[404, 'FORM_NOT_FOUND', () => ({ slug: '%ff' })],
		[404, 'FORM_NOT_FOUND', () => ({ slug: form.slug.replace('c', '%63') })],
		[405, 'METHOD_NOT_ALLOWED', () => ({ slug: form.slug, method: 'DELETE' })],
		[403, 'FORM_DISABLED', () => ({ slug: closed.slug })],
		[415, 'UNSUPPORTED_MEDIA_TYPE', () => ({ slug: form.slug, headers: { 'Content-Type': 'application/xml' } })],
		[415, 'UNSUPPORTED_MEDIA_TYPE', () => ({ slug: form.slug, headers: { 'Content-Encoding': 'gzip' } })],
		[400, 'INVALID_BODY', () => ({ slug: form.slug, body: '{"a":' })],
		[400, 'INVALID_BODY', () => ({ slug: form.slug, body: '[1]' })],
		[400, 'EMPTY_SUBMISSION', () => ({ slug: form.slug, body: '{}' })],
	];

	const send = async ({ slug, body = '{"a":"b"}', headers, method = 'POST' }: Rejection, accept: string) =>
		readAnswer<ErrorBody>(
			await fetch(`${server.submitUrl}/f/${slug}`, {
				method,
				body,
				headers: { 'Content-Type': 'application/json', ...headers, Accept: accept },
				redirect: 'manual',
			}),
		);

	test.each(refusals)('%i has the envelope with the code %s, success and message', async (status, code, refusal) => {
		const answer = await send(refusal(), 'application/json');
		expect([answer.status, answer.body.code]).toEqual([status, code]);
		expectEnvelope(answer.body, answer.headers);
		expect(answer.body).toMatchObject({ success: false, message: answer.body.error });
		expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
	});

	test('is JSON as well if the body was', async () => {
		const answer = await send({ slug: form.slug, body: '{' }, '*/*');
		expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_BODY']);
	});

	test('is a page with the same status for a browser', async () => {
		const response = await fetch(`${server.submitUrl}/f/${closed.slug}`, {
			method: 'POST',
			body: new URLSearchParams({ a: 'b' }),
			headers: { Accept: 'text/html', Referer: 'https://example.com/contact' },
		});
		const page = await response.text();
		expect([response.status, response.headers.get('Content-Type')]).toEqual([403, 'text/html; charset=utf-8']);
		expect(response.headers.get('Content-Security-Policy')).toStartWith("default-src 'none'");
		expect(page).toContain('FORM_DISABLED');
		expect(page).toContain(response.headers.get('X-Request-Id') ?? 'missing');
		expect(page).toContain('href="https://example.com/contact"');
	});

	test('405 shows a browser how to post to the form', async () => {
		const response = await fetch(`${server.submitUrl}/f/${form.slug}`, { headers: { Accept: 'text/html' } });
		expect([response.status, response.headers.get('Allow')]).toEqual([405, 'OPTIONS, POST']);
		expect(await response.text()).toContain(`action=&quot;${server.submitUrl}/f/${form.slug}&quot;`);
	});
});

describe('anything else', () => {
	test('is 404 at both addresses, as a page for browsers', async () => {
		for (const address of [server.baseUrl, server.submitUrl]) {
			const json = await readAnswer<ErrorBody>(await fetch(`${address}/nothing`));
			expect([json.status, json.body.code]).toEqual([404, 'NOT_FOUND']);
			const page = await fetch(`${address}/nothing`, { headers: { Accept: 'text/html' } });
			expect([page.status, page.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
		}
	});

	test('has a request id, good or bad', async () => {
		const ids = await Promise.all(
			['/health', '/nothing', '/thanks'].map(async (path) =>
				(await fetch(server.submitUrl + path)).headers.get('X-Request-Id'),
			),
		);
		expect(new Set(ids).size).toBe(3);
		expect(ids).not.toContain(null);
	});
});

/** No management operation takes a query parameter that the API document does not name; the public ones ignore their query. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Form } from '../../src/forms/schema.ts';
import type { ApiDocument } from '../../src/http/openapi-document.ts';
import { openTestServer, type TestServer } from '../server.ts';

interface Operation {
	tags: string[];
	parameters?: { in: string; name: string }[];
	responses: Record<string, object>;
}
interface Rejection {
	code: string;
	error: string;
	errors: { field: string; code: string }[];
}

const PUBLIC = /^(?:(?:\/api)?\/f\/|\/files\/|\/health$|\/ready$)/;

let server: TestServer;
let form: Form;
let operations: { path: string; method: string; operation: Operation }[];

beforeAll(async () => {
	server = await openTestServer({ settings: { FORMSRV_RATE_API: '0' } });
	form = await server.createForm<Form>({ name: 'Contact', slug: 'contact' });
	const { body } = await server.call<ApiDocument>('GET /api/openapi.json');
	operations = Object.entries(body.paths).flatMap(([path, { servers: _, ...item }]) =>
		Object.entries(item).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
	);
});
afterAll(() => server.close());

const isPublic = ({ path }: { path: string }) => PUBLIC.test(path);
const addressOf = (path: string) =>
	path
		.replace('{id}', path.startsWith('/api/forms/') ? form.id : '0')
		.replace('{slug}', 'contact')
		.replaceAll(/\{\w+\}/g, '0');

describe('an unknown parameter', () => {
	test('is rejected by every management operation, which names it and those that it has', async () => {
		const managing = operations.filter((one) => !isPublic(one));
		expect(managing.length).toBeGreaterThan(45);
		for (const { path, method, operation } of managing) {
			const route = `${method.toUpperCase()} ${addressOf(path)}?unknown=1` as `GET /${string}`;
			const { status, body } = await server.call<Rejection>(route, method === 'post' ? { json: {} } : {});
			const outcome = {
				route,
				status,
				code: body?.code,
				errors: body?.errors?.map(({ field, code }) => `${field} ${code}`),
			};
			expect(outcome).toEqual({ route, status: 400, code: 'VALIDATION_ERROR', errors: ['unknown UNKNOWN_PARAMETER'] });
			const known = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
			expect(body.error).toEndWith(known.length === 0 ? 'There are none.' : `Known are: ${known.join(', ')}.`);
			expect(operation.responses).toHaveProperty('400');
		}
		// Nothing was done.
		expect((await server.call<{ forms: Form[] }>('GET /api/forms')).body.forms.map(({ id }) => id)).toEqual([form.id]);
	});

	test('is ignored by public operations', async () => {
		for (const { path, method } of operations.filter(isPublic)) {
			const base = path.startsWith('/f/') ? server.submitUrl : server.baseUrl;
			const ask = async (query: string) => {
				const json = method === 'post' && {
					headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
					body: '{"a":1}',
				};
				const { status, body } = await fetch(`${base}${addressOf(path)}${query}`, { method, ...json });
				await body?.cancel();
				return status;
			};
			expect([path, await ask('?unknown=1&filter=spam')]).toEqual([path, await ask('')]);
		}
	});

	test('does not matter to the pages of the dashboard and of the API', async () => {
		for (const path of ['/', '/docs', '/api/openapi.json']) {
			expect((await fetch(`${server.baseUrl}${path}?utm_source=mail`)).status).toBe(200);
		}
	});

	test('is not told of without the key that may use the operation', async () => {
		const key = await server.createKey({ permissions: ['write'] });
		const route = `GET /api/forms/${form.id}/submissions?unknown=1` as const;
		expect((await server.call(route, { key: null })).status).toBe(401);
		expect((await server.call(route, { key })).status).toBe(403);
		expect((await server.call(`PUT /api/forms/${form.id}?unknown=1`)).status).toBe(405);
	});

	test('is named as it was sent, beside others, whatever its spelling', async () => {
		const { body } = await server.call<Rejection>(
			'GET /api/deliveries?stat=failed&STATE=sent&state=sent&stat=sent&=1&%22=2',
		);
		expect(body.errors.map(({ field }) => field)).toEqual(['stat', 'STATE', '', '"']);
		expect(body.error).toBe('The parameter "stat" is not known here. Known are: state, channel, limit, offset, form.');
		const head = await fetch(`${server.baseUrl}/api/forms/${form.id}/submissions?filtre=spam`, {
			method: 'HEAD',
			headers: { Authorization: `Bearer ${server.adminKey}` },
		});
		expect(head.status).toBe(400);
	});
});

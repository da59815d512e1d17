import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Form } from '../../src/forms/schema.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { until } from '../until.ts';

let server: TestServer;
let form: Form;

beforeAll(async () => {
	server = await openTestServer();
	form = await server.createForm<Form>({ name: 'Contact' });
});
afterAll(() => server.close());

interface Page {
	submissions: { data: { name: string } }[];
	fields: string[];
	pagination: { total: number; hasMore: boolean };
}

const search = (query: string) => server.call<Page>(`GET /api/forms/${form.id}/submissions?${query}`);

test('a running server finds what was submitted, in the shape of the list', async () => {
	for (const name of ['Ada Lovelace', 'Grace Hopper', 'Ada Yonath']) await server.submit(form.slug, { name });
	const page = await until(() => search('search=ada&limit=1'), { isSo: ({ body }) => body.pagination.total >= 2 });
	expect(page.body).toMatchObject({
		submissions: [{ data: { name: 'Ada Yonath' } }],
		fields: ['name'],
		pagination: { limit: 1, offset: 0, total: 2, hasMore: true },
	});
	expect((await search('search=ada&limit=1&offset=1')).body).toMatchObject({
		submissions: [{ data: { name: 'Ada Lovelace' } }],
		pagination: { total: 2, hasMore: false },
	});
	expect((await search('search=ada%20love&order=asc')).body.pagination.total).toBe(1);
	expect((await search('search=%20')).status).toBe(400);
	expect((await search('search=%22%20OR%20a*')).body.pagination.total).toBe(0);
});

test('until is the counterpart of since, and a date alone includes its day', async () => {
	const today = new Date().toISOString().slice(0, 10);
	const total = async (query: string) => (await search(query)).body.pagination.total;
	expect(await total(`since=${today}&until=${today}`)).toBe(3);
	expect(await total('until=2020-01-01')).toBe(0);
	expect(await total(`until=${today}T00:00:00Z`)).toBe(0);
	expect(await total(`until=${today}&search=grace`)).toBe(1);
});

test('a search that is too long is rejected by name', async () => {
	const { status, body } = await server.call<{ errors: { field: string }[] }>(
		`GET /api/forms/${form.id}/submissions?search=${'x'.repeat(201)}`,
	);
	expect({ status, field: body.errors[0]?.field }).toEqual({ status: 400, field: 'search' });
});

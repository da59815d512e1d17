/** Pages of large submissions: as whole and as exact as those of small ones. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { connect } from 'node:net';
import type { ListBody } from '../conformance/wire.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { until } from '../until.ts';

interface Form {
	id: string;
	slug: string;
}

setDefaultTimeout(60_000);

let server: TestServer;

beforeAll(async () => {
	server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '0' } });
});
afterAll(() => server.close());

const createForm = () => server.createForm<Form>({ name: 'Contact' });

/** Submits texts one after the other. */
async function submitAll({ slug }: Form, texts: readonly string[]): Promise<void> {
	for (const [number, text] of texts.entries()) {
		expect((await server.submit(slug, { number, text })).status).toBe(200);
	}
}

const list = async ({ id }: Form, query: string) =>
	(await server.call<ListBody>(`GET /api/forms/${id}/submissions?${query}`)).body;
const numbersIn = ({ submissions }: ListBody) => submissions.map(({ data }) => data.number as number);
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

// First, because the search index follows all submissions in their order.
test('texts of every size come back as they were sent, on pages, in searches and alone', async () => {
	const form = await createForm();
	const sizes = [0, 6, 16_000, 16_400, 100_000, 262_200];
	const texts = sizes.flatMap((size) => ['x', '"\\\n', 'é', '你'].map((text) => `findme ${text.repeat(size / 6)}`));
	await submitAll(form, texts);
	await untilFound(form, texts.length);
	for (const query of [
		'limit=100',
		'limit=100&filter=unread',
		'limit=7',
		'limit=100&search=findme',
		'limit=7&search=findme',
	]) {
		const { submissions, pagination } = await list(form, `order=asc&${query}`);
		expect(submissions.map(({ data }) => data.text)).toEqual(texts.slice(0, pagination.limit));
		expect(pagination.total).toBe(texts.length);
	}
	const { submissions } = await list(form, 'limit=12');
	for (const submission of submissions) {
		const path = `/api/forms/${form.id}/submissions/${submission.id}` as const;
		expect((await server.call<unknown>(`GET ${path}`)).body).toEqual(submission);
		const { body } = await server.call<unknown>(`PATCH ${path}`, { json: { isStarred: true } });
		expect(body).toEqual({ ...submission, isStarred: true });
	}
});

async function untilFound(form: Form, count: number): Promise<void> {
	await until(async () => (await list(form, 'search=findme&limit=1')).pagination.total >= count);
}

test('of 60 submissions of 400 kB pages of 50 show 50 and 10', async () => {
	const form = await createForm();
	await submitAll(form, new Array(60).fill('x'.repeat(400_000)));
	const first = await list(form, 'order=asc&limit=50');
	expect(numbersIn(first)).toEqual(upTo(50));
	expect(first.pagination).toEqual({ limit: 50, offset: 0, total: 60, hasMore: true });
	expect(first.fields).toEqual(['number', 'text']);
	const second = await list(form, 'order=asc&limit=50&offset=50');
	expect(numbersIn(second)).toEqual(upTo(60).slice(50));
	expect(second.pagination).toEqual({ limit: 50, offset: 50, total: 60, hasMore: false });
	expect(numbersIn(await list(form, 'limit=100'))).toEqual(upTo(60).reverse());
});

test('a submission removed during the response is left out, and the page stays valid', async () => {
	const form = await createForm();
	await submitAll(form, new Array(40).fill('x'.repeat(900_000)));
	const { submissions } = await list(form, 'order=asc&limit=100');
	const url = `${server.baseUrl}/api/forms/${form.id}/submissions?order=asc&limit=100`;
	const response = await fetch(url, { headers: { Authorization: `Bearer ${server.adminKey}` } });
	const reader = (response.body as ReadableStream<Uint8Array>).getReader();
	const pieces = [(await reader.read()).value as Uint8Array];
	for (const number of [38, 39]) {
		await server.call(`DELETE /api/forms/${form.id}/submissions/${submissions[number]?.id}`);
	}
	for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value);
	const page = JSON.parse(Buffer.concat(pieces).toString()) as ListBody;
	expect(numbersIn(page)).toEqual(upTo(38));
	expect(page.pagination.total).toBe(40);
	await reader.cancel();
});

test('neither a HEAD request nor a client that disconnects keeps a turn', async () => {
	const form = await createForm();
	await submitAll(form, new Array(20).fill('x'.repeat(900_000)));
	const path = `/api/forms/${form.id}/submissions` as const;
	const headers = { Authorization: `Bearer ${server.adminKey}` };
	for (let i = 0; i < 10; i++) {
		expect((await fetch(server.baseUrl + path, { method: 'HEAD', headers })).status).toBe(200);
	}
	for (let i = 0; i < 10; i++) {
		const { hostname, port } = new URL(server.baseUrl);
		const socket = connect(Number(port), hostname);
		const begun = new Promise((resolve) => socket.once('data', resolve));
		socket.write(
			`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${server.adminKey}\r\n\r\n`,
		);
		await begun;
		socket.destroy();
	}
	expect(numbersIn(await list(form, ''))).toHaveLength(20);
});

test('more concurrent requests than a key may have wait for their turn', async () => {
	const form = await createForm();
	await submitAll(form, new Array(10).fill('x'.repeat(300_000)));
	const pages = await Promise.all(upTo(20).map(() => list(form, '')));
	expect(pages.map((page) => page.submissions.length)).toEqual(new Array(20).fill(10));
});

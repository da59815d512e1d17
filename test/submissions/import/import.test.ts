import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Form } from '../../../src/forms/schema.ts';
import { encodeId, IDS_PER_MILLISECOND } from '../../../src/ids.ts';
import type { Permission } from '../../../src/storage/tables.ts';
import type { ImportReport } from '../../../src/submissions/import/schema.ts';
import { isOnPostgres } from '../../engine.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { until } from '../../until.ts';

interface Row {
	id: string;
	data: Record<string, unknown>;
	createdAt: string;
	isRead: boolean;
	isSpam: boolean;
	spamReason?: string;
}
interface Report extends ImportReport {
	errors?: { field: string; message: string }[];
}

let server: TestServer;
let form: Form;

beforeAll(async () => {
	server = await openTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
	form = await newForm();
});

const newForm = async (more = {}) => await server.createForm<Form>({ name: 'Contact', ...more });
interface Sending {
	query?: string;
	to?: Pick<Form, 'id'>;
	key?: string;
	type?: string;
}

const send = async (lines: readonly unknown[], { query = '', to = form, key, type }: Sending = {}) => {
	const body = lines.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n');
	const response = await fetch(`${server.baseUrl}/api/forms/${to.id}/import${query}`, {
		method: 'POST',
		headers: { Authorization: `Bearer ${key ?? server.adminKey}`, 'Content-Type': type ?? 'application/x-ndjson' },
		body,
	});
	return { status: response.status, body: (await response.json()) as Report };
};
const list = async (query = '', of = form) => {
	const path = `GET /api/forms/${of.id}/submissions?order=asc&limit=100&${query}` as const;
	return (await server.call<{ submissions: Row[]; pagination: { total: number } }>(path)).body;
};
const line = <More>(n: number, more = {} as More) => ({
	data: { n },
	createdAt: new Date(Date.UTC(2024, 0, 1) + n * 1000).toISOString(),
	...more,
});

describe('POST /api/forms/{id}/import', () => {
	test('stores submissions with their times and flags, once', async () => {
		const lines = [
			line(3, { isRead: true }),
			line(1, { isStarred: true }),
			line(2, { isSpam: true, spamReason: 'flood' }),
		];
		expect((await send(lines)).body).toMatchObject({ imported: 3, known: 0, bad: 0 });
		expect((await send(lines)).body).toMatchObject({ imported: 0, known: 3, bad: 0 });
		const { submissions } = await list();
		expect(submissions).toMatchObject([
			{ data: { n: 1 }, createdAt: '2024-01-01T00:00:01.000Z', isRead: false, isStarred: true },
			{ data: { n: 3 }, createdAt: '2024-01-01T00:00:03.000Z', isRead: true, isSpam: false },
		]);
		expect((await list('filter=spam')).submissions).toMatchObject([{ data: { n: 2 }, spamReason: 'flood' }]);
	});

	test('leaves out and names what is no submission, and stores the rest', async () => {
		const good = Array.from({ length: 250 }, (_, n) => line(n));
		const bads = [
			'{"data":',
			{ data: { a: 1 } },
			{ createdAt: '2024-01-01' },
			line(1, { createdAt: '1969-12-31T23:59:59Z' }),
			line(1, { createdAt: new Date(Date.now() + 60_000).toISOString() }),
			line(1, { createdAt: '30.02.2024' }),
			line(1, { isRead: 'yes' }),
			line(1, { colour: 'red' }),
			line(1, { data: null }),
			line(1, { data: [1] }),
			line(1, { data: 'a' }),
			line(1, { spamReasons: [{ rule: 'flood', points: 1e308, detail: '' }] }),
		];
		const { status, body } = await send([...good, ...bads]);
		expect([status, body.imported, body.bad]).toEqual([200, 250, bads.length]);
		expect(body.problems.map((one) => one.line)).toEqual(bads.map((_, i) => 251 + i));
		expect(body.problems.map(({ problem }) => problem)).toMatchObject(
			[
				/JSON is not valid/,
				/no time/,
				/no fields|required/i,
				/before 1970/,
				/ahead of the clock/,
				/none such as/,
				/isRead must be true or false/,
				/"colour" is not known/,
				...Array(3).fill(/^data must be an object\.$/),
				/^spamReasons\.0\.points must be a number from -1000 to 1000\.$/,
			].map((pattern) => expect.stringMatching(pattern)),
		);
	});

	test('ends at more than 5 % of these, with nothing stored of so few', async () => {
		const { status, body } = await send([...Array.from({ length: 90 }, (_, n) => line(n)), ...Array(10).fill('no')]);
		expect(status).toBe(400);
		expect(body.errors?.[0]).toMatchObject({ field: 'line 91' });
		expect((await list()).pagination.total).toBe(0);
	});

	test('ends at the share that its caller names', async () => {
		const lines = [...Array.from({ length: 90 }, (_, n) => line(n)), ...Array(10).fill('no')];
		expect((await send(lines, { query: '?maxBad=9' })).status).toBe(400);
		expect((await send(lines, { query: '?maxBad=10' })).body).toMatchObject({ imported: 90, bad: 10 });
		expect((await send(lines, { query: '?maxBad=ten' })).status).toBe(400);
	});

	test('takes the file of a field with NUL in its name, as the endpoint does', async () => {
		const file = { id: '1', field: 'a\0', name: 'a.txt', type: 'text/plain', size: 1, sha256: 'a'.repeat(64) };
		const { body } = await send([line(1, { data: { 'a\0': 'a.txt' }, files: [file] })]);
		expect(body).toMatchObject({ imported: 1, bad: 0 });
		const [stored] = (await list()).submissions;
		expect(stored).toMatchObject({ data: { 'a\0': 'a.txt' }, files: [{ field: isOnPostgres ? 'a\ufffd' : 'a\0' }] });
	});

	test('a time that is missing is that of the import only on demand', async () => {
		expect((await send([{ data: { a: 1 } }])).status).toBe(400);
		const before = Date.now();
		expect((await send([{ data: { a: 1 } }], { query: '?timeNow=true' })).body.imported).toBe(1);
		const at = Date.parse((await list()).submissions[0]?.createdAt ?? '');
		expect(at).toBeGreaterThan(before - 60_000);
		// A moment that is not over on every server would have to be waited for, at each request of a long file.
		expect(at).toBeLessThan(before - 3500);
	});

	test('a dry run stores nothing', async () => {
		expect((await send([line(1)], { query: '?dryRun=true' })).body.imported).toBe(1);
		expect((await list()).pagination.total).toBe(0);
	});

	test('an export goes in unchanged, and not again where it came from', async () => {
		await fetch(`${server.submitUrl}/f/${form.slug}`, {
			method: 'POST',
			headers: { 'Content-Type': 'application/json' },
			body: '{"amount":1.10,"big":123456789012345678901234567890,"名":"é\\u0000","o":{"a":[1e400]}}',
			redirect: 'manual',
		});
		await server.submit(form.slug, { n: 2, _gotcha: 'x' });
		await Bun.sleep(5);
		const exported = async (of: Form) => {
			const part = async (filter: string) =>
				(await server.call(`GET /api/forms/${of.id}/export?format=ndjson&order=asc&filter=${filter}`)).text;
			return (await part('all')) + (await part('spam'));
		};
		const text = await exported(form);
		expect((await send([text])).body).toMatchObject({ imported: 0, known: 2 });
		const other = await newForm();
		expect((await send([text], { to: other })).body).toMatchObject({ imported: 2, bad: 0 });
		const withoutIds = (all: string) => all.replace(/"id":"\w+",/g, '');
		expect(withoutIds(await exported(other))).toBe(withoutIds(text));
	});

	test('submissions of an export that agree in time and fields stay as many, whether their ids are free or not', async () => {
		const firstId = IDS_PER_MILLISECOND * Date.parse(line(7777).createdAt);
		const alike = Array.from({ length: 250 }, (_, i) => line(7777, { id: encodeId(firstId + i), note: `${i}` }));
		const notes = async (of: Form) => {
			const query = 'format=ndjson&order=asc';
			const { text } = await server.call(`GET /api/forms/${of.id}/export?${query}`);
			return text
				.split('\n')
				.filter(Boolean)
				.map((one) => JSON.parse(one).note);
		};
		const copy = await newForm();
		for (const to of [form, copy]) {
			expect((await send(alike.slice(0, 120), { to })).body).toMatchObject({ imported: 120, known: 0 });
			expect((await send(alike, { to })).body).toMatchObject({ imported: 130, known: 120 });
			expect((await send(alike.toReversed(), { to })).body).toMatchObject({ imported: 0, known: 250 });
			expect(await notes(to)).toEqual(alike.map(({ note }) => note));
		}
		// Without ids they are one, as in the files of other services.
		expect((await send([line(7777), line(7777)])).body).toMatchObject({ imported: 0, known: 2 });
		const third = [alike[0], line(7777), line(7777)];
		expect((await send(third, { to: await newForm() })).body).toMatchObject({ imported: 1, known: 2 });
	});

	test('is bound by nothing that a form asks of visitors, and sends nothing', async () => {
		const bounded = await newForm({ maxSubmissions: 1, notificationEmail: 'a@example.com', isActive: true });
		expect((await send([line(1), line(2), line(3)], { to: bounded })).body.imported).toBe(3);
		const { body } = await server.call<{ deliveries: unknown[] }>(`GET /api/forms/${bounded.id}/deliveries`);
		expect(body.deliveries).toEqual([]);
		expect((await server.submit(bounded.slug, { n: 4 })).status).toBe(403);
	});

	test('who polls by the newest time is shown nothing old', async () => {
		await server.submit(form.slug, { n: 1 });
		const { submissions } = await list();
		await send([line(1), line(2)]);
		expect((await list(`since=${submissions[0]?.createdAt}`)).submissions).toEqual([]);
		expect((await list('since=2024-01-01T00:00:01Z')).submissions.map(({ data }) => data.n)).toEqual([2, 1]);
	});

	test('takes write and read, and a body of lines', async () => {
		for (const permissions of [['write'], ['read'], ['read', 'delete']] as Permission[][]) {
			const key = await server.createKey({ permissions });
			expect((await send([line(1)], { key })).status).toBe(403);
		}
		expect((await send([line(1)], { type: 'application/json' })).status).toBe(415);
		expect((await send([line(1)], { query: '?dryRun=yes' })).status).toBe(400);
		expect((await send([line(1)], { to: { ...form, id: 'abc' } })).status).toBe(404);
	});

	test('ends when its key is revoked: what comes later is not stored', async () => {
		const json = { permissions: ['read', 'write'] };
		const { key, id } = (await server.call<{ key: string; id: string }>('POST /api/keys', { json })).body;
		const linesTo = (from: number, to: number) =>
			Array.from({ length: to - from }, (_, i) => `${JSON.stringify(line(from + i))}\n`).join('');
		const stored = async () => (await list()).pagination.total;
		async function* body() {
			yield Buffer.from(linesTo(0, 250));
			await until(async () => (await stored()) > 0, { everyMs: 5 });
			await server.call(`DELETE /api/keys/${id}`);
			// Keys are checked twice a second.
			await Bun.sleep(600);
			yield Buffer.from(linesTo(250, 600));
		}
		const response = await fetch(`${server.baseUrl}/api/forms/${form.id}/import`, {
			method: 'POST',
			headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' },
			body: body() as unknown as ReadableStream,
		});
		expect(response.status).toBe(401);
		expect(await stored()).toBe(200);
	});

	test('a line beyond the limits of a submission is left out', async () => {
		const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`;
		const lines = [
			`{"createdAt":"2024-01-01","data":${deep}}`,
			line(1, { data: { ['n'.repeat(2000)]: 1 } }),
			`{"createdAt":"2024-01-01","data":{"a":"${'x'.repeat(4 << 20)}"}}`,
			`{"createdAt":"2024-01-01","data":{"a":"${'x'.repeat(2 << 20)}"}}`,
			'{"createdAt":"2024-01-01","data":{"a":1,"a":2}}',
		];
		const { body } = await send([...Array.from({ length: 150 }, (_, n) => line(n)), ...lines]);
		expect([body.imported, body.bad]).toEqual([150, lines.length]);
		expect(body.problems.map((one) => one.line)).toEqual([151, 152, 153, 154, 155]);
	});
});

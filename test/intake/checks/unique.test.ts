/** Fields of which each value may be in one submission: what counts as the same, what visitors are told, and what is stored. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { like } from 'drizzle-orm';
import type { FieldRule } from '../../../src/field-rules/rules.ts';
import { uniqueTexts } from '../../../src/field-rules/unique.ts';
import type { Form } from '../../../src/forms/schema.ts';
import { serverValues } from '../../../src/storage/tables.ts';
import { uniqueValues } from '../../../src/storage/unique-table.ts';
import { openTestServer, readAnswer, type TestServer } from '../../server.ts';
import { until } from '../../until.ts';

let server: TestServer;

beforeAll(async () => {
	server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '0' } });
});
afterAll(() => server.close());

const EMAIL: FieldRule = { name: 'email', type: 'email', label: 'E-mail', unique: true };

const makeForm = (fields: FieldRule[], more: object = {}) => server.createForm<Form>({ name: 'Vote', fields, ...more });

const count = async ({ id }: Form) => (await server.call<Form>(`GET /api/forms/${id}`)).body.submissionCount;
const submissions = async ({ id }: Form, query = '') =>
	(await server.call<{ submissions: { id: string }[] }>(`GET /api/forms/${id}/submissions${query}`)).body.submissions;
const mark = (form: Form, id: string | undefined, isSpam: boolean) =>
	server.call(`PATCH /api/forms/${form.id}/submissions/${id}`, { json: { isSpam } });

async function untilNoneIsDue(): Promise<void> {
	const due = () => server.app.storage.db.select().from(serverValues).where(like(serverValues.name, 'unique-values:%'));
	await until(async () => (await due()).length === 0);
}

const textOf = (rule: Partial<FieldRule>, value: unknown) =>
	uniqueTexts([{ name: 'f', type: 'text', ...rule }], JSON.stringify({ f: value }))[0]?.[1];

test.each<[FieldRule['type'], unknown, unknown]>([
	['email', 'Ada@Example.com', ' ada@example.COM '],
	['text', 'STRASSE', 'straße'],
	['text', 'ΟΔΟΣ', 'οδος'],
	['text', 'Ａｄａ　Ｌ', 'ada l'],
	['text', 'e\u0301', 'é'],
	['text', 'a\u200bda', 'ADA'],
	['tel', '+49 (30) 1234-5', '0049 30 12345'],
	['text', 'a b', 'a \u200b b'],
	['text', 'ab', 'a\ufeffb'],
	['text', 'a b', 'a\tb'],
	['email', 'ada@b\u00fccher.example', 'Ada@xn--bcher-kva.example'],
	['number', '5.0', 5],
	['number', '1', '1.0000000000000000'],
	['number', '0.5', '50000000000000000e-17'],
	['number', '12345678901234567890.50', '1234567890123456789050E-2'],
	['number', 0, '-0.00000000000000000'],
	['date', '2026-01-31', '02026-01-31'],
	['url', 'HTTPS://Example.com', 'https://example.com/'],
	['select', ['Monday'], 'monday'],
])('as a field of type %s, %j is %j', (type, one, other) => {
	expect(textOf({ type }, one)).toBe(textOf({ type }, other) as string);
	expect(textOf({ type }, one)).toBeString();
});

test.each<[FieldRule['type'], string, string]>([
	['text', '{"f":12345678901234567890123}', '{"f":12345678901234567890124}'],
	['number', '{"f":"12345678901234567890123"}', '{"f":"12345678901234567890124"}'],
	['number', '{"f":"12345678901234567890"}', '{"f":"123456789012345678900"}'],
	['number', '{"f":"12345678901234567890"}', '{"f":"-12345678901234567890"}'],
	['email', '{"f":"no address@a/b"}', '{"f":"no address@a/c"}'],
	['url', '{"f":"https://example.com/Ab"}', '{"f":"https://example.com/aB"}'],
	['tel', '{"f":"1-800-FLOWERS"}', '{"f":"1-800-CARDS"}'],
	['email', '{"f":"a@example.com"}', '{"f":"a+1@example.com"}'],
])('as a field of type %s, %s is not %s', (type, one, other) => {
	const rule: FieldRule = { name: 'f', type };
	expect(uniqueTexts([rule], one)[0]?.[1]).not.toBe(uniqueTexts([rule], other)[0]?.[1] as string);
});

test('a number with very many zeros is compared at once', () => {
	const zeros = '0'.repeat(1_000_000);
	expect(textOf({ type: 'number' }, `0.${zeros}1${zeros}`)).toBe(textOf({ type: 'number' }, `0.${zeros}1`) as string);
	expect(textOf({ type: 'number' }, `0.1${zeros}1`)).toBe(`1${zeros}1e-1000002`);
});

test('what is empty, absent or several values is no value', () => {
	for (const value of ['', ' \u200b', null, [], ['a', 'b']]) expect(textOf({}, value)).toBeUndefined();
	expect(uniqueTexts([{ name: '__proto__', type: 'text' }], '{}')).toEqual([]);
});

test('a second submission with the value is rejected with a sentence, in the language of the visitor and for Formspree', async () => {
	const form = await makeForm([EMAIL]);
	expect((await server.submit(form.slug, { email: 'ada@example.com' })).status).toBe(200);
	const { status, body } = await server.submit(form.slug, { email: 'ADA@example.com ' }, { 'Accept-Language': 'de' });
	expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
	expect(body).toMatchObject({
		message: 'Mit dieser Angabe bei „E-mail“ ist schon eine Antwort eingegangen.',
		errors: [{ field: 'email', code: 'NOT_UNIQUE' }],
	});
	const formspree = await server.submit(form.slug, { email: 'ada@example.com' }, { 'Formspree-Client': 'x' });
	expect(formspree.body).toMatchObject({ errors: [{ field: 'email', code: 'NOT_UNIQUE' }] });
	const page = await fetch(`${server.submitUrl}/f/${form.slug}`, {
		method: 'POST',
		headers: { Accept: 'text/html' },
		body: new URLSearchParams({ email: 'ada@example.com', note: 'kept' }),
	});
	expect(page.status).toBe(400);
	expect(await page.text()).toContain('An answer with this “E-mail” has been received already.');
	expect(await count(form)).toBe(1);
	expect(JSON.stringify(await server.app.storage.db.select().from(uniqueValues))).not.toContain('ada@');
	for (let i = 0; i < 2; i++) expect((await server.submit(form.slug, { note: 'no value' })).status).toBe(200);
	const several = await server.submit(form.slug, { email: ['a@example.com', 'b@example.com'] });
	expect(several.body).toMatchObject({
		errors: [{ field: 'email', code: 'INVALID_TYPE', message: '“E-mail” takes one value only.' }],
	});
});

test('keepFirst shows the usual success, with an id, and stores nothing, no file either', async () => {
	const form = await makeForm([{ ...EMAIL, onDuplicate: 'keepFirst' }], { files: {} });
	const send = () => {
		const body = new FormData();
		body.set('email', 'ada@example.com');
		body.set('cv', new File(['text'], 'cv.txt'));
		return fetch(`${server.submitUrl}/f/${form.slug}`, {
			method: 'POST',
			headers: { Accept: 'application/json', 'Idempotency-Key': crypto.randomUUID() },
			body,
		}).then(readAnswer);
	};
	const [first, second] = [await send(), await send()];
	expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
	expect([...second.headers.keys()]).toEqual([...first.headers.keys()]);
	expect(await count(form)).toBe(1);
	expect((await server.call<Form>(`GET /api/forms/${form.id}`)).body.fileBytes).toBeLessThan(8192);
});

test('keepFirst tells those who do not pass the captcha nothing', async () => {
	const form = await makeForm([{ ...EMAIL, onDuplicate: 'keepFirst' }], { captcha: 'altcha' });
	const Authorization = `Bearer ${await server.createKey({ permissions: ['submit'] })}`;
	expect((await server.submit(form.slug, { email: 'ada@example.com' }, { Authorization })).status).toBe(200);
	for (const email of ['ada@example.com', 'bob@example.com']) {
		expect((await server.submit(form.slug, { email })).body.code).toBe('CAPTCHA_REQUIRED');
		expect((await server.submit(form.slug, { email, altcha: 'x' })).body.code).toBe('CAPTCHA_FAILED');
	}
	expect((await server.submit(form.slug, { email: 'ada@example.com' }, { Authorization })).status).toBe(200);
	expect(await count(form)).toBe(1);
});

test('a repeated request with its key gets its first response, and no error', async () => {
	const form = await makeForm([EMAIL]);
	const send = (key: string) =>
		server.submit(form.slug, { email: 'ada@example.com' }, { 'Idempotency-Key': key, Origin: 'https://example.com' });
	const all = await Promise.all(Array.from({ length: 10 }, () => send('one')));
	expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
	expect(new Set(all.map(({ headers }) => headers.get('Formsrv-Submission-Id'))).size).toBe(1);
	expect((await send('two')).status).toBe(400);
	expect(await count(form)).toBe(1);
});

test('with keepFirst too, also once the value is free again, and with other content 409', async () => {
	const form = await makeForm([{ ...EMAIL, onDuplicate: 'keepFirst' }]);
	const send = (key: string, more: object = {}) =>
		server.submit(form.slug, { email: 'ada@example.com', ...more }, { 'Idempotency-Key': key });
	const idOf = async (key: string) => (await send(key)).headers.get('Formsrv-Submission-Id') ?? '';
	const ids = await Promise.all(['one', 'two'].map(idOf));
	expect(await count(form)).toBe(1);
	for (const key of ['one', 'two'])
		expect(await send(key, { other: 1 })).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
	const [kept] = await submissions(form);
	await server.call(`DELETE /api/forms/${form.id}/submissions/${kept?.id}`);
	expect(await Promise.all(['one', 'two'].map(idOf))).toEqual(ids);
	expect(await count(form)).toBe(0);
});

test('of a hundred visitors at the same instant one wins, and spam and robots take nothing', async () => {
	const form = await makeForm([EMAIL]);
	expect((await server.submit(form.slug, { email: 'ada@example.com', _gotcha: 'x' })).status).toBe(200);
	const all = await Promise.all(
		Array.from({ length: 100 }, () => server.submit(form.slug, { email: 'ada@example.com' })),
	);
	expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
	expect(all.filter(({ body }) => body.code === 'VALIDATION_ERROR')).toHaveLength(99);
	const [won] = await submissions(form);
	await mark(form, won?.id, true);
	expect((await server.submit(form.slug, { email: 'ada@example.com' })).status).toBe(200);
	expect((await mark(form, won?.id, false)).status).toBe(200);
	for (const { id } of await submissions(form)) await server.call(`DELETE /api/forms/${form.id}/submissions/${id}`);
	const [robot] = await submissions(form, '?filter=spam');
	await mark(form, robot?.id, false);
	expect((await server.submit(form.slug, { email: 'ada@example.com' })).status).toBe(400);
});

test('submissions from before the rule count too, a moment after it is saved; tests do not', async () => {
	const form = await makeForm([{ ...EMAIL, unique: false }]);
	for (const email of ['ada@example.com', 'ada@example.com', 'bob@example.com'])
		await server.submit(form.slug, { email });
	const { body: test } = await server.call<{ token: string }>(`POST /api/forms/${form.id}/test-token`);
	await server.submit(form.slug, { email: 'owner@example.com' }, { Authorization: `Bearer ${test.token}` });
	const { status } = await server.call(`PATCH /api/forms/${form.id}`, { json: { fields: [EMAIL] } });
	expect(status).toBe(200);
	await untilNoneIsDue();
	expect((await server.submit(form.slug, { email: 'bob@example.com' })).status).toBe(400);
	expect((await server.submit(form.slug, { email: 'Ada@example.com' })).status).toBe(400);
	expect((await server.submit(form.slug, { email: 'owner@example.com' })).status).toBe(200);
});

test('submissions that are imported count too, a moment after', async () => {
	const form = await makeForm([EMAIL]);
	const lines = ['ada@example.com', 'Ada@example.com', 'bob@example.com'].map((email, n) =>
		JSON.stringify({ data: { email }, createdAt: `2024-01-01T00:00:0${n}Z` }),
	);
	const response = await fetch(`${server.baseUrl}/api/forms/${form.id}/import`, {
		method: 'POST',
		headers: { Authorization: `Bearer ${server.adminKey}`, 'Content-Type': 'application/x-ndjson' },
		body: lines.join('\n'),
	});
	expect([response.status, await response.json()]).toMatchObject([200, { imported: 3 }]);
	await untilNoneIsDue();
	for (const email of ['ada@example.com', 'bob@example.com'])
		expect((await server.submit(form.slug, { email })).status).toBe(400);
});

test('rules that cannot be are rejected by name', async () => {
	const faults = async (fields: object[]) => {
		const { status, body } = await server.call<{ errors: { field: string }[] }>('POST /api/forms', {
			json: { name: 'x', fields },
		});
		expect(status).toBe(400);
		return body.errors.map(({ field }) => field);
	};
	const rule = (name: string, type = 'text') => ({ name, type, unique: true });
	expect(await faults([rule('a', 'file'), rule('b', 'checkbox')])).toEqual(['fields.0.unique', 'fields.1.unique']);
	expect(await faults([rule('a'), rule('b'), rule('c')])).toEqual(['fields.2.unique']);
	expect(await faults([{ name: 'a', type: 'text', onDuplicate: 'refuse' }])).toEqual(['fields.0.onDuplicate']);
});

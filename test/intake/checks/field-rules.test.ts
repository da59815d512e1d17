/** Field rules through the real server: what is rejected and how it is said, what is dropped, and nothing changed. */

import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { FieldRule, UnknownFields } from '../../../src/field-rules/rules.ts';
import type { AliasName } from '../../../src/form-values/aliases.ts';
import { openTestServer, readAnswer } from '../../server.ts';

setDefaultTimeout(20_000);

const RULES: FieldRule[] = [
	{ name: 'name', type: 'text', label: 'Your name', required: true, maxLength: 20 },
	{ name: 'email', type: 'email', label: 'Your e-mail', required: true },
	{ name: 'topic', type: 'select', options: ['Sales', 'Help'] },
];
const GOOD = { name: 'Ann', email: 'ann@example.com' };

interface Rejected {
	success: boolean;
	error: string;
	code: string;
	errors: { field: string; code: string; message: string }[];
}

const server = await openTestServer();
afterAll(() => server.close());

let slug: string;
let id: string;
let count = 0;

interface Settings {
	fields?: FieldRule[] | null;
	unknownFields?: UnknownFields;
	captcha?: 'altcha';
	aliases?: AliasName[];
}

async function open(settings: Settings = {}) {
	count++;
	const form = await server.app.forms.create('live', {
		name: `Rules ${count}`,
		slug: `rules-${count}`,
		fields: RULES,
		...settings,
	});
	({ slug, id } = form);
}

beforeEach(() => open());

async function post(body: BodyInit, headers: Record<string, string> = { Accept: 'application/json' }) {
	const response = await fetch(`${server.submitUrl}/f/${slug}`, { method: 'POST', body, headers, redirect: 'manual' });
	return readAnswer<Rejected>(response);
}

const urlencoded = (text: string) =>
	post(text, {
		'Content-Type': 'application/x-www-form-urlencoded',
		Accept: 'application/json',
	});

interface Stored {
	data: Record<string, unknown>;
	meta: unknown;
	isSpam: boolean;
	files: { field: string }[];
}

async function stored(filter = 'all'): Promise<Stored[]> {
	const list = await server.call<{ submissions: Stored[] }>(`GET /api/forms/${id}/submissions?filter=${filter}`);
	return list.body.submissions;
}

describe('a submission that breaks rules', () => {
	test('is rejected with every field at fault, and not stored', async () => {
		const { status, body } = await urlencoded('email=ann&topic=Other&name=');
		expect(status).toBe(400);
		expect(body).toMatchObject({
			success: false,
			code: 'VALIDATION_ERROR',
			error: '3 fields need to be corrected.',
			errors: [
				{ field: 'name', code: 'REQUIRED', message: 'Please fill in “Your name”.' },
				{ field: 'email', code: 'INVALID_EMAIL' },
				{ field: 'topic', code: 'NOT_AN_OPTION' },
			],
		});
		expect(await stored()).toEqual([]);
	});

	test('says what is wrong at once if it is one field', async () => {
		const { body } = await urlencoded('name=Ann&email=ann');
		expect(body.error).toBe(body.errors[0]?.message as string);
	});

	test('is rejected for the digits of a JSON number as they would be stored', async () => {
		const json = `{"email": "ann@example.com", "name": 1.${'0'.repeat(19)}}`;
		const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
		expect((await post(json, headers)).body.errors).toMatchObject([{ field: 'name', code: 'TOO_LONG' }]);
		expect((await post(json.replace('00', '0'), headers)).status).toBe(200);
	});

	test('is stored as spam if it filled in the honeypot: a robot sees the usual success', async () => {
		expect((await urlencoded('_gotcha=x&email=ann')).status).toBe(200);
		expect(await stored('spam')).toMatchObject([{ data: { email: 'ann' } }]);
	});

	test('need not have a field that is special to the form', async () => {
		await server.app.forms.update(id, { input: { spam: { honeypot: ['name'] } } });
		expect((await urlencoded('email=ann%40example.com')).status).toBe(200);
	});

	test('is held against the rule of a special field that is stored too', async () => {
		const rule: FieldRule = { name: 'subject', type: 'text', maxLength: 5 };
		await open({ aliases: ['web3forms'], fields: [rule], unknownFields: 'refuse' });
		expect((await server.submit(slug, { subject: 'Hello', access_key: 'x' })).status).toBe(200);
		expect(await server.submit(slug, { subject: 'Hello there' })).toMatchObject({
			status: 400,
			body: { errors: [{ field: 'subject', code: 'TOO_LONG' }] },
		});
	});

	test('is told of them before a captcha is asked for', async () => {
		await open({ captcha: 'altcha' });
		expect((await urlencoded('name=Ann')).body.code).toBe('VALIDATION_ERROR');
		expect((await urlencoded('name=Ann&email=a@b.example')).body.code).toBe('CAPTCHA_REQUIRED');
	});

	test('has Formspree’s codes for Formspree’s clients', async () => {
		const { body } = await post('name=&email=ann', {
			'Content-Type': 'application/x-www-form-urlencoded',
			Accept: 'application/json',
			'Formspree-Client': '@formspree/core@4',
		});
		expect(body.errors).toMatchObject([
			{ field: 'name', code: 'REQUIRED_FIELD_EMPTY' },
			{ field: 'email', code: 'TYPE_EMAIL' },
		]);
	});
});

describe('a submission that keeps to the rules', () => {
	test.each([
		['urlencoded', 'application/x-www-form-urlencoded', 'name=Ann&email=+ann%40example.com+&topic=Help&topic=Sales'],
		['JSON', 'application/json', '{"name":"Ann","email":" ann@example.com ","topic":["Help","Sales"]}'],
	])('is stored as it was sent: %s', async (_, type, body) => {
		expect((await post(body, { 'Content-Type': type, Accept: 'application/json' })).status).toBe(200);
		expect(await stored()).toMatchObject([
			{ data: { name: 'Ann', email: ' ann@example.com ', topic: ['Help', 'Sales'] }, meta: null },
		]);
	});

	test('may have other fields, unless the form says otherwise', async () => {
		expect((await server.submit(slug, { ...GOOD, other: 'x' })).status).toBe(200);
		expect((await stored())[0]?.data).toEqual({ ...GOOD, other: 'x' });
	});

	test('is answered once, even after the rules were changed', async () => {
		const headers = { 'Idempotency-Key': 'one' };
		expect((await server.submit(slug, GOOD, headers)).status).toBe(200);
		await server.app.forms.update(id, { input: { fields: [{ name: 'more', type: 'text', required: true }] } });
		expect((await server.submit(slug, GOOD, headers)).status).toBe(200);
		expect((await server.submit(slug, GOOD)).status).toBe(400);
		expect(await stored()).toHaveLength(1);
	});
});

describe('fields without a rule', () => {
	test('are dropped if the form says so, and named in the response and the record', async () => {
		await open({ unknownFields: 'drop' });
		const body = '{"big":1,"name":"Ann","n":12345678901234567890,"email":"ann@example.com","übrig, x":{"a":1}}';
		const { status, headers } = await post(body, { 'Content-Type': 'application/json', Accept: 'application/json' });
		expect(status).toBe(200);
		expect(headers.get('Formsrv-Dropped-Fields')).toBe('big, n, %C3%BCbrig%2C%20x');
		expect(headers.get('Access-Control-Expose-Headers')).toContain('Formsrv-Dropped-Fields');
		expect(await stored()).toMatchObject([{ data: GOOD, meta: { dropped: ['big', 'n', 'übrig, x'] } }]);
		expect((await server.submit(slug, GOOD)).headers.get('Formsrv-Dropped-Fields')).toBeNull();
	});

	test('that are very many are named as far as a header takes them', async () => {
		await open({ unknownFields: 'drop' });
		const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`field-number-${i}`, 'x']));
		const { headers } = await server.submit(slug, { ...GOOD, ...many });
		expect(headers.get('Formsrv-Dropped-Fields')).toMatch(/^field-number-0, .*, field-number-\d+, \.\.\.$/);
	});

	test('with half of a character in their name are named, as far as that goes', async () => {
		await open({ unknownFields: 'drop' });
		const body = '{"name":"Ann","email":"ann@example.com","x\\ud800":1}';
		const { status, headers } = await post(body, { 'Content-Type': 'application/json', Accept: 'application/json' });
		expect(status).toBe(200);
		expect(headers.get('Formsrv-Dropped-Fields')).toBe('x%EF%BF%BD');
		expect(await stored()).toMatchObject([{ data: GOOD, meta: { dropped: ['x\ud800'] } }]);
	});

	test('of which the digits and escapes stay as they were sent beside them', async () => {
		await open({
			fields: [
				{ name: 'n', type: 'number' },
				{ name: 't', type: 'text' },
			],
			unknownFields: 'drop',
		});
		await post('{"x":1,"n":12345678901234567890,"t":"\\u00e9"}', { 'Content-Type': 'application/json' });
		const { text } = await server.call(`GET /api/forms/${id}/submissions`);
		expect(text).toContain('{"n":12345678901234567890,"t":"\\u00e9"}');
	});

	test('are refused if the form says so, together with other faults', async () => {
		await open({ unknownFields: 'refuse' });
		const { status, body } = await urlencoded('name=Ann&email=ann&extra=1');
		expect(status).toBe(400);
		expect(body.errors.map(({ field, code }) => [field, code])).toEqual([
			['email', 'INVALID_EMAIL'],
			['extra', 'UNKNOWN_FIELD'],
		]);
	});

	test('do not matter to a form without rules', async () => {
		await open({ fields: null, unknownFields: 'refuse' });
		expect((await server.submit(slug, { anything: 'x' })).status).toBe(200);
	});

	test('leave nothing to store if there are no others', async () => {
		await open({ fields: [{ name: 'name', type: 'text' }], unknownFields: 'drop' });
		expect((await server.submit(slug, { other: 'x' })).body.code).toBe('EMPTY_SUBMISSION');
	});
});

describe('files', () => {
	const formData = (files: Record<string, string>, texts: Record<string, string> = GOOD) => {
		const data = new FormData();
		for (const [name, text] of Object.entries(texts)) data.append(name, text);
		for (const [name, content] of Object.entries(files)) data.append(name, new File([content], `${name}.txt`));
		return data;
	};

	test('are asked for, and told from texts', async () => {
		await open({ fields: [...RULES, { name: 'cv', type: 'file', label: 'Your CV', required: true }] });
		expect((await post(formData({}))).body.error).toBe('Please choose a file for “Your CV”.');
		expect((await post(formData({}, { ...GOOD, cv: 'cv.txt' }))).body.error).toBe('“Your CV” must be a file.');
		expect((await post(formData({ topic: 'x', cv: 'x' }))).body.errors).toMatchObject([{ field: 'topic' }]);
		expect((await post(formData({ cv: 'x' }))).status).toBe(200);
		expect(await stored()).toMatchObject([{ data: { cv: 'cv.txt' }, files: [{ field: 'cv' }] }]);
	});

	test('without a rule are dropped with their fields, and nothing stays of them', async () => {
		await open({ fields: [...RULES, { name: 'cv', type: 'file' }], unknownFields: 'drop' });
		expect((await post(formData({ cv: 'x', other: 'y' }))).status).toBe(200);
		expect((await post(formData({ other: 'y' }))).status).toBe(200);
		const [second, first] = await stored();
		expect(first).toMatchObject({
			data: { ...GOOD, cv: 'cv.txt' },
			files: [{ field: 'cv' }],
			meta: { dropped: ['other'] },
		});
		expect(second).toMatchObject({ data: GOOD, files: [] });
		const { body } = await server.call<{ fileBytes: number }>(`GET /api/forms/${id}`);
		expect(body.fileBytes).toBe(4096);
	});
});

describe('the setting', () => {
	const update = (fields: unknown) => server.call<Rejected>(`PATCH /api/forms/${id}`, { json: { fields } });

	test('comes back as it was sent, and can be sent back', async () => {
		const fields: FieldRule[] = [
			{ name: 'a', type: 'text', label: 'A', required: true, minLength: 1, maxLength: 9, pattern: '[a-z]+' },
			{ name: 'b', type: 'date', min: '2026-01-01', max: '2026-12-31' },
			{ name: 'c', type: 'number', min: 0, max: 9.5 },
			{ name: 'd', type: 'checkbox', options: ['x', 'y'] },
		];
		expect((await update(fields)).status).toBe(200);
		const { body } = await server.call<{ fields: FieldRule[] }>(`GET /api/forms/${id}`);
		expect(body.fields).toEqual(fields);
		expect((await server.call(`PATCH /api/forms/${id}`, { json: body })).status).toBe(200);
		expect((await update(null)).body).toMatchObject({ fields: null, unknownFields: 'keep' });
	});

	test.each<[unknown, string, string]>([
		['x', 'fields', 'fields must be'],
		[[{ type: 'text' }], 'fields.0.name', 'fields.0.name is required.'],
		[[{ name: 'a', type: 'colour' }], 'fields.0.type', 'fields.0.type must be'],
		[[{ name: 'a', type: 'text', size: 3 }], 'fields.0.size', '"fields.0.size" is not known here'],
		[[{ name: 'a', type: 'text', maxLength: 1.5 }], 'fields.0.maxLength', 'must be a whole number'],
		[[{ name: '_subject', type: 'text' }], 'fields.0.name', 'must not be that of a special field'],
		[[{ name: '', type: 'text' }], 'fields.0.name', 'must have 1 to 200 characters'],
		[[{ name: 'a', type: 'text', label: '' }], 'fields.0.label', 'must have 1 to 200 characters'],
		[
			[
				{ name: 'a', type: 'text' },
				{ name: 'a', type: 'url' },
			],
			'fields.1.name',
			'there is a rule of this name already',
		],
		[[{ name: 'a', type: 'text', min: 1 }], 'fields.0.min', 'does not go with the type text'],
		[[{ name: 'a', type: 'file', options: ['x'] }], 'fields.0.options', 'does not go with the type file'],
		[
			[{ name: 'a', type: 'text', minLength: 5, maxLength: 4 }],
			'fields.0.maxLength',
			'must not be less than minLength',
		],
		[
			[{ name: 'a', type: 'text', maxLength: 9999, pattern: 'x' }],
			'fields.0.maxLength',
			'from 0 to 2000, because of the pattern',
		],
		[[{ name: 'a', type: 'number', min: '1' }], 'fields.0.min', 'must be a number'],
		[[{ name: 'a', type: 'number', min: -(2 ** 53) }], 'fields.0.min', 'must not be beyond ±9007199254740991'],
		[[{ name: 'a', type: 'number', max: 1e300 }], 'fields.0.max', 'digits would be lost'],
		[[{ name: 'a', type: 'date', max: '2026-02-30' }], 'fields.0.max', 'must be a date'],
		[[{ name: 'a', type: 'date', min: '2027-01-01', max: '2026-01-01' }], 'fields.0.max', 'must not be less than min'],
		[[{ name: 'a', type: 'select', options: [] }], 'fields.0.options', 'must be 1 to 200 texts'],
		[[{ name: 'a', type: 'select', options: ['x', 'x'] }], 'fields.0.options', 'must differ'],
		[[{ name: 'a', type: 'text', pattern: '[\\w.-]' }], 'fields.0.pattern', 'with a backslash'],
		[Array.from({ length: 101 }, (_, i) => ({ name: `${i}`, type: 'text' })), 'fields', 'at most 100 rules'],
		[[0, 1].map((i) => ({ name: `${i}`, type: 'text', pattern: 'a{900}' })), 'fields.1.pattern', 'too large together'],
	])('with %j is rejected', async (fields, field, message) => {
		const { status, body } = await update(fields);
		expect(status).toBe(400);
		expect(body.errors.map((error) => error.field)).toEqual([field]);
		expect(body.errors[0]?.message).toContain(message);
	});
});

describe('a suggestion', () => {
	interface Suggestion {
		fields: FieldRule[];
		scanned: number;
	}
	const suggestion = (key?: string) =>
		server.call<Suggestion>(`GET /api/forms/${id}/fields/suggestion`, key === undefined ? {} : { key });

	test('is made from what is stored, without spam, and changes nothing', async () => {
		await open({ fields: null });
		for (let i = 0; i < 12; i++) await server.submit(slug, { email: `a${i}@b.example`, message: 'Hello' });
		await server.submit(slug, { email: 'no address', _gotcha: 'x' });
		const { status, body } = await suggestion();
		expect(status).toBe(200);
		expect(body).toEqual({
			fields: [
				{ name: 'email', type: 'email', label: 'Email', required: true },
				{ name: 'message', type: 'text', maxLength: 10_000, label: 'Message', required: true },
			],
			scanned: 12,
		});
		expect((await server.call<{ fields: null }>(`GET /api/forms/${id}`)).body.fields).toBeNull();
	});

	test('has the fields in the order in which they were sent, also those whose names are numbers', async () => {
		await open({ fields: null });
		const json = { 'Content-Type': 'application/json', Accept: 'application/json' };
		await post('{"name":"Ada","10":"yes","2":"no"}', json);
		expect((await suggestion()).body.fields.map(({ name }) => name)).toEqual(['name', '10', '2']);
	});

	test('of a form without submissions is none', async () => {
		expect((await suggestion()).body).toEqual({ fields: [], scanned: 0 });
	});

	test('takes the permission to read', async () => {
		expect((await suggestion(await server.createKey({ permissions: ['write'] }))).status).toBe(403);
	});
});

describe('while submissions with dear values for dear patterns are checked', () => {
	/** As many different characters as a value may have, in no order. */
	const dear = Array.from({ length: 2000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7) % 2000))).join('');
	const sets = Array.from({ length: 115 }, (_, at) => `[${String.fromCodePoint(0x4e00 + 2 * at)}]`);
	const fields: FieldRule[] = [{ name: 'dear', type: 'text', pattern: `(?:${sets.join('|')}|.)*` }];
	const body = { dear };

	async function isHealthy() {
		const response = await fetch(`${server.baseUrl}/health`);
		await response.arrayBuffer();
		return response.status === 200;
	}

	test('the server answers others, and stores each that keeps the rules', async () => {
		await open({ fields });
		let left = 6;
		const json = { 'Content-Type': 'application/json', Accept: 'application/json' };
		const sent = Array.from({ length: left }, () => post(JSON.stringify(body), json).finally(() => left--));
		let answers = 0;
		while (left > 0) {
			expect(await isHealthy()).toBe(true);
			answers++;
		}
		for (const { status } of await Promise.all(sent)) expect(status).toBe(200);
		expect(await stored()).toHaveLength(6);
		// Checked in one go, each would leave time for one answer at most.
		expect(answers).toBeGreaterThan(sent.length);
	});
});

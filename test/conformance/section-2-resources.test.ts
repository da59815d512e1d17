/** Section 2 of the interface: forms, submissions and the special fields. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CLOCKS_APART_MS } from '../engine.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { type ErrorBody, type FormBody, type ListBody, type SubmissionBody, TIMESTAMP } from './wire.ts';

let server: TestServer;

beforeAll(async () => {
	server = await openTestServer();
});
afterAll(() => server.close());

const createForm = (json: object = {}) => server.createForm<FormBody>({ name: 'Contact', ...json });

async function submissionsOf({ id }: FormBody, query = ''): Promise<ListBody> {
	return (await server.call<ListBody>(`GET /api/forms/${id}/submissions${query}`)).body;
}

describe('a form', () => {
	test('has an id that stands for it in paths', async () => {
		const form = await createForm();
		expect(form.id).toMatch(/^[0-9a-z]+$/);
		expect((await server.call<FormBody>(`GET /api/forms/${form.id}`)).body.id).toBe(form.id);
	});

	test('has a name, which is needed to create it', async () => {
		expect((await createForm({ name: ' Newsletter ' })).name).toBe('Newsletter');
		expect((await server.call('POST /api/forms', { json: {} })).status).toBe(400);
	});

	test('has texts whose characters are counted as in JSON Schema: an emoji is one', async () => {
		const { id } = await createForm();
		const settings = (one: string): Record<string, [most: number, settings: object]> => ({
			name: [200, { name: one }],
			closedText: [1000, { closedText: one }],
			keptIn: [200, { keptIn: one }],
			'routes.0.where.0.is': [200, { routes: [{ where: [{ field: 'a', is: one }], to: 'a@example.com' }] }],
			'pages.thanks.title': [200, { pages: { thanks: { title: one } } }],
			'fields.0.name': [200, { fields: [{ name: one, type: 'text' }] }],
			'fields.0.label': [200, { fields: [{ name: 'a', type: 'text', label: one }] }],
			'fields.0.message': [200, { fields: [{ name: 'a', type: 'text', message: one }] }],
			'fields.0.options': [200, { fields: [{ name: 'a', type: 'select', options: [one] }] }],
			'views.0.name': [60, { views: [{ name: one, query: 'filter=spam' }] }],
		});
		for (const [field, [most]] of Object.entries(settings(''))) {
			const change = async (characters: number) => {
				const json = settings('😀'.repeat(characters))[field]?.[1];
				const { status, body } = await server.call<ErrorBody>(`PATCH /api/forms/${id}`, { json });
				return [status, body.errors?.map((error) => error.field)];
			};
			expect([field, await change(most)]).toEqual([field, [200, undefined]]);
			expect([field, await change(most + 1)]).toEqual([field, [400, [field]]]);
		}
		const search = (characters: number) =>
			server.call(`GET /api/forms/${id}/submissions?search=${encodeURIComponent('😀'.repeat(characters))}`);
		expect([(await search(200)).status, (await search(201)).status]).toEqual([200, 400]);
		const name = '😀'.repeat(200);
		const { body: key } = await server.call<{ name: string }>('POST /api/keys', {
			json: { name, permissions: ['read'] },
		});
		expect(key.name).toBe(name);
	});

	test('has a slug, the public part of its submission address', async () => {
		const form = await createForm();
		expect((await server.submit(form.slug, { a: 'b' })).status).toBe(200);
	});

	test('has isActive, which an update sets', async () => {
		const form = await createForm();
		expect(form.isActive).toBe(true);
		const { body } = await server.call<FormBody>(`PATCH /api/forms/${form.id}`, { json: { isActive: false } });
		expect(body.isActive).toBe(false);
	});

	test('has submissionCount, the number of its submissions', async () => {
		const form = await createForm();
		expect(form.submissionCount).toBe(0);
		await server.submit(form.slug, { a: '1' });
		await server.submit(form.slug, { a: '2' });
		expect((await server.call<FormBody>(`GET /api/forms/${form.id}`)).body.submissionCount).toBe(2);
	});

	test('has createdAt, a time in UTC', async () => {
		const before = Date.now();
		const { createdAt } = await createForm();
		expect(createdAt).toMatch(TIMESTAMP);
		expect(Date.parse(createdAt)).toBeWithin(before - CLOCKS_APART_MS, Date.now() + CLOCKS_APART_MS + 1);
	});

	test.each([
		['notificationEmail', 'ann@example.com'],
		['redirectUrl', 'https://example.com/thanks'],
		['allowedDomains', ['example.com', 'localhost']],
	])('takes %s when it is created and returns it', async (name, value) => {
		const form = await createForm({ [name]: value });
		expect(form[name as keyof FormBody]).toEqual(value);
		expect((await server.call<FormBody>(`GET /api/forms/${form.id}`)).body).toEqual(form);
	});

	test.each(['notificationEmail', 'redirectUrl', 'slug', 'name', 'captcha'])(
		'takes no empty text for %s, which is named, and stays as it was',
		async (field) => {
			const settings = { notificationEmail: 'ann@example.com', redirectUrl: 'https://example.com/thanks' };
			const form = await createForm(settings);
			const create = { method: 'POST /api/forms', json: { name: 'Contact', [field]: '' } } as const;
			const update = { method: `PATCH /api/forms/${form.id}`, json: { [field]: '' } } as const;
			for (const { method, json } of [create, update]) {
				const { status, body } = await server.call<ErrorBody>(method, { json });
				expect([status, body.code, body.errors?.[0]?.field]).toEqual([400, 'VALIDATION_ERROR', field]);
			}
			expect((await server.call<FormBody>(`GET /api/forms/${form.id}`)).body).toEqual(form);
		},
	);

	test('is cleared of an optional setting by null', async () => {
		const form = await createForm({ notificationEmail: 'ann@example.com', redirectUrl: 'https://example.com/thanks' });
		const cleared = { notificationEmail: null, redirectUrl: null };
		const { body } = await server.call<FormBody>(`PATCH /api/forms/${form.id}`, { json: cleared });
		expect(body).toMatchObject(cleared);
	});

	test('can be sent back as it was read, to change it and to make it anew', async () => {
		const { body: form } = await server.call<FormBody>(
			`GET /api/forms/${(await createForm({ redirectUrl: 'https://example.com/thanks' })).id}`,
		);
		const updated = await server.call<FormBody>(`PATCH /api/forms/${form.id}`, { json: form });
		expect([updated.status, updated.body]).toEqual([200, form]);
		const elsewhere = await openTestServer();
		const made = await elsewhere.call<FormBody>('POST /api/forms', { json: { ...form, submissionCount: 7 } });
		const { id, createdAt } = made.body;
		expect([made.status, made.body]).toEqual([201, { ...form, id, createdAt }]);
		expect(id).not.toBe(form.id);
		await elsewhere.close();
		const misspelt = await server.call<ErrorBody>('POST /api/forms', {
			json: { ...form, slug: 'new', allowDomains: [] },
		});
		expect([misspelt.status, misspelt.body.errors?.[0]?.field]).toEqual([400, 'allowDomains']);
	});

	test.each([1, 2, 3, 64])('takes a slug of %i characters', async (length) => {
		const slug = 'q'.repeat(length);
		expect((await createForm({ slug })).slug).toBe(slug);
	});

	test('shows in the list what it shows everywhere', async () => {
		const form = await createForm();
		const { body } = await server.call<{ forms: FormBody[] }>('GET /api/forms');
		const listed = body.forms.find(({ id }) => id === form.id);
		expect(listed).toEqual(form);
		expect(listed).toContainKeys(['id', 'name', 'slug', 'isActive', 'submissionCount', 'createdAt']);
	});
});

describe('a submission', () => {
	test('has an id, its time, and flags that are false at first', async () => {
		const form = await createForm();
		const before = Date.now();
		await server.submit(form.slug, { a: 'b' });
		const [submission] = (await submissionsOf(form)).submissions;
		expect(submission).toEqual({
			id: expect.stringMatching(/^[0-9a-z]+$/),
			data: { a: 'b' },
			createdAt: expect.stringMatching(TIMESTAMP),
			isRead: false,
			isStarred: false,
			isSpam: false,
			isPending: false,
			confirmedAt: null,
			isArchived: false,
			spamScore: 0,
			spamReasons: [],
			meta: null,
			files: [],
			labels: [],
			note: null,
		});
		expect(Date.parse(submission?.createdAt ?? '')).toBeWithin(
			before - CLOCKS_APART_MS,
			Date.now() + CLOCKS_APART_MS + 1,
		);
	});

	test('has as its data the submitted fields, names and values as they were', async () => {
		const form = await createForm();
		const data = {
			'a.b': 'dots',
			'c[]': ['x', 'y'],
			n: 12.5,
			t: true,
			z: null,
			deep: { list: [1, { k: 'v' }] },
			ключ: '🙂',
		};
		await server.submit(form.slug, data);
		expect((await submissionsOf(form)).submissions[0]?.data).toEqual(data);
	});

	test.each(['isRead', 'isStarred', 'isSpam'] as const)('has %s, which its owner sets and takes back', async (flag) => {
		const form = await createForm();
		await server.submit(form.slug, { a: 'b' });
		const [submission] = (await submissionsOf(form)).submissions;
		const path = `/api/forms/${form.id}/submissions/${submission?.id}` as const;
		for (const value of [true, false]) {
			const { status, body } = await server.call<SubmissionBody>(`PATCH ${path}`, { json: { [flag]: value } });
			expect([status, body[flag]]).toEqual([200, value]);
			expect((await server.call<SubmissionBody>(`GET ${path}`)).body[flag]).toBe(value);
		}
	});
});

describe('the special fields', () => {
	const special = {
		_next: 'https://example.com/next',
		_subject: 'A subject',
		_replyto: 'ann@example.com',
		_gotcha: '',
		'g-recaptcha-response': 'token',
	};

	test('are never stored, in whatever encoding they come', async () => {
		const form = await createForm();
		const all = { message: 'kept', ...special };
		const multipart = new FormData();
		for (const [name, value] of Object.entries(all)) multipart.append(name, value);
		await server.submit(form.slug, all);
		for (const body of [new URLSearchParams(all), multipart]) {
			const { status } = await fetch(`${server.submitUrl}/f/${form.slug}`, {
				method: 'POST',
				body,
				redirect: 'manual',
			});
			expect(status).toBe(303);
		}
		const list = await submissionsOf(form);
		expect(list.submissions.map(({ data }) => data)).toEqual(Array(3).fill({ message: 'kept' }));
		expect(list.fields).toEqual(['message']);
	});

	test('_next is where the sender is led', async () => {
		const form = await createForm();
		const { status, headers } = await server.submit(form.slug, { a: 'b', ...special }, { Accept: 'text/html' });
		expect([status, headers.get('Location')]).toEqual([303, special._next]);
	});

	test('_gotcha, once filled, makes it spam without telling the sender', async () => {
		const form = await createForm();
		const clean = await server.submit(form.slug, { a: 'b' });
		const trapped = await server.submit(form.slug, { a: 'c', _gotcha: 'x' });
		expect([trapped.status, trapped.text]).toEqual([clean.status, clean.text]);
		expect([...trapped.headers.keys()]).toEqual([...clean.headers.keys()]);
		expect((await submissionsOf(form)).submissions.map(({ data }) => data)).toEqual([{ a: 'b' }]);
		expect((await submissionsOf(form, '?filter=spam')).submissions).toMatchObject([{ data: { a: 'c' }, isSpam: true }]);
	});

	test('only count under their exact names', async () => {
		const form = await createForm();
		const data = { _NEXT: 'https://example.com', '_next[]': 'x', _other: 'y', 'h-recaptcha-response': 'z' };
		expect((await server.submit(form.slug, data, { Accept: '*/*' })).status).toBe(303);
		expect((await submissionsOf(form)).submissions[0]?.data).toEqual(data);
	});

	test('alone are no submission', async () => {
		const form = await createForm();
		const { status, body } = await server.submit(form.slug, special);
		expect([status, body.code]).toEqual([400, 'EMPTY_SUBMISSION']);
	});
});

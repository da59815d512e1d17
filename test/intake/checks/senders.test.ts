/** Servers that submit with a key, and the id that every success names. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { decodeId } from '../../../src/ids.ts';
import { createToken } from '../../../src/keys/token.ts';
import { openTestServer, type TestServer } from '../../server.ts';

interface Form {
	id: string;
	slug: string;
}

interface Listed {
	submissions: { id: string; isSpam: boolean; data: { n: number } }[];
}

let server: TestServer;
let form: Form;
let key: string;

beforeAll(async () => {
	server = await openTestServer({
		settings: { FORMSRV_RATE_SUBMIT: '10', FORMSRV_RATE_ADDRESS: '0', FORMSRV_RATE_API: '40', FORMSRV_RATE_AUTH: '0' },
	});
	form = await makeForm({ allowedDomains: ['example.com'], captcha: 'altcha' });
	key = await server.createKey({ permissions: ['submit'] });
});
afterAll(() => server.close());

async function makeForm(settings: object): Promise<Form> {
	return server.app.forms.create('live', { name: 'Contact', ...settings });
}

const send = (slug: string, authorization: string | undefined, fields: object = { n: 1 }, more = {}) =>
	server.submit(slug, fields, { ...(authorization !== undefined && { Authorization: authorization }), ...more });
const list = async ({ id }: Form, filter = 'all') =>
	(await server.call<Listed>(`GET /api/forms/${id}/submissions?filter=${filter}`)).body.submissions;
const idOf = ({ headers }: { headers: Headers }) => headers.get('Formsrv-Submission-Id');

describe('a key that may submit', () => {
	test('gets past allowed domains and captcha, at the base too', async () => {
		expect((await send(form.slug, undefined)).body.code).toBe('DOMAIN_NOT_ALLOWED');
		const answer = await send(form.slug, `Bearer ${key}`, { n: 2 });
		expect([answer.status, answer.body.success]).toEqual([200, true]);
		const atBase = await fetch(`${server.baseUrl}/api/f/${form.slug}`, {
			method: 'POST',
			redirect: 'manual',
			headers: { Authorization: `bearer  ${key}` },
			body: new URLSearchParams({ n: '3' }),
		});
		expect(atBase.status).toBe(303);
		expect((await list(form)).map(({ data }) => `${data.n}`)).toEqual(['3', '2']);
	});

	test('has its own rate, whatever its address has used up, and floods nothing', async () => {
		const busy = await makeForm({});
		const own = await server.createKey({ permissions: ['submit'] });
		while ((await send(busy.slug, undefined)).status === 200);
		let answer = await send(busy.slug, `Bearer ${own}`);
		expect([answer.status, answer.headers.get('RateLimit-Limit')]).toEqual([200, '40']);
		for (let left = Number(answer.headers.get('RateLimit-Remaining')); left >= 0; left--)
			answer = await send(busy.slug, `Bearer ${own}`);
		expect([answer.status, answer.body.code]).toEqual([429, 'RATE_LIMITED']);
		expect(await list(busy, 'spam')).toEqual([]);
	});

	test('does not get past a form that is closed, and its honeypot still counts', async () => {
		const closed = await makeForm({ isActive: false });
		expect((await send(closed.slug, `Bearer ${key}`)).body.code).toBe('FORM_DISABLED');
		const open = await makeForm({});
		expect((await send(open.slug, `Bearer ${key}`, { n: 1, _gotcha: 'x' })).status).toBe(200);
		expect(await list(open, 'spam')).toHaveLength(1);
	});

	test('does nothing else', async () => {
		const statuses = await Promise.all([
			server.call(`GET /api/forms/${form.id}/submissions`, { key }),
			server.call('GET /api/forms', { key }),
			server.call('POST /api/forms', { key, json: { name: 'X' } }),
		]);
		expect(statuses.map(({ status }) => status)).toEqual([403, 403, 403]);
	});

	test('is named in the log', async () => {
		const loud = await openTestServer({ settings: { FORMSRV_LOG_LEVEL: 'info' } });
		const { token, key: made } = await loud.app.keys.create({ mode: 'live', permissions: ['submit'] });
		const { slug } = await loud.app.forms.create('live', { name: 'A' });
		await loud.submit(slug, { a: 1 }, { Authorization: `Bearer ${token}` });
		await loud.close();
		expect(loud.logLines.filter((line) => line.includes(`/f/${slug}`)).join()).toContain(made.id);
	});
});

describe('a form-level key', () => {
	test('may submit to its form, and to no other', async () => {
		const { body } = await server.call<{ key: string; permissions: string[] }>('POST /api/keys', {
			json: { form: form.id, permissions: ['submit'] },
		});
		expect(body.permissions).toEqual(['submit']);
		expect((await send(form.slug, `Bearer ${body.key}`)).status).toBe(200);
		const other = await makeForm({});
		expect((await send(other.slug, `Bearer ${body.key}`)).body.code).toBe('FORBIDDEN');
		expect((await server.call(`GET /api/forms/${form.id}/submissions`, { key: body.key })).status).toBe(403);
	});
});

describe('a key that may not', () => {
	test('is rejected, not taken for a visitor', async () => {
		const open = await makeForm({});
		const revoked = await server.app.keys.create({ mode: 'live', permissions: ['submit'] });
		await server.app.keys.revoke(revoked.key.id);
		const wrong = [
			`Bearer ${revoked.token}`,
			`Bearer ${createToken('live')}`,
			`Bearer ${key.slice(0, -1)}`,
			'Bearer fk_x',
		];
		for (const authorization of wrong) {
			const answer = await send(open.slug, authorization);
			expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHORIZED']);
			expect(answer.headers.get('WWW-Authenticate')).toStartWith('Bearer');
		}
		const read = await server.createKey({ permissions: ['read', 'write', 'delete'] });
		expect(await send(open.slug, `Bearer ${read}`)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
		const test = await server.createKey({ mode: 'test', permissions: ['submit'] });
		const refused = await send(open.slug, `Bearer ${test}`);
		expect(refused.body.message).toBe('This is a test key, and the form is a live form.');
		expect(await list(open)).toEqual([]);
	});

	test('is counted for its address', async () => {
		const narrow = await openTestServer({ settings: { FORMSRV_RATE_AUTH: '2' } });
		const { slug } = await narrow.app.forms.create('live', { name: 'A' });
		const statuses: number[] = [];
		for (let i = 0; i < 3; i++)
			statuses.push((await narrow.submit(slug, { a: 1 }, { Authorization: `Bearer ${createToken('live')}` })).status);
		expect(statuses).toEqual([401, 401, 429]);
		expect((await narrow.submit(slug, { a: 1 })).status).toBe(200);
		await narrow.close();
	});

	test.each([`Basic ${btoa('user:password')}`, 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x', 'Bearer', 'Negotiate abc', ''])(
		'and is none of ours does not matter: %p',
		async (authorization) => {
			const open = await makeForm({});
			expect((await send(open.slug, authorization)).status).toBe(200);
		},
	);
});

describe('the id of a submission', () => {
	test('is in the header of every success, and readable by pages', async () => {
		const open = await makeForm({});
		const json = await send(open.slug, undefined, { n: 1 });
		const redirect = await fetch(`${server.submitUrl}/f/${open.slug}`, {
			method: 'POST',
			redirect: 'manual',
			headers: { Origin: 'https://a.example' },
			body: new URLSearchParams({ n: '2' }),
		});
		expect(redirect.status).toBe(303);
		expect((await list(open)).map(({ id }) => id)).toEqual([idOf(redirect) ?? '', idOf(json) ?? '']);
		expect(redirect.headers.get('Access-Control-Expose-Headers')).toContain('Formsrv-Submission-Id');
		expect(idOf(await send(form.slug, undefined))).toBeNull();
	});

	test('is the same when a submission is repeated under its key', async () => {
		const open = await makeForm({});
		const repeat = (fields: object, name: string) => send(open.slug, undefined, fields, { 'Idempotency-Key': name });
		const [first, again] = [await repeat({ n: 1 }, 'a'), await repeat({ n: 1 }, 'a')];
		expect(idOf(again)).toBe(idOf(first) as string);
		expect((await list(open)).map(({ id }) => id)).toEqual([idOf(first) as string]);
		const robot = { n: 1, _gotcha: 'x' };
		const [decoy, decoyAgain] = [await repeat(robot, 'b'), await repeat(robot, 'b')];
		expect(idOf(decoyAgain)).toBe(idOf(decoy) as string);
	});

	test('of a robot is one of nothing, and looks like any other', async () => {
		let clock = Date.UTC(2027, 0, 31);
		const quiet = await openTestServer({ now: () => clock });
		const { id: formId, slug } = await quiet.app.forms.create('live', { name: 'A' });
		const told: string[] = [];
		const names: string[] = [];
		for (let i = 0; i < 8; i++) {
			clock++;
			const { headers } = await quiet.submit(slug, { n: i, ...(i % 2 === 1 && { _gotcha: 'x' }) });
			told.push(headers.get('Formsrv-Submission-Id') ?? '');
			names.push([...headers.keys()].sort().join());
		}
		expect(new Set(names).size).toBe(1);
		// One millisecond after the other, each the first of its own, unless a look for what is settled came just before.
		const offsets = told.map((id, i) => (decodeId(id) ?? 0) - 2048 * i);
		const usual = (remainder: number) => offsets.filter((_, i) => i % 2 === remainder).sort((a, b) => a - b)[1];
		expect(usual(1)).toBe(usual(0) as number);
		const ids = async (filter: string) =>
			(
				await quiet.call<Listed>(`GET /api/forms/${formId}/submissions?order=asc&filter=${filter}`)
			).body.submissions.map(({ id }) => id);
		expect(await ids('all')).toEqual(told.filter((_, i) => i % 2 === 0));
		const spam = await ids('spam');
		expect([spam.length, spam.filter((id) => told.includes(id))]).toEqual([4, []]);
		await quiet.close();
	});
});

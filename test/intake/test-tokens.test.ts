/** Tokens for test submissions: what they let pass, for whom, and how often. */

import { afterAll, expect, test } from 'bun:test';
import type { FormInput } from '../../src/forms/settings.ts';
import { isOnPostgres } from '../engine.ts';
import { openTestServer, type TestServer } from '../server.ts';

let now = Date.now();
const clock = () => now;
const server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '2', FORMSRV_RATE_AUTH: '30' }, now: clock });
/** Another server, where one database may have two. */
const other = isOnPostgres ? await openTestServer({ database: server.app.config.database, now: clock }) : server;
afterAll(async () => {
	if (other !== server) await other.close();
	await server.close();
});

interface Made {
	id: string;
	slug: string;
}
const createForm = async (settings: FormInput = {}): Promise<Made> =>
	await server.createForm<Made>({ name: 'Contact', ...settings });

async function tokenFor({ id }: Made, at: TestServer = server): Promise<string> {
	const { status, body } = await at.call<{ token: string }>(`POST /api/forms/${id}/test-token`);
	expect(status).toBe(200);
	return body.token;
}

const send = ({ slug }: Made, token: string, { at = server, fields = { a: 'b' } as object } = {}) =>
	at.submit(slug, fields, { Authorization: `Bearer ${token}` });

const USED = { status: 403, body: { code: 'FORBIDDEN', error: expect.stringContaining('test token') } };

interface Stored {
	submissions: { meta: object | null; spamScore: number; isSpam: boolean }[];
}
const stored = async ({ id }: Made, filter = 'all') =>
	(await server.call<Stored>(`GET /api/forms/${id}/submissions?filter=${filter}`)).body.submissions;

test('one lets one submission pass domains, captcha, rates and the rules of spam, and marks it', async () => {
	const form = await createForm({
		allowedDomains: ['example.org'],
		captcha: 'altcha',
		spam: { threshold: 1, honeypot: ['_gotcha'] },
	});
	const fields = { a: 'CHEAP VIAGRA!!! https://bit.ly/1 https://bit.ly/2' };
	for (let i = 0; i < 4; i++) {
		const token = await tokenFor(form);
		expect(await send(form, token, { fields })).toMatchObject({ status: 200 });
		expect(await send(form, token, { fields })).toMatchObject(USED);
	}
	expect(await stored(form)).toMatchObject(Array(4).fill({ meta: { test: true }, spamScore: 0, isSpam: false }));
});

test('of twenty uses at once, at all servers on the database, one succeeds', async () => {
	const form = await createForm();
	const token = await tokenFor(form, other);
	const sent = await Promise.all(
		Array.from({ length: 20 }, (_, i) => send(form, token, { at: i % 2 ? server : other })),
	);
	expect(sent.filter(({ status }) => status === 200)).toHaveLength(1);
	expect(await stored(form)).toHaveLength(1);
});

test('one is for its form, for two minutes, and nothing in it can be changed', async () => {
	const [form, elsewhere] = [await createForm(), await createForm()];
	const token = await tokenFor(form);
	expect(await send(elsewhere, token)).toMatchObject(USED);
	const [, nonce = '', expires = '', signature = ''] = /^tt_(.*)\.(.*)\.(.*)$/.exec(token) ?? [];
	const later = (Number.parseInt(expires, 36) + 1).toString(36);
	for (const forged of [
		`tt_${nonce}.${later}.${signature}`,
		`tt_${nonce.replace(/./, (digit) => (digit === '0' ? '1' : '0'))}.${expires}.${signature}`,
		`tt_${nonce}.${expires}.${signature.replace(/./, (digit) => (digit === 'A' ? 'B' : 'A'))}`,
		`${token}x`,
		'tt_',
	]) {
		now += 60_000;
		expect(await send(form, forged)).toMatchObject(USED);
		now -= 60_000;
	}
	now += 120_000;
	expect(await send(form, token)).toMatchObject(USED);
	now -= 120_001;
	expect(await send(form, token)).toMatchObject(USED);
	now += 1;
	expect(await send(form, token)).toMatchObject({ status: 200 });
});

test('wrong ones are counted as wrong keys', async () => {
	const form = await createForm();
	now += 3_600_000;
	const statuses: number[] = [];
	for (let i = 0; i < 32; i++) statuses.push((await send(form, 'tt_wrong')).status);
	expect(statuses).toEqual([...Array(30).fill(403), 429, 429]);
	expect((await send(form, await tokenFor(form))).status).toBe(200);
});

test('all else holds: rules, limits, honeypot, closed and full forms', async () => {
	const strict = await createForm({ fields: [{ name: 'b', type: 'text', required: true }] });
	expect(await send(strict, await tokenFor(strict))).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
	const full = await createForm({ maxSubmissions: 1 });
	expect(await send(full, await tokenFor(full))).toMatchObject({ status: 200 });
	expect(await send(full, await tokenFor(full))).toMatchObject({ status: 403, body: { code: 'FORM_FULL' } });
	const closed = await createForm({ closesAt: '2020-01-01T00:00:00Z' });
	expect(await send(closed, await tokenFor(closed))).toMatchObject({ status: 403, body: { code: 'FORM_CLOSED' } });
	const open = await createForm();
	expect(await send(open, await tokenFor(open), { fields: { a: 'b', _gotcha: 'x' } })).toMatchObject({ status: 200 });
	expect(await stored(open, 'spam')).toMatchObject([{ isSpam: true }]);
});

test('a key gets none for forms of the other mode, and what is no token of ours is ignored', async () => {
	const form = await createForm();
	const key = await server.createKey({ mode: 'test' });
	expect((await server.call(`POST /api/forms/${form.id}/test-token`, { key })).status).toBe(404);
	expect(await send(form, 'tt.of.somebody')).toMatchObject({ status: 200 });
	expect(await stored(form)).toMatchObject([{ meta: null }]);
});

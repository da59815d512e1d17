/** Data kept of a submission beside its fields: none, or what its form says, and shown wherever submissions are. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ContextRulesInput } from '../../src/form-values/context-rules.ts';
import { coarseNetworkOf } from '../../src/http/client-address.ts';
import { openTestServer, type TestServer } from '../server.ts';

interface Submission {
	id: string;
	data: object;
	meta: Record<string, unknown> | null;
}

let server: TestServer;

beforeAll(async () => {
	server = await openTestServer();
});
afterAll(() => server.close());

const PAGE =
	'https://site.example:8443/a%20b/contact?utm_source=news&utm_campaign=May%20%F0%9F%8C%B7&id=secret&utm_medium=';
const SENDER = {
	Referer: PAGE,
	Origin: 'https://site.example:8443',
	'User-Agent': `Browser/1.0 ${'x'.repeat(600)}`,
	'X-Forwarded-For': '203.0.113.77',
};

async function keptBy(context: ContextRulesInput | null, headers: Record<string, string> = SENDER) {
	const { id, slug } = await server.app.forms.create('live', { name: 'Contact', context });
	expect((await server.submit(slug, { a: 1 }, headers)).status).toBe(200);
	const { body } = await server.call<{ submissions: Submission[] }>(`GET /api/forms/${id}/submissions`);
	const [stored] = body.submissions as [Submission];
	expect(stored.data).toEqual({ a: 1 });
	return { id, stored };
}
const metaBy = async (context: ContextRulesInput | null, headers?: Record<string, string>) =>
	(await keptBy(context, headers)).stored.meta;

describe('of the request', () => {
	test('nothing is kept unless the form says so', async () => {
		expect(await metaBy(null)).toBeNull();
		expect(await metaBy({})).toBeNull();
		expect(await metaBy({ address: 'none', page: false })).toBeNull();
	});

	test('each part is kept by itself', async () => {
		expect(await metaBy({ page: true })).toEqual({ page: 'https://site.example:8443/a%20b/contact' });
		expect(await metaBy({ utm: true })).toEqual({ utm: { source: 'news', campaign: 'May 🌷' } });
		expect(await metaBy({ address: 'full' })).toEqual({ address: '203.0.113.77' });
		expect(await metaBy({ address: 'network' })).toEqual({ address: '203.0.113.0/24' });
		expect(await metaBy({ agent: true })).toEqual({ agent: SENDER['User-Agent'].slice(0, 512) });
	});

	test('what it does not tell is left out, and what is no page is none', async () => {
		const all = { page: true, utm: true, agent: true };
		expect(await metaBy(all, { Referer: 'about:srcdoc', 'User-Agent': '' })).toBeNull();
		expect(await metaBy(all, { Origin: 'null', 'User-Agent': 'x' })).toEqual({ agent: 'x' });
		expect(await metaBy(all, { Origin: 'https://site.example', 'User-Agent': 'x' })).toEqual({
			page: 'https://site.example/',
			agent: 'x',
		});
		const referer = { Referer: `https://u:p@site.example/${'x'.repeat(5000)}?${'utm_x=1&'.repeat(9)}` };
		const meta = await metaBy({ page: true, utm: true }, referer);
		expect(`${meta?.page}`).toHaveLength(2048);
		expect(`${meta?.page}`).not.toContain('u:p');
		expect(meta?.utm).toEqual({ x: '1' });
	});

	test('at most ten parameters of a campaign, and the beginning of each', async () => {
		const names = 'abcdefghijklmno'.split('');
		const query = names.map((name) => `utm_${name}=${'v'.repeat(300)}`).join('&');
		const meta = await metaBy({ utm: true }, { Referer: `https://site.example/?${query}` });
		expect(Object.entries(meta?.utm as object)).toEqual(names.slice(0, 10).map((name) => [name, 'v'.repeat(200)]));
		const [most, flower] = ['v'.repeat(199), '%F0%9F%8C%B7'];
		const whole = { Referer: `https://site.example/?utm_x=${most}${flower}` };
		expect(await metaBy({ utm: true }, whole)).toEqual({ utm: { x: most } });
	});
});

test('it stands in exports, apart from the fields', async () => {
	const { id } = await keptBy({ address: 'network' });
	const csv = (await server.call(`GET /api/forms/${id}/export?format=csv`)).text;
	expect(csv).toContain('{""address"":""203.0.113.0/24""}');
	const ndjson = await server.call(`GET /api/forms/${id}/export?format=ndjson`);
	expect(JSON.parse(ndjson.text)).toMatchObject({ data: { a: 1 }, meta: { address: '203.0.113.0/24' } });
});

test('a key without the permission to read is not shown it', async () => {
	const { id, stored } = await keptBy({ address: 'full' });
	const key = await server.createKey({ permissions: ['write'] });
	const { body } = await server.call<object>(`PATCH /api/forms/${id}/submissions/${stored.id}`, {
		key,
		json: { isRead: true },
	});
	expect(JSON.stringify(body)).not.toContain('203.0.113');
});

describe('the setting', () => {
	const patch = async (context: unknown) => {
		const { id } = await server.app.forms.create('live', { name: 'Contact' });
		return server.call<{ context: unknown; errors?: { field: string }[] }>(`PATCH /api/forms/${id}`, {
			json: { context },
		});
	};

	test('fills up what is left out, and is null if nothing is on', async () => {
		const off = { page: false, utm: false, address: 'none', agent: false };
		expect((await patch({ page: true })).body.context).toEqual({ ...off, page: true });
		expect((await patch(off)).body.context).toBeNull();
		expect((await patch(null)).body.context).toBeNull();
	});

	test.each([
		[{ address: 'half' }, 'context.address'],
		[{ page: 'yes' }, 'context.page'],
		[{ cookies: true }, 'context.cookies'],
	])('%p is refused', async (context, field) => {
		const { status, body } = await patch(context);
		expect([status, body.errors?.map((error) => error.field)]).toEqual([400, [field]]);
	});
});

test('the network of an address stands for no person', () => {
	expect(
		['203.0.113.77', '2001:db8:1:2:3:4:5:6', '::1', '::ffff:10.1.2.3', 'x'].map((address) => coarseNetworkOf(address)),
	).toEqual(['203.0.113.0/24', '2001:db8:1::/48', '::/48', '10.1.2.0/24', '']);
});

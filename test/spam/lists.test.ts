/** Block and allow lists: their entries, what meets them, and how they are changed. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { isAddressOrRange } from '../../src/network/address-ranges.ts';
import { parseEntry } from '../../src/spam/lists/entry.ts';
import { createMatcher } from '../../src/spam/lists/matcher.ts';
import { folded } from '../../src/text/folded.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { openJudge } from './judge.ts';

describe('an entry', () => {
	test.each([
		[' EMAIL: Ada@Example.com ', 'email:ada@example.com'],
		['domain:@Spam.Example', 'domain:spam.example'],
		['domain:bücher.example', 'domain:xn--bcher-kva.example'],
		['cidr:203.0.113.0/24', 'cidr:203.0.113.0/24'],
		['cidr:2001:DB8::/32', 'cidr:2001:db8::/32'],
		['cidr:203.0.113.9', 'cidr:203.0.113.9'],
		['text:  Buy \n Followers ', 'text:buy followers'],
		['text:a:b', 'text:a:b'],
		['text:买粉丝', 'text:买粉丝'],
		['text:Ｂｕｙ cafe\u0301\u200b', 'text:buy café'],
	])('%p is kept as %p', (text, entry) => {
		expect(parseEntry(text, isAddressOrRange)).toBe(entry);
		expect(parseEntry(entry, isAddressOrRange)).toBe(entry);
	});

	test.each([
		'',
		'ada@example.com',
		'email:',
		'email:ada',
		'domain:a b',
		`domain:a${'\u00ad'.repeat(253)}.example`,
		'domain:http://x',
		'cidr:1.2',
		'cidr:10.0.0.0/33',
		'text:ab',
	])('%p is none', (text) => expect(parseEntry(text, isAddressOrRange)).toBeUndefined());

	test('of a million blanks between two letters is read in no time', () => {
		expect(parseEntry(`text:buy${' '.repeat(1_000_000)}me`, isAddressOrRange)).toBe('text:buy me');
	});

	test('of text has up to 200 characters', () => {
		expect(parseEntry(`text:${'x'.repeat(200)}`, isAddressOrRange)).toBeDefined();
		expect(parseEntry(`text:${'x'.repeat(201)}`, isAddressOrRange)).toBeUndefined();
	});
});

describe('a submission', () => {
	const meets = (
		entries: string[],
		fields: object,
		{ replyTo, clientAddress = '192.0.2.1' }: { replyTo?: string; clientAddress?: string } = {},
	) => createMatcher(entries)({ data: JSON.stringify(fields), replyTo, clientAddress });

	test.each<[string, object, string | undefined]>([
		['email:ada@example.com', { email: ' Ada@Example.com' }, 'email:ada@example.com'],
		['email:ada@example.com', { email: 'bada@example.com' }, undefined],
		['email:ada@example.com', { message: 'Write to ada@example.com' }, undefined],
		['domain:example.com', { email: 'x@mail.example.com' }, 'domain:example.com'],
		['domain:example.com', { email: 'x@badexample.com' }, undefined],
		['domain:example.com', { m: 'see https://example.com' }, undefined],
		['domain:xn--bcher-kva.example', { email: 'x@bücher.example' }, 'domain:xn--bcher-kva.example'],
		['email:x@bücher.example', { email: 'X@xn--bcher-kva.example' }, 'email:x@bücher.example'],
		['email:x@xn--bcher-kva.example', { email: 'x@bücher.example' }, 'email:x@xn--bcher-kva.example'],
		['text:buy followers', { m: 'You can BUY\n  followers here' }, 'text:buy followers'],
		['text:buy followers', { 'buy followers': 'x' }, undefined],
		['text:buy followers', { m: 'B\u200buy follo\u00adwers, ｂｕｙ' }, 'text:buy followers'],
		['text:café', { m: 'cafe\u0301' }, 'text:café'],
		['domain:example.com', { email: 'x@example.com.' }, 'domain:example.com'],
		['email:ada@example.com', { email: 'ada@example.com.' }, 'email:ada@example.com'],
		['text:ßcé', { list: ['a', { deep: 'xßcéx' }] }, 'text:ßcé'],
	])('with %p and %j meets %p', (entry, fields, met) => {
		expect(meets([entry], fields)).toBe(met);
	});

	test.each([
		['203.0.113.77', 'cidr:203.0.113.0/24'],
		['203.0.113.9', 'cidr:203.0.113.9'],
		['203.0.114.1', undefined],
		['2001:db8::1', 'cidr:2001:db8::/32'],
		['2001:db9::1', undefined],
		['::ffff:203.0.113.77', 'cidr:203.0.113.0/24'],
		['not an address', undefined],
	])('from %p meets %p', (clientAddress, met) => {
		const ranges = ['cidr:203.0.113.0/24', 'cidr:203.0.113.9', 'cidr:2001:db8::/32'];
		expect(meets(ranges, { a: 'b' }, { clientAddress })).toBe(met);
	});

	test.each([
		['cidr:::/0', '192.0.2.1', undefined],
		['cidr:::/0', '2001:db8::1', 'cidr:::/0'],
		['cidr:::ffff:192.0.2.0/120', '192.0.2.1', 'cidr:::ffff:192.0.2.0/120'],
		['cidr:0.0.0.0/0', '::ffff:192.0.2.1', 'cidr:0.0.0.0/0'],
		['cidr:0.0.0.0/0', '2001:db8::1', undefined],
	])('with %p meets it from %p only if both are of IPv4 or of IPv6', (entry, clientAddress, met) => {
		expect(meets([entry], { a: 'b' }, { clientAddress })).toBe(met);
	});

	test('meets any of texts that begin alike', () => {
		const texts = ['text:buy now please', 'text:buy me', 'text:buy now', 'text:buyer', 'text:buy now'];
		expect(meets(texts, { m: 'to buy now pleasantly' })).toBe('text:buy now');
		expect(meets(texts, { m: 'a buyer' })).toBe('text:buyer');
		expect(meets(texts, { m: 'xbuy me' })).toBe('text:buy me');
		expect(meets(texts, { m: 'buy no' })).toBeUndefined();
	});

	test('meets an entry for the address that it asks to reply to', () => {
		expect(meets(['email:ada@example.com'], { a: 'b' }, { replyTo: 'Ada@example.com' })).toBe('email:ada@example.com');
	});

	test('that is blocked is spam with the entry as the reason; allowed beats blocked, score and captcha', () => {
		const matchers = {
			block: createMatcher(['domain:spam.example']),
			allow: createMatcher(['email:ada@spam.example']),
		};
		const judge = openJudge({ lists: { of: () => matchers } });
		expect(judge({ email: 'x@spam.example' }, { spam: { threshold: null } })).toMatchObject({
			reasons: [{ rule: 'block', points: 10, detail: 'domain:spam.example' }],
			verdict: 'block: domain:spam.example',
		});
		const advert = 'Online CASINO [url=https://a.top]BEST VIAGRA[/url]!!!!';
		const captcha = { rule: 'captcha-score', points: 10, detail: '0.1' } as const;
		const allowed = judge({ email: 'ada@spam.example', m: advert }, { captcha });
		expect(allowed).toMatchObject({ score: -10, verdict: null });
		expect(allowed.reasons.map(({ rule }) => rule)).toEqual(['captcha-score', 'allow']);
		expect(judge({ email: 'ada@spam.example' }, { honeypotFilled: true }).verdict).toBe('honeypot');
	});

	test('is compared by no more than it can be long, however many characters one stands for', () => {
		expect(folded('\ufdfa'.repeat(8192), 8192).length).toBe(2 * 8192);
		const ended = (start: string) => meets(['text:the end'], { m: `${start} the end` });
		expect(ended('\ufdfa'.repeat(450))).toBe('text:the end');
		expect(ended('\ufdfa'.repeat(8000))).toBeUndefined();
	});

	test('is held against 5,000 entries of each kind at once', () => {
		const entries = Array.from({ length: 5000 }, (_, i) => [
			`email:u${i}@example.com`,
			`domain:d${i}.example`,
			`cidr:10.${i >> 8}.${i & 255}.0/24`,
			`text:the ${i} words`,
			`text:aa${i} aaaaaaaa`,
		]).flat();
		const matcher = createMatcher(entries);
		const message = 'the word and the other the '.repeat(150) + 'a'.repeat(4000);
		const data = JSON.stringify({ email: 'ada@other.example', message });
		const started = performance.now();
		for (let i = 0; i < 20; i++) {
			expect(matcher({ data, replyTo: undefined, clientAddress: '192.0.2.1' })).toBeUndefined();
		}
		// Far above what it takes, far below what trying each text would.
		expect(performance.now() - started).toBeLessThan(2000);
	});
});

describe('the lists', () => {
	let server: TestServer;
	let form: { id: string; slug: string };
	let other: { id: string; slug: string };

	beforeAll(async () => {
		server = await openTestServer();
		const make = async (name: string) => await server.createForm<{ id: string; slug: string }>({ name });
		form = await make('One');
		other = await make('Two');
	});
	afterAll(() => server.close());

	const change = (json: object, path: `/${string}` = `/api/forms/${form.id}/lists`) =>
		server.call(`PATCH ${path}`, { json });
	async function reasonOf(fields: object, { id, slug } = form): Promise<string | undefined> {
		await server.submit(slug, fields);
		const all = async (filter: string) =>
			(
				await server.call<{ submissions: { id: string; spamReason?: string }[] }>(
					`GET /api/forms/${id}/submissions?limit=1&filter=${filter}`,
				)
			).body.submissions;
		const latest = [...(await all('spam')), ...(await all('all'))].sort((a, b) => (a.id < b.id ? 1 : -1))[0];
		return latest?.spamReason;
	}

	test('of a form hold for it from the next submission on', async () => {
		expect(await reasonOf({ email: 'x@spam.example' })).toBeUndefined();
		expect((await change({ block: { add: ['domain:Spam.example', 'domain:spam.example'] } })).body).toEqual({
			block: 1,
			allow: 0,
		});
		expect(await reasonOf({ email: 'x@spam.example' })).toBe('block: domain:spam.example');
		expect(await reasonOf({ email: 'x@spam.example' }, other)).toBeUndefined();
		await change({ allow: ['email:ada@spam.example'] });
		expect(await reasonOf({ email: 'ada@spam.example' })).toBeUndefined();
		expect((await server.call(`GET /api/forms/${form.id}/lists`)).body).toEqual({
			block: ['domain:spam.example'],
			allow: ['email:ada@spam.example'],
		});
		expect((await change({ block: { remove: ['domain:spam.example'] }, allow: [] })).body).toEqual({
			block: 0,
			allow: 0,
		});
		expect(await reasonOf({ email: 'x@spam.example' })).toBeUndefined();
	});

	test('of all forms hold for every form of the mode, and for no other', async () => {
		await change({ block: ['text:buy followers'] }, '/api/lists');
		expect(await reasonOf({ m: 'Buy  followers' })).toBe('block: text:buy followers');
		expect(await reasonOf({ m: 'Buy  followers' }, other)).toBe('block: text:buy followers');
		const { token } = await server.app.keys.create({ mode: 'test', permissions: ['admin'], name: '' });
		expect((await server.call('GET /api/lists', { key: token })).body).toEqual({ block: [], allow: [] });
		expect((await server.call(`GET /api/forms/${form.id}/lists`, { key: token })).status).toBe(404);
		await change({ block: [] }, '/api/lists');
	});

	test('name every entry at fault, and take none then', async () => {
		const { status, body } = await change({
			block: { add: ['domain:a.example', 'x', 'text:a'] },
			allow: ['cidr:300.1.1.1'],
		});
		expect(status).toBe(400);
		expect((body as { errors: { field: string }[] }).errors.map(({ field }) => field)).toEqual([
			'block.add.1',
			'block.add.2',
			'allow.0',
		]);
		expect((await server.call(`GET /api/forms/${form.id}/lists`)).body).toEqual({ block: [], allow: [] });
		expect((await change({ deny: [] })).status).toBe(400);
		expect((await change({ block: 'x' })).status).toBe(400);
	});

	test('hold up to 5,000 entries each', async () => {
		const block = Array.from({ length: 5000 }, (_, i) => `domain:d${i}.example`);
		expect((await change({ block })).body).toEqual({ block: 5000, allow: 0 });
		const { status, body } = await change({ block: { add: ['domain:one.more.example'] } });
		expect([status, (body as { errors: object[] }).errors]).toMatchObject([
			400,
			[{ field: 'block', code: 'TOO_MANY' }],
		]);
		expect(await reasonOf({ email: 'x@d4999.example' })).toBe('block: domain:d4999.example');
		const long = Array.from({ length: 5000 }, (_, i) => `text:${i} ${'ä'.repeat(190)}`);
		expect((await change({ block: long })).body).toEqual({ block: 5000, allow: 0 });
		await change({ block: [] });
	});

	test('changed by several at once are as one of them left them, and no longer than they may be', async () => {
		const entries = (from: string) => Array.from({ length: 2000 }, (_, i) => `domain:${from}${i}.example`);
		const names = ['a', 'b', 'c', 'd'];
		const block = async () =>
			(await server.call<{ block: string[] }>(`GET /api/forms/${form.id}/lists`)).body.block.length;
		await Promise.all(names.map((name) => change({ block: entries(name) })));
		expect(await block()).toBe(2000);
		await change({ block: [] });
		const added = await Promise.all(names.map((name) => change({ block: { add: entries(name) } })));
		expect(added.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400]);
		expect(await block()).toBe(4000);
		await change({ block: [] });
	});

	test('are not disclosed to a key that may not read', async () => {
		await change({ block: ['email:x@spam.example'] });
		await server.submit(form.slug, { email: 'x@spam.example' });
		const { body } = await server.call<{ submissions: { id: string }[] }>(
			`GET /api/forms/${form.id}/submissions?filter=spam&limit=1`,
		);
		const { token } = await server.app.keys.create({ mode: 'live', permissions: ['write'], name: '' });
		expect((await server.call(`GET /api/forms/${form.id}/lists`, { key: token })).status).toBe(403);
		const flagged = await server.call(`PATCH /api/forms/${form.id}/submissions/${body.submissions[0]?.id}`, {
			key: token,
			json: { isRead: true },
		});
		expect(flagged.body).toMatchObject({ isSpam: true, spamReason: 'block' });
		expect(flagged.text).not.toContain('spam.example');
	});

	test('go with their form', async () => {
		await change({ block: ['email:x@spam.example'] }, `/api/forms/${other.id}/lists`);
		await server.call(`DELETE /api/forms/${other.id}`);
		expect((await server.call(`GET /api/forms/${other.id}/lists`)).status).toBe(404);
	});
});

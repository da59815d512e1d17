import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { Webhook } from 'standardwebhooks';
import type { UpdateWebhook } from '../../../src/delivery/webhooks/schema.ts';
import { createWebhooks, type Webhooks } from '../../../src/delivery/webhooks/webhooks.ts';
import { encodeId } from '../../../src/ids.ts';
import { createGuardedPost } from '../../../src/network/guarded-request.ts';
import type { Storage } from '../../../src/storage/contract.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { forms, webhooks as table } from '../../../src/storage/tables.ts';
import { newDatabase } from '../../engine.ts';
import { tempFolder } from '../../temp-folder.ts';

const baseUrl = () => 'https://forms.example.com';

const NOW = Date.parse('2026-03-04T05:06:07.890Z');
const LIVE = { form: encodeId(1001), mode: 'live' as const };
const TEST = { form: encodeId(1002), mode: 'test' as const };
const DELETED = { form: encodeId(1003), mode: 'live' as const };
const URL_OF_ONE = 'https://hooks.example.com/a';

let folder: string;
let storage: Storage;
let webhooks: Webhooks;

const open = (allowed: string[] = [], now = NOW) =>
	createWebhooks(storage, { post: createGuardedPost({ allowed, timeoutMs: 2_000 }), allowed, baseUrl, now: () => now });
const rowOf = async (id: string) => {
	const rows = await storage.db.select().from(table);
	return rows.find((row) => encodeId(row.id) === id);
};

beforeEach(async () => {
	folder = tempFolder();
	storage = await openStorage(await newDatabase(folder), { now: () => NOW });
	webhooks = open();
	await storage.batch((tx) => [
		tx.insert(forms).values([
			{ id: 1001, mode: 'live', slug: 'live', name: 'Live' },
			{ id: 1002, mode: 'test', slug: 'test', name: 'Test' },
			{ id: 1003, mode: 'live', slug: 'gone', name: 'Gone', deletedAt: NOW },
		]),
	]);
});

afterEach(() => {
	void storage.close();
});

describe('a new webhook', () => {
	test('shows its secret once, and never again', async () => {
		const { secret, ...created } = await webhooks.create(LIVE, { url: URL_OF_ONE });
		expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
		expect(created).toEqual({
			id: expect.any(String),
			url: URL_OF_ONE,
			name: null,
			format: 'standard',
			include: 'summary',
			headers: {},
			body: null,
			where: [],
			events: ['submission.created'],
			isActive: true,
			disabledReason: null,
			failingSince: null,
			createdAt: '2026-03-04T05:06:07.890Z',
		});
		const ref = { ...LIVE, webhook: created.id };
		expect(await webhooks.get(ref)).toEqual(created);
		expect(await webhooks.list(LIVE)).toEqual([created]);
		expect(await webhooks.update(ref, { isActive: false })).toEqual({ ...created, isActive: false });
	});

	test('may be made inactive', async () => {
		expect(await webhooks.create(LIVE, { url: URL_OF_ONE, isActive: false })).toMatchObject({ isActive: false });
	});

	test.each([
		['', 'cannot be read'],
		['hooks.example.com', 'must be like https://hooks.example.com/path'],
		['ftp://example.com/', 'begin with https'],
		['https://user:pw@example.com/', 'user name'],
		['https://example.com:25/', 'port'],
		['http://127.0.0.1/', '127.0.0.1 is not a public address'],
		['http://0x7f.1/', '127.0.0.1 is not a public address'],
		['http://[::ffff:10.0.0.1]/', 'is not a public address'],
		[`https://example.com/${'a'.repeat(2048)}`, 'at most 2048 characters'],
	])('is rejected with the URL %p', async (url, why) => {
		await expect(webhooks.create(LIVE, { url })).rejects.toMatchObject({
			code: 'VALIDATION_ERROR',
			message: expect.stringContaining(why),
			details: { fields: [{ field: 'url', code: 'INVALID_URL' }] },
		});
		expect(await webhooks.list(LIVE)).toEqual([]);
	});

	test('may have a private target that the operator allows', async () => {
		const { url } = await open(['10.1.0.0/16']).create(LIVE, { url: 'http://10.1.2.3:8080/' });
		expect(url).toBe('http://10.1.2.3:8080/');
	});

	test('is rejected without an event', async () => {
		await expect(webhooks.create(LIVE, { url: URL_OF_ONE, events: [] })).rejects.toMatchObject({
			details: { fields: [{ field: 'events' }] },
		});
	});

	test('is rejected beyond ten, also if many are made at once', async () => {
		const made = await Promise.allSettled(Array.from({ length: 15 }, () => webhooks.create(LIVE, { url: URL_OF_ONE })));
		expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
		await expect(webhooks.create(LIVE, { url: URL_OF_ONE })).rejects.toMatchObject({ code: 'CONFLICT' });
		expect(await webhooks.list(LIVE)).toHaveLength(10);
	});
});

describe('a missing webhook', () => {
	const absent = [
		['a form of the other mode', { ...LIVE, mode: 'test' as const }],
		['a deleted form', DELETED],
		['a form that never was', { form: 'zzz', mode: 'live' as const }],
		['no identifier at all', { form: '../1', mode: 'live' as const }],
	] as const;

	test.each(absent)('%s is not found', async (_what, ref) => {
		const missing = { code: 'FORM_NOT_FOUND' };
		await expect(webhooks.checkForm(ref)).rejects.toMatchObject(missing);
		await expect(webhooks.list(ref)).rejects.toMatchObject(missing);
		await expect(webhooks.create(ref, { url: URL_OF_ONE })).rejects.toMatchObject(missing);
	});

	test('a webhook is not found under another form, nor when it is none', async () => {
		const { id } = await webhooks.create(LIVE, { url: URL_OF_ONE });
		for (const ref of [
			{ ...TEST, webhook: id },
			{ ...LIVE, webhook: 'zzz' },
			{ ...LIVE, webhook: '%00' },
		]) {
			const missing = { code: 'NOT_FOUND' };
			await expect(webhooks.get(ref)).rejects.toMatchObject(missing);
			await expect(webhooks.update(ref, { isActive: false })).rejects.toMatchObject(missing);
			await expect(webhooks.remove(ref)).rejects.toMatchObject(missing);
			await expect(webhooks.rotateSecret(ref)).rejects.toMatchObject(missing);
			await expect(webhooks.test(ref)).rejects.toMatchObject(missing);
		}
		expect(await webhooks.list(LIVE)).toMatchObject([{ id, isActive: true }]);
	});
});

describe('changes', () => {
	test('concern what is sent, and leave the rest', async () => {
		const { id, secret } = await webhooks.create(LIVE, { url: URL_OF_ONE });
		const changed = await webhooks.update({ ...LIVE, webhook: id }, { url: ' https://hooks.example.com/b ' });
		expect(changed).toMatchObject({ url: 'https://hooks.example.com/b', isActive: true });
		expect((await rowOf(id))?.secret).toBe(secret);
	});

	test('at once undo nothing of each other', async () => {
		const { id } = await webhooks.create(LIVE, { url: URL_OF_ONE });
		const ref = { ...LIVE, webhook: id };
		const changes: UpdateWebhook[] = [
			{ name: 'Sales' },
			{ include: 'all' },
			{ isActive: false },
			{ events: ['submission.spam'] },
		];
		await Promise.all(changes.map((change) => webhooks.update(ref, change)));
		expect(await webhooks.get(ref)).toMatchObject(Object.assign({}, ...changes));
	});

	test('check the URL again', async () => {
		const { id } = await webhooks.create(LIVE, { url: URL_OF_ONE });
		const change = webhooks.update({ ...LIVE, webhook: id }, { url: 'http://192.168.0.1/' });
		await expect(change).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
	});

	test('to active give a disabled webhook a clean record', async () => {
		const { id } = await webhooks.create(LIVE, { url: URL_OF_ONE });
		const ref = { ...LIVE, webhook: id };
		await storage.batch((tx) => [
			tx
				.update(table)
				.set({ isActive: false, disabledReason: 'The target responded with 410 Gone.', failingSince: NOW }),
		]);
		const disabled = {
			disabledReason: 'The target responded with 410 Gone.',
			failingSince: '2026-03-04T05:06:07.890Z',
		};
		expect(await webhooks.get(ref)).toMatchObject({ isActive: false, ...disabled });
		expect(await webhooks.update(ref, { url: URL_OF_ONE })).toMatchObject({ isActive: false, ...disabled });
		expect(await webhooks.update(ref, { isActive: true })).toMatchObject({
			isActive: true,
			disabledReason: null,
			failingSince: null,
		});
	});

	test('of the secret keep the old one for a day', async () => {
		const { id, secret } = await webhooks.create(LIVE, { url: URL_OF_ONE });
		const rotated = await webhooks.rotateSecret({ ...LIVE, webhook: id });
		expect(rotated.secret).not.toBe(secret);
		expect(await rowOf(id)).toMatchObject({
			secret: rotated.secret,
			previousSecret: secret,
			previousSecretUntil: NOW + 86_400_000,
		});
	});

	test('of the secret within a day end none that signs, up to a bound', async () => {
		const { id, secret } = await webhooks.create(LIVE, { url: URL_OF_ONE });
		const ref = { ...LIVE, webhook: id };
		const secrets = [secret];
		for (let times = 0; times < 4; times++) secrets.unshift((await webhooks.rotateSecret(ref)).secret);
		const stored = { secret: secrets[0], previousSecret: secrets.slice(1).join(' ') };
		expect(await rowOf(id)).toMatchObject(stored);
		const error = { code: 'CONFLICT', message: expect.stringContaining('2026-03-05T05:06:07.890Z') };
		await expect(webhooks.rotateSecret(ref)).rejects.toMatchObject(error);
		expect(await rowOf(id)).toMatchObject(stored);
		const aDayLater = open([], NOW + 86_400_000);
		const { secret: latest } = await aDayLater.rotateSecret(ref);
		expect(await rowOf(id)).toMatchObject({ secret: latest, previousSecret: secrets[0] });
	});

	test('a removed webhook is gone', async () => {
		const { id } = await webhooks.create(LIVE, { url: URL_OF_ONE });
		const kept = await webhooks.create(LIVE, { url: URL_OF_ONE });
		await webhooks.remove({ ...LIVE, webhook: id });
		expect(await webhooks.list(LIVE)).toMatchObject([{ id: kept.id }]);
		await expect(webhooks.remove({ ...LIVE, webhook: id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
	});
});

describe('a test event', () => {
	let received: { headers: Record<string, string>; body: string }[];
	let response: Response;
	let target: Bun.Server<undefined>;

	beforeEach(() => {
		received = [];
		response = new Response('thanks');
		target = Bun.serve({
			port: 0,
			hostname: '127.0.0.1',
			async fetch(request) {
				received.push({ headers: request.headers.toJSON() as Record<string, string>, body: await request.text() });
				return response;
			},
		});
	});

	afterEach(() => target.stop(true));

	const create = (ref: typeof LIVE | typeof TEST = LIVE) => open(['127.0.0.1']).create(ref, { url: target.url.href });

	test('is posted at once, signed, and its response shown', async () => {
		const service = createWebhooks(storage, {
			post: createGuardedPost({ allowed: ['127.0.0.1'] }),
			allowed: [],
			baseUrl,
		});
		const { id, secret } = await create();
		expect(await service.test({ ...LIVE, webhook: id })).toEqual({
			delivered: true,
			status: 200,
			error: null,
			answer: 'thanks',
		});
		const [{ headers, body }] = received as [(typeof received)[0]];
		expect(new Webhook(secret).verify(body, headers)).toMatchObject({
			type: 'webhook.test',
			data: { form: { id: LIVE.form, name: 'Live', slug: 'live' } },
		});
	});

	test('that fails says why, and changes nothing', async () => {
		const { id } = await create();
		const ref = { ...LIVE, webhook: id };
		response = new Response('who are you?', { status: 410 });
		expect(await open(['127.0.0.1']).test(ref)).toEqual({
			delivered: false,
			status: 410,
			error: 'Responded with 410: the target is gone for good.',
			answer: 'who are you?',
		});
		expect(await open().test(ref)).toMatchObject({
			delivered: false,
			status: null,
			error: expect.stringContaining('is not a public address'),
			answer: null,
		});
		expect(received).toHaveLength(1);
		expect(await webhooks.get(ref)).toMatchObject({ isActive: true, failingSince: null });
	});

	test('is rejected for a form in test mode, which sends nothing', async () => {
		const { id } = await create(TEST);
		await expect(open(['127.0.0.1']).test({ ...TEST, webhook: id })).rejects.toMatchObject({ code: 'CONFLICT' });
		expect(received).toEqual([]);
	});
});

test('the rows of a form go with it', async () => {
	await webhooks.create(LIVE, { url: URL_OF_ONE });
	await storage.batch((tx) => [tx.delete(forms).where(eq(forms.id, 1001))]);
	expect(await storage.db.select().from(table)).toEqual([]);
});

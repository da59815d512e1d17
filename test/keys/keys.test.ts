import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { AppError } from '../../src/errors.ts';
import { createForms } from '../../src/forms/forms.ts';
import { sweepForms } from '../../src/forms/sweep.ts';
import { encodeId } from '../../src/ids.ts';
import { createKeys } from '../../src/keys/keys.ts';
import { createToken } from '../../src/keys/token.ts';
import { openStorage } from '../../src/storage/open.ts';
import { apiKeys, keyForms } from '../../src/storage/session-tables.ts';
import { tempFolder } from '../temp-folder.ts';

async function open() {
	const clock = { now: Date.parse('2026-01-02T03:04:05.678Z') };
	const now = () => clock.now;
	const storage = await openStorage(join(tempFolder(), 'formsrv.db'), { now });
	const forms = createForms(storage, { captchas: () => new Set(), now });
	return { clock, storage, forms, keys: createKeys(storage, now) };
}

async function codeOf(attempt: Promise<unknown>): Promise<string> {
	const error = await attempt.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	return error instanceof AppError ? error.code : `${error}`;
}

test('a rotated key has the lifetime of the old one to the millisecond, also if the clock went back a little', async () => {
	const { clock, keys, storage } = await open();
	const expiresAt = new Date('9999-12-31T00:00:00.000Z');
	const { key: old } = await keys.create({ mode: 'live', permissions: ['read'], expiresAt });
	clock.now -= 5;
	const { key } = await keys.rotate(old.id, { overlapMs: 0 });
	const lifetimeOf = (from: typeof key) => Date.parse(`${from.expiresAt}`) - Date.parse(from.createdAt);
	expect(lifetimeOf(key)).toBe(lifetimeOf(old));
	await storage.close();
});

test('a key is valid until it is revoked, from the next request on', async () => {
	const { keys, storage } = await open();
	const { token, key } = await keys.create({ mode: 'live', permissions: ['read', 'write'], name: ' site ' });
	expect(key).toMatchObject({
		name: 'site',
		mode: 'live',
		form: null,
		permissions: ['read', 'write'],
		lastUsedAt: null,
	});
	expect(await keys.authenticate(token)).toEqual({
		keyId: key.id,
		mode: 'live',
		permissions: ['read', 'write'],
		sessionId: null,
		formIds: null,
	});
	await keys.revoke(key.id);
	expect(await codeOf(keys.authenticate(token))).toBe('UNAUTHORIZED');
	await storage.close();
});

test('a key ends at its expiry', async () => {
	const { keys, storage, clock } = await open();
	const { token } = await keys.create({ mode: 'live', permissions: ['read'], expiresAt: new Date(clock.now + 1000) });
	await keys.authenticate(token);
	clock.now += 1000;
	expect(await codeOf(keys.authenticate(token))).toBe('UNAUTHORIZED');
	expect(await codeOf(keys.create({ mode: 'live', permissions: ['read'], expiresAt: new Date(clock.now) }))).toBe(
		'VALIDATION_ERROR',
	);
	await storage.close();
});

test('a missing, malformed and unknown key get the same error, except for the hint that one was sent', async () => {
	const { keys, storage } = await open();
	const refusals = await Promise.all(
		[undefined, 'x', createToken('live')].map((token) => keys.authenticate(token).catch((error: unknown) => error)),
	);
	const [missing, malformed, unknown] = refusals as AppError[];
	expect(malformed?.message).toBe(missing?.message as string);
	expect(missing?.details.headers?.['WWW-Authenticate']).toBe('Bearer realm="formsrv"');
	expect(unknown?.details).toEqual(malformed?.details as object);
	expect(unknown?.details.headers?.['WWW-Authenticate']).toBe('Bearer realm="formsrv", error="invalid_token"');
	await storage.close();
});

test('a form-level key has the mode of its form, and ends with it', async () => {
	const { keys, forms, storage } = await open();
	const form = await forms.create('test', { name: 'Contact', slug: 'contact' });
	const { token, key } = await keys.create({ mode: 'live', permissions: ['read'], forms: ['contact'] });
	expect(await codeOf(keys.create({ mode: 'live', permissions: ['admin'], forms: ['contact'] }))).toBe(
		'VALIDATION_ERROR',
	);
	expect(token).toStartWith('fk_');
	expect(key).toMatchObject({ mode: 'test', form: form.id, permissions: ['read'] });
	await keys.authenticate(token);
	await forms.remove(form.id);
	expect(await codeOf(keys.authenticate(token))).toBe('UNAUTHORIZED');
	expect(await codeOf(keys.create({ mode: 'live', permissions: ['read'], forms: ['contact'] }))).toBe('FORM_NOT_FOUND');
	await storage.close();
});

test('a key of several forms loses one that is deleted, keeps the others, and ends with the last', async () => {
	const { keys, forms, storage } = await open();
	const made: string[] = [];
	for (const name of ['a', 'b', 'c']) made.push((await forms.create('live', { name, slug: name })).id);
	const [a = '', b = '', c = ''] = made;
	const { token, key } = await keys.create({ mode: 'live', permissions: ['read'], forms: ['b', a, 'a', c] });
	const alone = await keys.create({ mode: 'live', permissions: ['read'], forms: [a] });
	expect(key).toMatchObject({ form: a, forms: [a, b, c] });
	for (const [doomed, left] of [
		[a, [b, c]],
		[c, [b]],
	] as const) {
		await forms.remove(doomed);
		await sweepForms(storage, { pause: async () => true });
		expect((await keys.authenticate(token)).formIds).toEqual([...left]);
		expect((await keys.list()).map((one) => one.forms)).toEqual([[...left]]);
	}
	expect(await codeOf(keys.authenticate(alone.token))).toBe('UNAUTHORIZED');
	await forms.remove(b);
	expect(await codeOf(keys.authenticate(token))).toBe('UNAUTHORIZED');
	expect(await storage.db.select().from(keyForms)).toEqual([]);
	await storage.close();
});

test('what does not know of several forms finds a key of the first one, never one of all', async () => {
	const { keys, forms, storage } = await open();
	for (const name of ['a', 'b']) await forms.create('live', { name, slug: name });
	const { key } = await keys.create({ mode: 'live', permissions: ['read', 'write'], forms: ['b', 'a'] });
	const [row] = await storage.db.select({ formId: apiKeys.formId }).from(apiKeys);
	expect(encodeId(row?.formId ?? 0)).toBe((await forms.list()).find(({ slug }) => slug === 'a')?.id as string);
	expect(key.forms).toHaveLength(2);
	await storage.close();
});

test('the last use is stored to the minute', async () => {
	const { keys, storage, clock } = await open();
	const { token } = await keys.create({ mode: 'live', permissions: ['read'] });
	const lastUsed = async () => (await keys.list())[0]?.lastUsedAt;
	const first = new Date(clock.now).toISOString();
	await keys.authenticate(token);
	await storage.batch(() => []);
	expect(await lastUsed()).toBe(first);
	clock.now += 59_999;
	await keys.authenticate(token);
	await storage.batch(() => []);
	expect(await lastUsed()).toBe(first);
	clock.now += 1;
	await keys.authenticate(token);
	await storage.batch(() => []);
	expect(await lastUsed()).toBe(new Date(clock.now).toISOString());
	await storage.close();
});

test('of a key only hash and display form are stored', async () => {
	const { keys, storage } = await open();
	const { token } = await keys.create({ mode: 'live', permissions: ['read'] });
	const rows = await storage.db.select().from(apiKeys);
	expect(JSON.stringify(rows)).not.toContain(token.slice(8, 20));
	expect(rows[0]?.display).toBe(`sk_live_…${token.slice(-4)}`);
	await storage.close();
});

test('each key or member that is created, rotated or revoked is announced once it is stored', async () => {
	const { keys, storage } = await open();
	let announced = 0;
	storage.events.subscribe(['keys'], () => {
		announced++;
	});
	const { key } = await keys.create({ mode: 'live', permissions: ['read'] });
	const member = await keys.createMember('ada@example.org', { mode: 'live', permissions: ['read'] });
	expect(announced).toBe(2);
	await keys.rotate(key.id, { overlapMs: 0 });
	await keys.revoke(member.id);
	expect(announced).toBe(4);
	await storage.close();
});

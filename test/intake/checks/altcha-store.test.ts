import { afterEach, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createAltchaStore } from '../../../src/intake/checks/altcha-store.ts';
import type { Storage } from '../../../src/storage/contract.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { usedChallenges } from '../../../src/storage/tables.ts';
import { tempFolder } from '../../temp-folder.ts';

let folder: string;
let storage: Storage;

beforeEach(async () => {
	folder = tempFolder();
	storage = await openStorage(join(folder, 'formsrv.db'));
});

afterEach(() => storage.close());

async function restart() {
	await storage.close();
	storage = await openStorage(join(folder, 'formsrv.db'));
}

test('the secret is random, and the same after a restart and for every process on the file', async () => {
	const secret = await createAltchaStore(storage).secret();
	expect(secret).toMatch(/^[0-9a-f]{64}$/);
	const beside = await openStorage(join(folder, 'formsrv.db'));
	expect(await createAltchaStore(beside).secret()).toBe(secret);
	await beside.close();
	await restart();
	expect(await createAltchaStore(storage).secret()).toBe(secret);
	const other = await openStorage(join(folder, 'other.db'));
	expect(await createAltchaStore(other).secret()).not.toBe(secret);
	await other.close();
});

test('requests that come together get one secret', async () => {
	const { secret } = createAltchaStore(storage);
	const secrets = await Promise.all([secret(), secret(), createAltchaStore(storage).secret()]);
	expect(new Set(secrets).size).toBe(1);
});

test('a challenge can be used once, also with concurrent attempts and after a restart', async () => {
	const { consume } = createAltchaStore(storage, () => 1000);
	const tries = await Promise.all(Array.from({ length: 20 }, () => consume('abc', 2000)));
	expect(tries.filter(Boolean)).toHaveLength(1);
	await restart();
	expect(await createAltchaStore(storage, () => 1000).consume('abc', 2000)).toBe(false);
	expect(await createAltchaStore(storage, () => 1000).consume('abd', 2000)).toBe(true);
});

test('expired challenges are deleted', async () => {
	let now = 1000;
	const { consume } = createAltchaStore(storage, () => now);
	await consume('one', 2000);
	await consume('two', 3000);
	now = 2500;
	await consume('three', 4000);
	const rows = await storage.db.select().from(usedChallenges);
	expect(rows.map((row) => row.challenge).sort()).toEqual(['three', 'two']);
});

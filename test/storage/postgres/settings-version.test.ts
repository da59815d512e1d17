/** The version of settings in PostgreSQL: known without asking, and yet no change is answered before all servers know it. */

import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { Storage } from '../../../src/storage/contract.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { forms } from '../../../src/storage/tables.ts';
import { newPostgresDatabase } from '../../postgres.ts';

const FORM = 7;
const CHANGES = 10;

const rename = (storage: Storage, name: string) =>
	storage.batch((tx) => [tx.update(forms).set({ name }).where(eq(forms.id, FORM))]);

test('a change at one server is known at another once it is answered, though requests there do not ask for it', async () => {
	const address = await newPostgresDatabase();
	const one = await openStorage(address);
	const other = await openStorage(address);
	await one.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 's', name: 'n' })]);
	let known = await other.settingsVersion();
	let atOnce = 0;
	let isOver = false;
	const requests = (async () => {
		while (!isOver) {
			if (typeof other.settingsVersion() === 'number') atOnce++;
			await Bun.sleep(1);
		}
	})();
	for (let i = 0; i < CHANGES; i++) {
		await rename(one, `name ${i}`);
		const version = await other.settingsVersion();
		expect(version).toBeGreaterThan(known);
		known = version;
	}
	isOver = true;
	await requests;
	expect(atOnce).toBeGreaterThan(CHANGES);
	await Promise.all([one.close(), other.close()]);
}, 30_000);

test('a change at the only server is known to it at once', async () => {
	const storage = await openStorage(await newPostgresDatabase());
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 's', name: 'n' })]);
	for (let i = 0; i < CHANGES; i++) {
		const before = storage.settingsVersion();
		await rename(storage, `name ${i}`);
		expect(storage.settingsVersion()).toBeGreaterThan(before as number);
	}
	await storage.close();
}, 30_000);

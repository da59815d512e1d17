/** When caches of settings are emptied: with each change of settings, and with nothing else that a busy server writes. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { eq, getTableColumns, sql } from 'drizzle-orm';
import { COUNTERS } from '../../../src/storage/filters.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { deliveries, formerSlugs, forms, webhooks } from '../../../src/storage/tables.ts';
import { tempFolder } from '../../temp-folder.ts';

const FORM = 7;

async function open() {
	const file = join(tempFolder(), 'formsrv.db');
	const storage = openSqlite(file);
	await storage.batch((tx) => [
		tx.insert(forms).values({ id: FORM, mode: 'live', slug: 'contact', name: 'Contact' }),
		tx.insert(webhooks).values({ id: 1, formId: FORM, url: 'https://a.example', secret: 's', events: [] }),
	]);
	/** Returns whether a write moves the version. */
	async function moves(write: () => Promise<unknown>): Promise<boolean> {
		const before = storage.settingsVersion();
		await write();
		return storage.settingsVersion() !== before;
	}
	return { file, storage, moves };
}

test('submissions and deliveries leave it as it is', async () => {
	const { storage, moves } = await open();
	const submission = { formId: FORM, data: '{"a":"b"}', names: ['a'] };
	const delivery = {
		id: 2,
		formId: FORM,
		channel: 'webhook',
		webhookId: 1,
		state: 'waiting',
		destination: 'x',
	} as const;
	const row = { ...submission, spamReason: null, subject: null, replyTo: null, deliveries: [delivery] };
	let id = 0;
	const append = async () => {
		id = await storage.submissions.append(row);
	};
	expect(await moves(append)).toBe(false);
	expect(await moves(() => storage.submissions.change(FORM, [id], { isRead: true }))).toBe(false);
	const claim = () => storage.batch((tx) => [tx.update(deliveries).set({ state: 'sending' })]);
	expect(await moves(claim)).toBe(false);
	const failing = () => storage.batch((tx) => [tx.update(webhooks).set({ failingSince: 1 })]);
	expect(await moves(failing)).toBe(false);
	await storage.close();
});

test('each setting of a form or webhook, and each slug, moves it', async () => {
	const { storage, moves } = await open();
	const counts = [...COUNTERS, 'file_bytes'];
	for (const [table, others] of [
		[forms, counts],
		[webhooks, ['failing_since']],
	] as const) {
		for (const [name, column] of Object.entries(getTableColumns(table))) {
			const same = () => storage.batch((tx) => [tx.update(table).set({ [name]: sql`${column}` })]);
			expect([column.name, await moves(same)]).toEqual([
				column.name,
				!(others as readonly string[]).includes(column.name),
			]);
		}
	}
	expect(await moves(() => storage.batch((tx) => [tx.insert(formerSlugs).values({ slug: 'old', formId: FORM })]))).toBe(
		true,
	);
	expect(await moves(() => storage.batch((tx) => [tx.delete(formerSlugs)]))).toBe(true);
	expect(await moves(() => storage.batch((tx) => [tx.delete(webhooks).where(eq(webhooks.id, 1))]))).toBe(true);
	await storage.close();
});

test('a change that is undone does not move it, and what another process writes does', async () => {
	const { file, storage, moves } = await open();
	const other = openSqlite(file);
	const rename = (name: string) => other.batch((tx) => [tx.update(forms).set({ name })]);
	expect(await moves(() => rename('Other'))).toBe(true);
	const clash = (id: number) => ({ id, mode: 'live' as const, slug: 'contact', name: 'X' });
	const undone = () => storage.batch((tx) => [tx.update(forms).set({ name: 'Y' }), tx.insert(forms).values(clash(8))]);
	expect(await moves(() => undone().catch(() => {}))).toBe(false);
	await other.close();
	await storage.close();
});

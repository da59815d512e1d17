/** Many deliveries that wait are held, in commits between which others go. */

import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { createRetries } from '../../src/delivery/retries.ts';
import { openStorage } from '../../src/storage/open.ts';
import { deliveries, forms } from '../../src/storage/tables.ts';
import { newDatabase } from '../engine.ts';
import { tempFolder } from '../temp-folder.ts';

const FORM = 7;
const WAITING = 1300;
const ROWS_AT_ONCE = 100;

test('all that waits is held, some hundred in a commit, and nothing else', async () => {
	const storage = await openStorage(await newDatabase(tempFolder()));
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 's', name: 'n' })]);
	const row = (change: object) => ({
		id: storage.nextId(),
		formId: FORM,
		channel: 'mail' as const,
		state: 'waiting' as const,
		destination: 'owner@example.com',
		nextAttemptAt: 1,
		...change,
	});
	for (let made = 0; made < WAITING; made += ROWS_AT_ONCE) {
		await storage.batch((tx) => [tx.insert(deliveries).values(Array.from({ length: ROWS_AT_ONCE }, () => row({})))]);
	}
	const others = [
		{ state: 'sent', nextAttemptAt: null },
		{ state: 'sending', nextAttemptAt: Date.now() + 60_000 },
		{ state: 'withheld', nextAttemptAt: null },
	];
	await storage.batch((tx) => [tx.insert(deliveries).values(others.map(row))]);
	await storage.batch((tx) => [tx.insert(deliveries).values(row({ state: 'sending' }))]);
	const sizes: number[] = [];
	const watched: typeof storage = {
		...storage,
		async batch(build) {
			const results = await storage.batch(build);
			sizes.push((results[0] as unknown[]).length);
			return results;
		},
	};
	const retries = createRetries(watched, Date.now);
	expect(await retries.hold()).toBe(WAITING + 1);
	expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
	const left = await storage.db.select({ state: deliveries.state }).from(deliveries);
	const count = Map.groupBy(left, ({ state }) => state);
	expect([...count].map(([state, rows]) => `${rows.length} ${state}`).sort()).toEqual([
		'1 sending',
		'1 sent',
		'1 withheld',
		`${WAITING + 1} held`,
	]);
	const held = await storage.db.select().from(deliveries).where(eq(deliveries.state, 'held'));
	expect(held.every(({ nextAttemptAt, lastError }) => nextAttemptAt === null && lastError !== null)).toBe(true);
	await storage.close();
});

/** The budget of bytes: never more than there is, in turn for those who wait, and nothing lost or given twice. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createByteBudget } from '../../src/tasks/byte-budget.ts';

/** Returns whether a promise is settled once all that is due now has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
	const pending = Symbol('pending');
	await Bun.sleep(0);
	return (await Promise.race([promise.catch(() => {}), Promise.resolve(pending)])) !== pending;
}

test('admits what fits into its half, and no more', () => {
	const budget = createByteBudget(200);
	expect(budget.tryTake(60)).toBe(true);
	expect(budget.tryTake(41)).toBe(false);
	expect(budget.tryTake(40)).toBe(true);
	expect(budget.tryTake(1)).toBe(false);
	budget.give(60);
	expect(budget.tryTake(60)).toBe(true);
});

test('admits what is larger than its half, alone', () => {
	const budget = createByteBudget(200);
	expect(budget.tryTake(250)).toBe(true);
	expect(budget.tryTake(1)).toBe(false);
	budget.give(250);
	expect(budget.tryTake(1)).toBe(true);
});

test('keeps one half for callers that cannot wait, and one for those that can', async () => {
	const budget = createByteBudget(200);
	expect(budget.tryTake(100)).toBe(true);
	const releases = [await budget.take(50), await budget.take(50)];
	const waiting = budget.take(1);
	expect(await isSettled(waiting)).toBe(false);
	budget.give(100);
	expect(await isSettled(waiting)).toBe(false);
	expect(budget.tryTake(100)).toBe(true);
	for (const release of releases) release();
	await waiting;
});

test('admits one large request at a time, and small ones beside it', async () => {
	const budget = createByteBudget(200);
	const release = await budget.take(1_000);
	await budget.take(10);
	const large = budget.take(51);
	expect(await isSettled(large)).toBe(false);
	release(900);
	expect(await isSettled(large)).toBe(false);
	release(60);
	await large;
	const small = budget.take(1);
	expect(await isSettled(small)).toBe(false);
	release();
	await small;
});

test('collects garbage once much was released', async () => {
	let collections = 0;
	const budget = createByteBudget(200, { collect: () => collections++ });
	const MIB = 2 ** 20;
	(await budget.take(30 * MIB))();
	expect(budget.tryTake(2 * MIB)).toBe(true);
	await Bun.sleep(0);
	expect(collections).toBe(0);
	budget.give(2 * MIB);
	await Bun.sleep(0);
	expect(collections).toBe(1);
});

test('admits waiting requests in their order', async () => {
	const budget = createByteBudget(200);
	const first = await budget.take(40);
	const second = await budget.take(30);
	const large = budget.take(45);
	const small = budget.take(10);
	expect(await isSettled(small)).toBe(false);
	first();
	await large;
	await small;
	const last = budget.take(16);
	expect(await isSettled(last)).toBe(false);
	second();
	await last;
});

test('releases once, however often it is called', async () => {
	const budget = createByteBudget(200);
	const release = await budget.take(50);
	await budget.take(50);
	release();
	release();
	await budget.take(50);
	expect(await isSettled(budget.take(1))).toBe(false);
});

test('drops an aborted request, and admits those after it', async () => {
	const budget = createByteBudget(200);
	const release = await budget.take(90);
	const leaving = new AbortController();
	const large = budget.take(90, leaving.signal);
	const small = budget.take(20, new AbortController().signal);
	expect(await isSettled(small)).toBe(false);
	leaving.abort(new Error('gone'));
	await expect(large).rejects.toThrow('gone');
	(await small)();
	release();
	await budget.take(90);
	await expect(budget.take(1, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
});

test('in any order of takes, releases and aborts it keeps its bounds and loses no bytes', async () => {
	const step = fc.record({ bytes: fc.integer({ min: 1, max: 150 }), act: fc.constantFrom('take', 'give', 'leave') });
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
			const budget = createByteBudget(200);
			const held = new Map<() => void, number>();
			const leaving: AbortController[] = [];
			for (const { bytes, act } of steps) {
				if (act === 'take') {
					const controller = new AbortController();
					leaving.push(controller);
					budget.take(bytes, controller.signal).then(
						(release) => held.set(release, bytes),
						() => {},
					);
				} else if (act === 'give') {
					const [oldest] = held.keys();
					if (oldest) held.delete(oldest);
					oldest?.();
				} else leaving.pop()?.abort();
				await Promise.resolve();
				await Promise.resolve();
				const sizes = [...held.values()];
				expect(sizes.filter((bytes) => bytes > 50).length).toBeLessThan(2);
				expect(sizes.reduce((sum, bytes) => sum + Math.min(bytes, 50), 0)).toBeLessThanOrEqual(100);
			}
			for (const controller of leaving) controller.abort();
			await Bun.sleep(0);
			for (const release of held.keys()) release();
			await budget.take(50);
			await budget.take(50);
			expect(await isSettled(budget.take(1))).toBe(false);
		}),
		{ numRuns: 200 },
	);
});

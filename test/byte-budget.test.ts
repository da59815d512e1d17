/** The budget of bytes: never more than there is, in turn for those who wait, and nothing lost or given twice. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createByteBudget } from '../src/byte-budget.ts';

/** Whether a promise is settled once all that is due now has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
	const pending = Symbol('pending');
	await Bun.sleep(0);
	return (await Promise.race([promise.catch(() => {}), Promise.resolve(pending)])) !== pending;
}

test('takes what there is room for, and no more', () => {
	const budget = createByteBudget(100);
	expect(budget.tryTake(60)).toBe(true);
	expect(budget.tryTake(41)).toBe(false);
	expect(budget.tryTake(40)).toBe(true);
	expect(budget.tryTake(1)).toBe(false);
	budget.give(60);
	expect(budget.tryTake(60)).toBe(true);
});

test('lets in what is larger than all of it, alone', async () => {
	const budget = createByteBudget(100);
	const release = await budget.take(250);
	expect(budget.tryTake(1)).toBe(false);
	const next = budget.take(1);
	expect(await isSettled(next)).toBe(false);
	release();
	await next;
});

test('serves those who wait in the order in which they came', async () => {
	const budget = createByteBudget(100);
	const first = await budget.take(80);
	const large = budget.take(90);
	const small = budget.take(10);
	expect(await isSettled(small)).toBe(false);
	first();
	const release = await large;
	await small;
	expect(budget.tryTake(1)).toBe(false);
	release();
	expect(budget.tryTake(90)).toBe(true);
});

test('gives back once, however often it is told to', async () => {
	const budget = createByteBudget(100);
	const release = await budget.take(50);
	release();
	release();
	expect(budget.tryTake(100)).toBe(true);
	expect(budget.tryTake(1)).toBe(false);
});

test('forgets whoever stops waiting, and lets in those behind', async () => {
	const budget = createByteBudget(100);
	const release = await budget.take(50);
	const leaving = new AbortController();
	const large = budget.take(90, leaving.signal);
	const small = budget.take(20, new AbortController().signal);
	expect(await isSettled(small)).toBe(false);
	leaving.abort(new Error('gone'));
	await expect(large).rejects.toThrow('gone');
	(await small)();
	release();
	expect(budget.tryTake(100)).toBe(true);
	await expect(budget.take(1, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
});

test('whatever is taken, given back and given up in whatever order, it holds its bounds and loses nothing', async () => {
	const step = fc.record({ bytes: fc.integer({ min: 1, max: 150 }), act: fc.constantFrom('take', 'give', 'leave') });
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
			const budget = createByteBudget(100);
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
				const sum = [...held.values()].reduce((total, some) => total + some, 0);
				expect(sum <= 100 || held.size === 1).toBe(true);
			}
			for (const controller of leaving) controller.abort();
			await Bun.sleep(0);
			for (const release of held.keys()) release();
			expect(budget.tryTake(100)).toBe(true);
			expect(budget.tryTake(1)).toBe(false);
		}),
		{ numRuns: 200 },
	);
});

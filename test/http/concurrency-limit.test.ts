/** ConcurrencyLimit: limits per caller and in total, waiters in their order, and a time-out. */

import { expect, test } from 'bun:test';
import { createConcurrencyLimit } from '../../src/http/concurrency-limit.ts';
import { rejectionOfAsync } from '../rejection.ts';

const open = (waitMs = 10_000) => createConcurrencyLimit({ perCaller: 2, inAll: 3, waitMs, message: 'Too much.' });

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
	let isOver = false;
	const settle = () => {
		isOver = true;
	};
	promise.then(settle, settle);
	await Bun.sleep(0);
	return isOver;
}

test('each caller has a limit, and all callers together', async () => {
	const turns = open();
	const endFirst = await turns.take('a');
	await turns.take('a');
	const third = turns.take('a');
	const endOther = await turns.take('b');
	const late = turns.take('b');
	expect(await isSettled(third)).toBe(false);
	endOther();
	await late;
	expect(await isSettled(third)).toBe(false);
	endFirst();
	await third;
});

test('waiters get turns in their order, skipping callers at their limit', async () => {
	const turns = open();
	const ends = [await turns.take('a'), await turns.take('a'), await turns.take('b')];
	const order: string[] = [];
	const waiting = ['a', 'c', 'd'].map((caller) => turns.take(caller).then(() => order.push(caller)));
	ends[2]?.();
	await Bun.sleep(0);
	ends[0]?.();
	await Bun.sleep(0);
	ends[1]?.();
	await Bun.sleep(0);
	expect(order).toEqual(['c', 'a', 'd']);
	await Promise.all(waiting);
});

test('ending a turn is idempotent', async () => {
	const turns = open();
	const end = await turns.take('a');
	await turns.take('a');
	end();
	end();
	await turns.take('a');
	expect(await isSettled(turns.take('a'))).toBe(false);
});

test('a waiter times out with UNAVAILABLE, and gets no turn afterwards', async () => {
	const turns = open(20);
	const ends = [await turns.take('a'), await turns.take('a')];
	const refused = await turns.take('a').catch((error) => error);
	expect(await rejectionOfAsync(() => Promise.reject(refused))).toEqual({ code: 'UNAVAILABLE', message: 'Too much.' });
	expect(refused.details.retryAfterSeconds).toBe(5);
	for (const end of ends) end();
	const again = await Promise.all([turns.take('a'), turns.take('a')]);
	expect(again).toHaveLength(2);
});

test('two callers who hold what they can leave a turn for a third, whoever waits before it', async () => {
	const turns = createConcurrencyLimit({ perCaller: 4, inAll: 8, waitMs: 10_000, message: 'Too much.' });
	const slow = Array.from('aaaaabbbb', (caller) => turns.take(caller));
	const third = turns.take('third');
	const [a1, a2, a3, a4, a5, b1, b2, b3, b4] = await Promise.all(slow.map(isSettled));
	expect([a1, a2, a3, a4, a5]).toEqual([true, true, true, true, false]);
	expect([b1, b2, b3, b4]).toEqual([true, true, true, false]);
	expect(await isSettled(third)).toBe(true);
	const late = turns.take('fourth');
	(await slow[0])?.();
	expect(await isSettled(late)).toBe(true);
	expect(await isSettled(slow[4] as Promise<unknown>)).toBe(false);
});

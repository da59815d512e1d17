/** Turns: a few of each caller and of all, the others in the order in which they came, and not for ever. */

import { expect, test } from 'bun:test';
import { createTurns } from '../../src/http/turns.ts';
import { refusalOfAsync } from '../refusal.ts';

const open = (waitMs = 10_000) => createTurns({ perCaller: 2, inAll: 3, waitMs, message: 'Too much.' });

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
	const pending = Symbol('pending');
	await Bun.sleep(0);
	return (await Promise.race([promise.catch(() => {}), Promise.resolve(pending)])) !== pending;
}

test('a caller has a few at a time, and so have all together', async () => {
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

test('those who wait come in their order, past whoever has as many as he may', async () => {
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

test('a turn ends once, however often it is told to', async () => {
	const turns = open();
	const end = await turns.take('a');
	await turns.take('a');
	end();
	end();
	await turns.take('a');
	expect(await isSettled(turns.take('a'))).toBe(false);
});

test('who waits for too long is asked to come back, and has no turn afterwards', async () => {
	const turns = open(20);
	const ends = [await turns.take('a'), await turns.take('a')];
	const refused = await turns.take('a').catch((error) => error);
	expect(await refusalOfAsync(() => Promise.reject(refused))).toEqual({ code: 'UNAVAILABLE', message: 'Too much.' });
	expect(refused.details.retryAfterSeconds).toBe(5);
	for (const end of ends) end();
	const again = await Promise.all([turns.take('a'), turns.take('a')]);
	expect(again).toHaveLength(2);
});

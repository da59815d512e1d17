/** A step that is repeated with pauses. */

import { expect, test } from 'bun:test';
import { repeat } from '../../src/tasks/repeat.ts';

const LONG_MS = 3_600_000;

test('wake ends the pause, and during a step skips the next one', async () => {
	let steps = 0;
	const { promise, resolve } = Promise.withResolvers<void>();
	const loop = repeat(async () => {
		steps++;
		if (steps === 1) loop.wake();
		if (steps === 2) resolve();
		return LONG_MS;
	}, LONG_MS);
	loop.wake();
	await promise;
	await loop.stop();
	expect(steps).toBe(2);
});

test('stop waits for the present step, and ends a pause at once', async () => {
	const begun = Promise.withResolvers<void>();
	const gate = Promise.withResolvers<void>();
	let hasEnded = false;
	const loop = repeat(async () => {
		begun.resolve();
		await gate.promise;
		hasEnded = true;
		return LONG_MS;
	}, 0);
	await begun.promise;
	const stopped = loop.stop();
	gate.resolve();
	await stopped;
	expect(hasEnded).toBe(true);
	await repeat(async () => LONG_MS, LONG_MS).stop();
});

/** When deliveries are tried again. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
	longestWait,
	MAIL_SCHEDULE,
	type Schedule,
	WEBHOOK_SCHEDULE,
	waitAfter,
} from '../../../src/delivery/worker/backoff.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const middle = () => 0.5;

function allWaits(schedule: Schedule): number[] {
	const waits: number[] = [];
	for (let attempts = 1; ; attempts++) {
		const wait = waitAfter(schedule, attempts, middle);
		if (wait === undefined) return waits;
		waits.push(wait);
	}
}

test('a mail waits 1, 5, 15, 30 and 60 minutes, then about an hour each time', () => {
	const minutes = allWaits(MAIL_SCHEDULE).map((wait) => wait / MINUTE);
	expect(minutes.slice(0, 7)).toEqual([1, 5, 15, 30, 60, 63, 63]);
	expect(new Set(minutes.slice(5))).toEqual(new Set([63]));
});

test.each([
	['a mail', MAIL_SCHEDULE, 120],
	['a webhook', WEBHOOK_SCHEDULE, 25],
])('%s is given up when its waits add up to the agreed time, not before', (_, schedule, hours) => {
	const total = allWaits(schedule).reduce((sum, wait) => sum + wait, 0);
	expect(total).toBeGreaterThanOrEqual(hours * HOUR);
	expect(total).toBeLessThan(hours * HOUR + longestWait(schedule));
});

test('a wait differs by a tenth at most from the plan, and never exceeds the longest', () => {
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 118 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, dice) => {
			const planned = waitAfter(MAIL_SCHEDULE, attempts, middle) as number;
			const wait = waitAfter(MAIL_SCHEDULE, attempts, () => dice) as number;
			expect(wait).toBeGreaterThanOrEqual(Math.floor(planned * 0.9));
			expect(wait).toBeLessThanOrEqual(Math.ceil(planned * 1.1));
			expect(wait).toBeLessThanOrEqual(longestWait(MAIL_SCHEDULE));
		}),
	);
});

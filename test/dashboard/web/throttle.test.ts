/** Repeated calls run soon, and not each time. */

import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { createThrottle } from '../../../src/dashboard/web/throttle.ts';

describe('a throttle', () => {
	beforeEach(() => void jest.useFakeTimers());
	afterEach(() => void jest.useRealTimers());

	test('runs once for many calls', () => {
		const run = jest.fn();
		const soon = createThrottle(run, 100);
		for (let call = 0; call < 10; call += 1) soon();
		expect(run).not.toHaveBeenCalled();
		jest.advanceTimersByTime(100);
		expect(run).toHaveBeenCalledTimes(1);
	});

	test('is not postponed by a steady stream of calls', () => {
		const run = jest.fn();
		const soon = createThrottle(run, 100);
		for (let call = 0; call < 50; call += 1) {
			soon();
			jest.advanceTimersByTime(10);
		}
		expect(run.mock.calls.length).toBeGreaterThanOrEqual(4);
	});

	test('can be cancelled', () => {
		const run = jest.fn();
		const soon = createThrottle(run, 100);
		soon();
		soon.cancel();
		jest.advanceTimersByTime(1000);
		expect(run).not.toHaveBeenCalled();
		soon();
		jest.advanceTimersByTime(100);
		expect(run).toHaveBeenCalledTimes(1);
	});
});

import { expect, test } from 'bun:test';
import type { AppError } from '../../src/errors.ts';
import { createRateLimiter, type RateState, rateHeaders, setRateHeaders } from '../../src/http/rate-limit.ts';

function limited(attempt: () => unknown): AppError | undefined {
	try {
		attempt();
	} catch (error) {
		return error as AppError;
	}
	return undefined;
}

test('a caller may send as many requests as the limit, and again after the minute', () => {
	const clock = { now: 1000 };
	const limiter = createRateLimiter(2, () => clock.now);
	expect(limiter.take('a')).toEqual({ limit: 2, remaining: 1, resetSeconds: 60 });
	expect(limiter.take('a')).toEqual({ limit: 2, remaining: 0, resetSeconds: 60 });
	clock.now += 30_500;
	const refusal = limited(() => limiter.take('a'));
	expect(refusal?.code).toBe('RATE_LIMITED');
	expect(refusal?.details.retryAfterSeconds).toBe(30);
	expect(limiter.take('b')?.remaining).toBe(1);
	clock.now += 29_500;
	expect(limiter.take('a')?.remaining).toBe(1);
});

test('what is not rejected is counted too, by a name or an id', () => {
	const clock = { now: 1000 };
	const limiter = createRateLimiter(2, () => clock.now);
	expect([7, 7, 7, 8].map((id) => limiter.isOver(id))).toEqual([false, false, true, false]);
	clock.now += 60_000;
	expect(limiter.isOver(7)).toBe(false);
	expect(createRateLimiter(0).isOver(7)).toBe(false);
});

test('a caller has a count for each target', () => {
	const clock = { now: 1000 };
	const limiter = createRateLimiter(1, () => clock.now);
	for (const target of [1, 2, '1 status', undefined]) {
		expect(limiter.take('a', target)?.remaining).toBe(0);
		expect(limited(() => limiter.take('a', target))?.code).toBe('RATE_LIMITED');
	}
	clock.now += 60_000;
	expect(limiter.take('a', 2)?.remaining).toBe(0);
});

test('beyond the most callers the oldest counts are dropped, whatever their targets', () => {
	const limiter = createRateLimiter(1, () => 1000);
	limiter.take('first', 1);
	limiter.take('second', 2);
	limiter.take('third', 1);
	for (let i = 0; i < 100_000 - 1; i++) limiter.take(i, 2);
	expect(limited(() => limiter.take('third', 1))?.code).toBe('RATE_LIMITED');
	expect(limiter.take('second', 2)?.remaining).toBe(0);
	expect(limiter.take('first', 1)?.remaining).toBe(0);
});

test('a clock that was set back frees callers instead of locking them out', () => {
	const clock = { now: 10_000_000 };
	const limiter = createRateLimiter(1, () => clock.now);
	limiter.take('a');
	clock.now -= 5_000_000;
	expect(limiter.take('a')?.remaining).toBe(0);
});

test('0 switches it off', () => {
	const limiter = createRateLimiter(0);
	for (let i = 0; i < 10_000; i++) expect(limiter.take('a')).toBeUndefined();
});

test('the headers give limit, remaining and reset', () => {
	expect(rateHeaders({ limit: 300, remaining: 12, resetSeconds: 7 })).toEqual({
		'RateLimit-Limit': '300',
		'RateLimit-Remaining': '12',
		'RateLimit-Reset': '7',
	});
});

test('headers of a request before become those of this one', () => {
	const headers = new Headers();
	let before: RateState | undefined;
	for (const state of [
		{ limit: 9, remaining: 8, resetSeconds: 60 },
		{ limit: 9, remaining: 8, resetSeconds: 59 },
		{ limit: 9, remaining: 7, resetSeconds: 59 },
		{ limit: 8, remaining: 7, resetSeconds: 59 },
	]) {
		setRateHeaders(headers, state, before);
		expect(headers).toEqual(new Headers(rateHeaders(state)));
		before = state;
	}
});

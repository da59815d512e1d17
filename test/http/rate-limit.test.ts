import { describe, expect, test } from 'bun:test';
import type { AppError } from '../../src/errors.ts';
import { widerNetworks } from '../../src/http/client-address.ts';
import { createRateLimiter, createServerWindows, rateHeaders } from '../../src/http/rate-limit.ts';
import { createRateWindows } from '../../src/http/rate-windows.ts';

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
	const limiter = createRateLimiter(2, { now: () => clock.now });
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
	const limiter = createRateLimiter(2, { now: () => clock.now });
	expect(['7', '7', '7', '8'].map((id) => limiter.isOver(id))).toEqual([false, false, true, false]);
	clock.now += 60_000;
	expect(limiter.isOver('7')).toBe(false);
	expect(createRateLimiter(0).isOver('7')).toBe(false);
});

test('a caller has a count for each target', () => {
	const clock = { now: 1000 };
	const limiter = createRateLimiter(1, { now: () => clock.now });
	for (const target of [1, 2, 2 ** 32 + 1, undefined]) {
		expect(limiter.take('a', target)?.remaining).toBe(0);
		expect(limited(() => limiter.take('a', target))?.code).toBe('RATE_LIMITED');
	}
	clock.now += 60_000;
	expect(limiter.take('a', 2)?.remaining).toBe(0);
});

describe('beyond the room for addresses', () => {
	const BYTES = 64 * 1024;
	const WINDOWS = BYTES / 16;
	/** Returns an address: each 250 are of another /24, each 64,000 of another /16, and none is that of a bystander. */
	const addressOf = (i: number) => `10.${(i / 64_000) | 0}.${((i / 250) | 0) % 256}.${i % 250}`;

	function openLimiters(limit = 2) {
		const clock = { now: 1_000_000 };
		const windows = createRateWindows(60_000, BYTES);
		const options = { windows, widen: widerNetworks, now: () => clock.now };
		const limiter = createRateLimiter(limit, options);
		const other = createRateLimiter(limit, options);
		let accepted = 0;
		const fill = () => {
			for (let i = 0; i < 50_000; i++) if (!limiter.isOver(addressOf(i))) accepted++;
		};
		/** Leaves no room for another address, of whatever network. */
		const fillRoom = () => {
			for (let i = 0; i < 20 * WINDOWS; i++) {
				const place = windows.open(windows.nameOf(`${i}`, 0, 0), clock.now, 0);
				if (place >= 0) windows.addAt(place);
			}
		};
		return { clock, windows, limiter, other, fill, fillRoom, accepted: () => accepted };
	}

	test('who has a count keeps it, in every limiter', () => {
		const { limiter, other, fill, fillRoom } = openLimiters();
		for (const one of [limiter, other]) {
			expect([one.isOver('192.0.2.1'), one.isOver('192.0.2.1'), one.isOver('192.0.2.1')]).toEqual([false, false, true]);
			expect(one.isOver('198.51.100.7')).toBe(false);
		}
		fill();
		fillRoom();
		for (const one of [limiter, other]) {
			expect(one.isOver('192.0.2.1')).toBe(true);
			expect([one.isOver('198.51.100.7'), one.isOver('198.51.100.7')]).toEqual([false, true]);
		}
	});

	test('networks are counted, and nobody is not', () => {
		const { fill, accepted, windows } = openLimiters();
		fill();
		expect(windows.bytes()).toBeLessThanOrEqual(BYTES);
		expect(accepted()).toBeLessThanOrEqual(2 * WINDOWS);
		const before = accepted();
		fill();
		fill();
		// A caller may come a second time: the limit is two.
		expect(accepted()).toBeLessThanOrEqual(2 * WINDOWS);
		expect(accepted()).toBeGreaterThan(before);
	});

	test('a new caller is counted with the others of a network', () => {
		const { limiter, fillRoom } = openLimiters();
		fillRoom();
		expect([1, 2, 3].map((end) => limiter.isOver(`203.0.113.${end}`))).toEqual([false, false, true]);
		expect(limiter.isOver('198.51.100.7')).toBe(false);
	});

	test('who was counted in a network stays there until its minute is over, though there is room again', () => {
		const { clock, limiter, fillRoom } = openLimiters();
		fillRoom();
		clock.now += 30_000;
		expect([limiter.isOver('203.0.113.1'), limiter.isOver('203.0.113.2')]).toEqual([false, false]);
		clock.now += 30_001;
		expect([limiter.isOver('203.0.113.1'), limiter.isOver('203.0.113.9')]).toEqual([true, true]);
		expect(limiter.isOver('192.0.2.1')).toBe(false);
		clock.now += 30_000;
		expect([limiter.isOver('203.0.113.1'), limiter.isOver('203.0.113.9')]).toEqual([false, false]);
	});

	test('a new address in each request of a large IPv6 network is one caller at last', () => {
		const { limiter } = openLimiters();
		let accepted = 0;
		for (let i = 0; i < 200_000; i++) {
			const groups = [i & 0xffff, i >> 3].map((group) => group.toString(16)).join(':');
			if (!limiter.isOver(`2001:db8:${groups}::/64`)) accepted++;
		}
		expect(accepted).toBeLessThanOrEqual(2 * WINDOWS);
		expect(limiter.isOver('2001:db8:fedc:1::/64')).toBe(true);
		expect(limiter.isOver('2a00:1234:1:1::/64')).toBe(false);
	});

	test('the windows of all limiters of a server take 16 MiB at most, however many addresses there are', () => {
		const windows = createServerWindows();
		const limiters = [1, 2, 3].map(() => createRateLimiter(1, { windows, widen: widerNetworks, now: () => 1000 }));
		for (const limiter of limiters) for (let i = 0; i < 300_000; i++) limiter.isOver(addressOf(i));
		expect(windows.bytes()).toBe(16 * 1024 * 1024);
		for (const limiter of limiters) for (const i of [0, 299_999]) expect(limiter.isOver(addressOf(i))).toBe(true);
	});
});

test('a clock that was set back frees callers instead of locking them out', () => {
	const clock = { now: 10_000_000 };
	const limiter = createRateLimiter(1, { now: () => clock.now });
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

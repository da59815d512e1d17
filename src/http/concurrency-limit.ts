/** Limits concurrent expensive operations, per caller and in total; further callers wait for a turn. */

import { AppError } from '../errors.ts';
import { disposable } from '../tasks/disposable.ts';

interface ConcurrencyLimitOptions {
	perCaller: number;
	inAll: number;
	waitMs: number;
	/** The error after `waitMs`. */
	message: string;
}

interface Waiter {
	caller: string;
	begin(): void;
}

/** Ends a turn; idempotent. */
export type EndTurn = (() => void) & Disposable;

export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>;

const RETRY_AFTER_SECONDS = 5;

export function createConcurrencyLimit({ perCaller, inAll, waitMs, message }: ConcurrencyLimitOptions) {
	/** Turns by caller; callers without one are absent. */
	const running = new Map<string, number>();
	let total = 0;
	const waiting: Waiter[] = [];

	/** A caller gets another turn only while as many are free as it has: else a few slow ones would have them all. */
	function hasRoom(caller: string): boolean {
		const own = running.get(caller) ?? 0;
		const free = inAll - total;
		return free > 0 && own < perCaller && own <= free;
	}

	function start(caller: string): EndTurn {
		total++;
		running.set(caller, (running.get(caller) ?? 0) + 1);
		let isOver = false;
		return disposable(() => {
			if (isOver) return;
			isOver = true;
			end(caller);
		});
	}

	function end(caller: string): void {
		total--;
		const rest = (running.get(caller) ?? 0) - 1;
		if (rest > 0) running.set(caller, rest);
		else running.delete(caller);
		const next = waiting.findIndex((waiter) => hasRoom(waiter.caller));
		if (next >= 0) waiting.splice(next, 1)[0]?.begin();
	}

	return {
		/** Waits for a turn. @throws AppError UNAVAILABLE if there is none for too long */
		take(caller: string): Promise<EndTurn> {
			if (hasRoom(caller)) return Promise.resolve(start(caller));
			return new Promise((resolve, reject) => {
				const waiter = {
					caller,
					begin() {
						clearTimeout(timer);
						resolve(start(caller));
					},
				};
				const timer = setTimeout(() => {
					waiting.splice(waiting.indexOf(waiter), 1);
					reject(new AppError('UNAVAILABLE', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, isOverload: true }));
				}, waitMs);
				waiting.push(waiter);
			});
		},
	};
}

/** A budget of bytes, shared by everything that holds submitted content in memory. */

import { disposable } from './disposable.ts';

export type ByteBudget = ReturnType<typeof createByteBudget>;

/** Returns bytes to the budget, by default all that are left. */
type Release = ((bytes?: number) => void) & Disposable;

interface Waiter {
	bytes: number;
	admit(): void;
}

/** Released bytes stay in memory until they are collected, which the runtime may delay for hundreds of MiB. */
const COLLECT_AFTER_BYTES = 32 * 1024 * 1024;

/**
 * At most `totalBytes` are held at one time. One half is for `tryTake`, which does not wait, the other for `take`, which
 * does: neither can starve the other. In the second half, a request larger than half of it counts as half, and is admitted
 * only while no other large one is held, so that small ones have room besides it.
 */
export function createByteBudget(totalBytes: number, { collect = () => Bun.gc(true) } = {}) {
	const half = totalBytes / 2;
	const largest = half / 2;
	/** First in, first out: a small request must not overtake a large one, which would starve. */
	const waiting: Waiter[] = [];
	/** Bytes held by `tryTake`, and by `take`. */
	let tried = 0;
	let taken = 0;
	let isLargeHeld = false;
	let garbage = 0;

	const hasRoom = (bytes: number) => !(bytes > largest && isLargeHeld) && taken + Math.min(bytes, largest) <= half;

	function count(bytes: number): void {
		taken += Math.min(bytes, largest);
		if (bytes > largest) isLargeHeld = true;
	}

	function admit(): void {
		for (let first = waiting[0]; first && hasRoom(first.bytes); first = waiting[0]) {
			waiting.shift();
			count(first.bytes);
			first.admit();
		}
	}

	function discard(bytes: number): void {
		garbage += bytes;
		if (garbage < COLLECT_AFTER_BYTES) return;
		garbage = 0;
		// Later, because the caller still references the bytes that it releases.
		setImmediate(collect);
	}

	function releaseOf(bytes: number): Release {
		let rest = bytes;
		return disposable((released = rest) => {
			if (released === 0) return;
			const before = rest;
			rest -= released;
			taken += Math.min(rest, largest) - Math.min(before, largest);
			if (before > largest && rest <= largest) isLargeHeld = false;
			discard(released);
			admit();
		});
	}

	return {
		/** Takes bytes if there is room now; return them by `give`. */
		tryTake(bytes: number): boolean {
			if (tried > 0 && tried + bytes > half) return false;
			tried += bytes;
			return true;
		},
		/** @param garbage The bytes that stay in memory until they are collected. */
		give(bytes: number, garbage = bytes): void {
			tried -= bytes;
			discard(garbage);
		},
		/**
		 * Takes bytes as soon as there is room, first in first out. A holder must not wait for more.
		 * @param signal Ends the wait and rejects the promise with its reason.
		 */
		take(bytes: number, signal?: AbortSignal): Promise<Release> {
			if (signal?.aborted) return Promise.reject(signal.reason);
			if (waiting.length === 0 && hasRoom(bytes)) {
				count(bytes);
				return Promise.resolve(releaseOf(bytes));
			}
			return new Promise((resolve, reject) => {
				const abort = () => {
					waiting.splice(waiting.indexOf(waiter), 1);
					admit();
					reject(signal?.reason);
				};
				const waiter: Waiter = {
					bytes,
					admit() {
						signal?.removeEventListener('abort', abort);
						resolve(releaseOf(bytes));
					},
				};
				waiting.push(waiter);
				signal?.addEventListener('abort', abort, { once: true });
			});
		},
	};
}

/**
 * A part of a budget for slow holders: they wait for each other first, so that they do not block the other holders of
 * the budget.
 */
export function createShare(budget: Pick<ByteBudget, 'take'>, bytes: number): Pick<ByteBudget, 'take'> {
	const share = createByteBudget(2 * bytes, { collect: () => {} });
	return {
		async take(wanted, signal) {
			const leave = await share.take(wanted, signal);
			try {
				const release = await budget.take(wanted, signal);
				return disposable((released?: number) => {
					release(released);
					leave(released);
				});
			} catch (error) {
				leave();
				throw error;
			}
		},
	};
}

/** A budget of bytes, shared by everything that holds submitted content in memory. */

export type ByteBudget = ReturnType<typeof createByteBudget>;

/** Gives back so many of the bytes that were taken; all that are left, if it is not said how many. */
export type Release = (bytes?: number) => void;

interface Waiter {
	bytes: number;
	admit(): void;
}

/** What was given back lies in memory until it is collected, which the runtime may put off for hundreds of MiB. */
const COLLECT_AFTER_BYTES = 32 * 1024 * 1024;

/**
 * What is held at one moment comes to `totalBytes` at most. Half of it is for those who cannot wait, who ask by
 * `tryTake`, and half for those who wait their turn, by `take`: so neither keeps the other out, however slow it is.
 * In the half of those who wait, something larger than half of that counts as no more, and is let in when nothing
 * else as large is held: the small ones have room beside it.
 */
export function createByteBudget(totalBytes: number, { collect = () => Bun.gc(true) } = {}) {
	const half = totalBytes / 2;
	const largest = half / 2;
	/** In the order in which they came: a small one does not pass a large one, or that would never have its turn. */
	const waiting: Waiter[] = [];
	/** By those who cannot wait, and by those who waited. */
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
		// Not at once: whoever gives back still has hold of what it gives back.
		setImmediate(collect);
	}

	function releaseOf(bytes: number): Release {
		let rest = bytes;
		return (given = rest) => {
			if (given === 0) return;
			const before = rest;
			rest -= given;
			taken += Math.min(rest, largest) - Math.min(before, largest);
			if (before > largest && rest <= largest) isLargeHeld = false;
			discard(given);
			admit();
		};
	}

	return {
		/** Takes bytes if there is room now; then they are to be given back by `give`. */
		tryTake(bytes: number): boolean {
			if (tried > 0 && tried + bytes > half) return false;
			tried += bytes;
			return true;
		},
		give(bytes: number): void {
			tried -= bytes;
			discard(bytes);
		},
		/**
		 * Takes bytes as soon as there is room, first come first served. Whoever holds some must not wait for more.
		 * @param signal Ends the waiting; the promise is rejected with its reason.
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
 * A part of a budget for those who may be slow with what they hold: they wait for each other first, so that they do not
 * hold up all who share the budget.
 */
export function createShare(budget: Pick<ByteBudget, 'take'>, bytes: number): Pick<ByteBudget, 'take'> {
	const share = createByteBudget(2 * bytes, { collect: () => {} });
	return {
		async take(wanted, signal) {
			const leave = await share.take(wanted, signal);
			try {
				const release = await budget.take(wanted, signal);
				return (given) => {
					release(given);
					leave(given);
				};
			} catch (error) {
				leave();
				throw error;
			}
		},
	};
}

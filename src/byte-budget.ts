/** A budget of bytes, shared by everything that holds submitted content in memory. */

export type ByteBudget = ReturnType<typeof createByteBudget>;

interface Waiter {
	bytes: number;
	admit(): void;
}

/**
 * What is held at one moment comes to `totalBytes` at most. Something larger than that is let in when nothing else is held.
 * Those who cannot wait ask by `tryTake`, and are not held up by those who wait; so they must not take more than a part of it.
 */
export function createByteBudget(totalBytes: number) {
	/** In the order in which they came: a small one does not pass a large one, or that would never have its turn. */
	const waiting: Waiter[] = [];
	let held = 0;

	const hasRoom = (bytes: number) => held === 0 || held + bytes <= totalBytes;

	function give(bytes: number): void {
		held -= bytes;
		for (let first = waiting[0]; first && hasRoom(first.bytes); first = waiting[0]) {
			waiting.shift();
			held += first.bytes;
			first.admit();
		}
	}

	function releaseOf(bytes: number): () => void {
		let rest = bytes;
		return () => {
			const given = rest;
			rest = 0;
			if (given > 0) give(given);
		};
	}

	return {
		/** Takes bytes if there is room now; then they are to be given back by `give`. */
		tryTake(bytes: number): boolean {
			if (!hasRoom(bytes)) return false;
			held += bytes;
			return true;
		},
		give,
		/**
		 * Takes bytes as soon as there is room, first come first served.
		 * @param signal Ends the waiting; the promise is rejected with its reason.
		 * @returns what gives them back, which may be called more than once.
		 */
		take(bytes: number, signal?: AbortSignal): Promise<() => void> {
			if (signal?.aborted) return Promise.reject(signal.reason);
			if (waiting.length === 0 && hasRoom(bytes)) {
				held += bytes;
				return Promise.resolve(releaseOf(bytes));
			}
			return new Promise((resolve, reject) => {
				const abort = () => {
					waiting.splice(waiting.indexOf(waiter), 1);
					give(0);
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

/** Bytes that have arrived and are not parsed yet. */

const EMPTY = Buffer.alloc(0);

/** A chunk that finds the queue empty is not copied: what is taken out is a part of it, until `detach`. */
export function createByteQueue() {
	let bytes: Buffer = EMPTY;
	let start = 0;
	let end = 0;
	/** True if `bytes` is the queue's own memory, which it may overwrite. */
	let isOwn = false;
	let isEnded = false;

	/** Returns the queue's former memory at once, which would be collected only after tens of MiB. */
	function replace(next: Buffer, isNextOwn: boolean): void {
		if (isOwn && next !== bytes) (bytes.buffer as ArrayBuffer).transfer(0);
		bytes = next;
		isOwn = isNextOwn;
	}

	/** Doubles the memory, so that the total copied stays in proportion to the total appended. */
	function makeRoom(needed: number): void {
		if (isOwn && end + needed <= bytes.length) return;
		const length = end - start;
		const target =
			isOwn && 2 * (length + needed) <= bytes.length ? bytes : Buffer.allocUnsafeSlow(2 * (length + needed));
		bytes.copy(target, 0, start, end);
		replace(target, true);
		start = 0;
		end = length;
	}

	return {
		append(chunk: Uint8Array): void {
			if (start === end) {
				replace(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length), false);
				start = 0;
				end = chunk.length;
				return;
			}
			makeRoom(chunk.length);
			bytes.set(chunk, end);
			end += chunk.length;
		},
		/** Copies what is left of the last chunk, which may then be used for something else. */
		detach(): void {
			if (!isOwn && start < end) makeRoom(0);
		},
		/** No more will be appended. */
		finish(): void {
			isEnded = true;
		},
		isEnded: () => isEnded,
		length: () => end - start,
		/** -1 if it is not there. */
		indexOf(text: Buffer, from = 0): number {
			// The memory may hold older bytes behind the end.
			const at = bytes.indexOf(text, start + from);
			return at === -1 || at + text.length > end ? -1 : at - start;
		},
		startsWith(text: Buffer, at = 0): boolean {
			const from = start + at;
			if (from + text.length > end) return false;
			for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text[i]) return false;
			return true;
		},
		/** How many of the first bytes are among these. */
		countLeading(among: Buffer): number {
			let at = start;
			while (at < end && among.includes(bytes[at] as number)) at++;
			return at - start;
		},
		/** How many of the last bytes may be the beginning of this text. */
		countBegun(text: Buffer): number {
			const waiting = bytes.subarray(Math.max(start, end - text.length + 1), end);
			for (let at = waiting.indexOf(text[0] as number); at !== -1; at = waiting.indexOf(text[0] as number, at + 1)) {
				if (text.compare(waiting, at, waiting.length, 0, waiting.length - at) === 0) return waiting.length - at;
			}
			return 0;
		},
		skip(count: number): void {
			start += count;
		},
		take(count: number): Buffer {
			start += count;
			return bytes.subarray(start - count, start);
		},
	};
}

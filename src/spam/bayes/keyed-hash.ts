/** Pure: HalfSipHash-2-4, which turns a token into a number that reveals nothing without the key. */

const BLANK = 0x20;

/** Hashes a text, or two with a blank between. */
export type KeyedHash = (first: string, second?: string) => number;

/** @param key 64 hexadecimal characters, of which the first 16 count. Returns numbers of 32 bits. */
export function createKeyedHash(key: string): KeyedHash {
	const k0 = Number.parseInt(key.slice(0, 8), 16) | 0;
	const k1 = Number.parseInt(key.slice(8, 16), 16) | 0;

	return (first, second) => {
		const length = second === undefined ? first.length : first.length + 1 + second.length;
		let v0 = k0;
		let v1 = k1;
		let v2 = 0x6c796765 ^ k0;
		let v3 = 0x74656462 ^ k1;
		// Two UTF-16 code units at a time, then what is left with the number of bytes, then twice nothing.
		const last = length >> 1;
		for (let block = 0; block <= last + 2; block++) {
			let word = 0;
			if (block < last) word = unitAt(2 * block, first, second) | (unitAt(2 * block + 1, first, second) << 16);
			else if (block === last) word = ((2 * length) << 24) | (length & 1 ? unitAt(2 * last, first, second) : 0);
			else if (block === last + 1) v2 ^= 0xff;
			v3 ^= word;
			for (let round = 0; round < 2; round++) {
				v0 = (v0 + v1) | 0;
				v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
				v0 = (v0 << 16) | (v0 >>> 16);
				v2 = (v2 + v3) | 0;
				v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
				v0 = (v0 + v3) | 0;
				v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
				v2 = (v2 + v1) | 0;
				v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
				v2 = (v2 << 16) | (v2 >>> 16);
			}
			v0 ^= word;
		}
		return (v1 ^ v3) >>> 0;
	};
}

function unitAt(at: number, first: string, second?: string): number {
	if (at < first.length) return first.charCodeAt(at);
	return at === first.length ? BLANK : (second as string).charCodeAt(at - first.length - 1);
}

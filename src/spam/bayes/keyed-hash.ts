/** Pure: HalfSipHash-2-4, which turns a token into a number that reveals nothing without the key. */

export type KeyedHash = (text: string) => number;

/** @param key 64 hexadecimal characters, of which the first 16 count. Returns numbers of 32 bits. */
export function createKeyedHash(key: string): KeyedHash {
	const k0 = Number.parseInt(key.slice(0, 8), 16) | 0;
	const k1 = Number.parseInt(key.slice(8, 16), 16) | 0;

	return (text) => {
		let v0 = k0;
		let v1 = k1;
		let v2 = 0x6c796765 ^ k0;
		let v3 = 0x74656462 ^ k1;

		function round(): void {
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

		function take(word: number): void {
			v3 ^= word;
			round();
			round();
			v0 ^= word;
		}

		// Two UTF-16 code units at a time, then what is left with the number of bytes.
		const { length } = text;
		let at = 0;
		for (; at + 1 < length; at += 2) take(text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16));
		take(((2 * length) << 24) | (at < length ? text.charCodeAt(at) : 0));
		v2 ^= 0xff;
		round();
		round();
		round();
		round();
		return (v1 ^ v3) >>> 0;
	};
}

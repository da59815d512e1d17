/** Random numbers that are the same for the same seed. */

export type Random = (bound: number) => number;

/** Returns whole numbers from 0 to below a bound. */
export function seeded(seed: number): Random {
	let state = Math.imul(seed, 0x9e3779b9);
	return (bound) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
	};
}

/** The windows of all rate limiters in one table of bounded size, in which who has a window keeps it until it ends. */

/** Limit of the table at its largest, a million windows; while it grows, half as much more. */
const MAX_BYTES = 16 * 1024 * 1024;
const FIRST_SETS = 64;
/** A window may lie at any of so many places, and takes so many words: two of its name, its count, its end. */
const WAYS = 8;
const WORDS = 4;
const SET_WORDS = WAYS * WORDS;
const COUNT = 2;
const END = 3;
/** The unit of ends: 32 bits of it are more than eight years. */
const TICK_MS = 64;

/** How wide a caller is: an address, a network, a larger network. */
type Width = 0 | 1 | 2;
/** Places of each set that are left to wider callers, so that these find room when addresses have taken all theirs. */
const WIDEST = 2;

/** By which a window is found: two numbers of 32 bits. */
interface WindowName {
	high: number;
	low: number;
}

export type RateWindows = ReturnType<typeof createRateWindows>;

/** @param windowMs How long a window is. */
export function createRateWindows(windowMs: number, maxBytes = MAX_BYTES) {
	const windowTicks = Math.floor(windowMs / TICK_MS);
	// Secret, so that clients cannot look for callers that share a window, or a set.
	const [seed = 0, otherSeed = 0] = crypto.getRandomValues(new Uint32Array(2));
	/** The caller that was looked up last: a request is counted more than once. */
	const last = { caller: '', high: Bun.hash.xxHash32('', seed), low: Bun.hash.xxHash32('', otherSeed) };
	const name: WindowName = { high: 0, low: 0 };
	let table = new Uint32Array(FIRST_SETS * SET_WORDS);

	/** How many ticks a window has left; 0 if it has ended, or ends later than a new one would: the clock was set back. */
	function ticksLeft(place: number, tick: number, from = table): number {
		const left = ((from[place + END] as number) - tick) >>> 0;
		return from[place + COUNT] !== 0 && left <= windowTicks ? left : 0;
	}

	const setOf = (low: number) => (low & (table.length / SET_WORDS - 1)) * SET_WORDS;

	function find({ high, low }: WindowName, tick: number): number {
		const set = setOf(low);
		for (let place = set; place < set + SET_WORDS; place += WORDS) {
			if (table[place] === high && table[place + 1] === low && ticksLeft(place, tick) > 0) return place;
		}
		return -1;
	}

	/** A place for a new window; -1 if there is none for callers of its width. */
	function findRoom(low: number, tick: number, width: Width): number {
		const set = setOf(low);
		let taken = 0;
		let free = -1;
		for (let place = set; place < set + SET_WORDS; place += WORDS) {
			if (ticksLeft(place, tick) > 0) taken++;
			else free = place;
		}
		return taken < WAYS - WIDEST + width ? free : -1;
	}

	/** Doubles the table: every set becomes two, so all windows find a place. */
	function grow(tick: number): void {
		const before = table;
		table = new Uint32Array(2 * before.length);
		for (let from = 0; from < before.length; from += WORDS) {
			if (ticksLeft(from, tick, before) === 0) continue;
			let to = setOf(before[from + 1] as number);
			while (table[to + COUNT] !== 0) to += WORDS;
			// Word by word: an object for each window would be more to collect than all windows are.
			for (let word = 0; word < WORDS; word++) table[to + word] = before[from + word] as number;
		}
		// It is released now, because it is as large as its replacement may grow.
		before.buffer.transfer(0);
	}

	return {
		/** @param numbers The numbers of the limiter and of the target of the requests. Holds until the next call. */
		nameOf(caller: string, ...numbers: [number, number]): WindowName {
			if (caller !== last.caller) {
				last.caller = caller;
				last.high = Bun.hash.xxHash32(caller, seed);
				last.low = Bun.hash.xxHash32(caller, otherSeed);
			}
			name.high = last.high;
			name.low = last.low;
			for (const number of numbers) {
				mix(name, number);
				mix(name, number / 2 ** 32);
			}
			name.high >>>= 0;
			name.low >>>= 0;
			return name;
		},
		/** The place of the window that a caller has now; -1 without one. It holds until the next call of `open`. */
		find: (name: WindowName, at: number): number => find(name, Math.floor(at / TICK_MS)),
		/** Opens a window, with a count of none; -1 if there is no room for callers of its width. */
		open({ high, low }: WindowName, at: number, width: Width): number {
			const tick = Math.floor(at / TICK_MS);
			let place = findRoom(low, tick, width);
			while (place < 0 && 2 * table.byteLength <= maxBytes) {
				grow(tick);
				place = findRoom(low, tick, width);
			}
			if (place < 0) return -1;
			table[place] = high;
			table[place + 1] = low;
			table[place + COUNT] = 0;
			table[place + END] = tick + windowTicks;
			return place;
		},
		countAt: (place: number): number => table[place + COUNT] as number,
		addAt(place: number): void {
			(table[place + COUNT] as number)++;
		},
		/** Milliseconds until the window ends. */
		leftAt: (place: number, at: number): number =>
			(((table[place + END] as number) - Math.floor(at / TICK_MS)) >>> 0) * TICK_MS,
		bytes: (): number => table.byteLength,
	};
}

/** Mixes 32 bits of a number into a name; see `lowbias32` of C. Wellons. */
function mix(name: WindowName, number: number): void {
	name.high = scramble(name.high ^ number);
	name.low = scramble(name.low ^ name.high ^ Math.imul(number, 0x9e3779b1));
}

function scramble(value: number): number {
	let mixed = Math.imul(value ^ (value >>> 16), 0x7feb352d);
	mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
	return mixed ^ (mixed >>> 16);
}

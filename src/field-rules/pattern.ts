/** Pure: matches texts with a pattern in a time that grows with the length of both, whatever they are, and in stretches. */

import { createSets, type SetsOf } from './pattern-sets.ts';
import { type Boundary, countOperations, PatternFault, parsePattern, type Syntax } from './pattern-syntax.ts';

export const PATTERN_MAX = 500;
/** Largest size of the program: a repetition counts as often as it is written out. */
const SIZE_MAX = 1000;
/** In parts of the program. */
const OPERATION_SIZE = 200;
/** About a millisecond. */
export const STEPS_AT_A_STRETCH = 50_000;

/** Steps of patterns since their last pause. In a step they look at one state, or ask whether a character is in one set. */
export interface Work {
	steps: number;
}

export interface Pattern {
	/** Returns whether all of each text matches. Pauses after every stretch. */
	match(texts: readonly string[], work: Work): Generator<void, boolean>;
	/** The parts of the program, and more for what takes long to compile. */
	size: number;
}

/** A state without a set is passed without a character, if `holds` permits. */
interface State {
	/** The number of the set that the next character has to be in. */
	set?: number;
	holds?: Boundary;
	next: number[];
}

interface Program {
	/** A state is named by its place in here. */
	states: State[];
	start: number;
	setsOf: SetsOf;
	setCount: number;
}

/** The state at the end of the program. */
const END = 0;

/** @throws PatternFault */
export function compilePattern(source: string): Pattern {
	if (source.length > PATTERN_MAX) throw new PatternFault(`must have at most ${PATTERN_MAX} characters`);
	const operations = countOperations(source);
	if (operations * OPERATION_SIZE > SIZE_MAX) {
		throw new PatternFault(`must have at most ${SIZE_MAX / OPERATION_SIZE} times --, && or [^ inside of classes`);
	}
	const { states, sets, write, size } = createWriter();
	const start = write(parsePattern(source), END);
	const program = { states, start, setsOf: createSets([...sets.keys()]), setCount: sets.size };
	return { size: size() + operations * OPERATION_SIZE, match: (texts, work) => matchAll(program, texts, work) };
}

function* matchAll(program: Program, texts: readonly string[], work: Work): Generator<void, boolean> {
	const ways = createWays(program);
	for (const text of texts) {
		let after = text.codePointAt(0) ?? -1;
		work.steps += ways.begin(after);
		for (let at = 0; at < text.length && ways.count() > 0; ) {
			if (work.steps >= STEPS_AT_A_STRETCH) {
				yield;
				work.steps = 0;
			}
			at += after > 0xffff ? 2 : 1;
			const code = after;
			after = text.codePointAt(at) ?? -1;
			work.steps += ways.go(code, after);
		}
		if (!ways.haveEnded()) return false;
	}
	return true;
}

/** All ways through the program are followed at once (K. Thompson, 1968), each state once for a character. */
function createWays({ states, start, setsOf, setCount }: Program) {
	const sets = Int16Array.from(states, ({ set }) => set ?? -1);
	/** Those that wait for a character, and the end. */
	const isTarget = Uint8Array.from(states, ({ set }, at) => Number(set !== undefined || at === END));
	const afterSet = Uint16Array.from(states, ({ next }) => next[0] ?? END);
	/** The moment at which a state was last reached. */
	const seen = new Uint32Array(states.length);
	const open = new Uint16Array(states.length);
	let now = 0;
	let current = new Uint16Array(states.length);
	let count = 0;
	let reached = new Uint16Array(states.length);
	let reachedCount = 0;

	/** Adds the states that are reached from `from` between the characters `before` and `after`; returns the steps. */
	function follow(from: number, before: number, after: number): number {
		if (seen[from] === now) return 1;
		seen[from] = now;
		open[0] = from;
		let steps = 0;
		for (let depth = 1; depth > 0; steps++) {
			const at = open[--depth] as number;
			if (isTarget[at] === 1) {
				reached[reachedCount++] = at;
				continue;
			}
			const { holds, next } = states[at] as State;
			if (holds && !holds(before, after)) continue;
			for (const to of next) {
				if (seen[to] === now) continue;
				seen[to] = now;
				open[depth++] = to;
			}
		}
		return steps;
	}

	function take(): void {
		[current, reached] = [reached, current];
		count = reachedCount;
		reachedCount = 0;
		now++;
	}

	return {
		/** Goes to the start of a text; returns the steps. */
		begin(after: number): number {
			now++;
			const steps = follow(start, -1, after);
			take();
			return steps;
		},
		/** Passes a character; returns the steps. */
		go(code: number, after: number): number {
			const has = setsOf(code);
			let steps = setCount + count;
			for (let i = 0; i < count; i++) {
				const at = current[i] as number;
				if (has[sets[at] as number] === 1) steps += follow(afterSet[at] as number, code, after);
			}
			take();
			return steps;
		},
		count: () => count,
		haveEnded: () => current.subarray(0, count).includes(END),
	};
}

function createWriter() {
	const states: State[] = [{ next: [] }];
	/** Their numbers, by the native expressions. */
	const sets = new Map<string, number>();
	let size = 0;

	const add = (state: State): number => states.push(state) - 1;

	/** Writes what matches `syntax` and goes on with `next`; returns where it begins. */
	function write(syntax: Syntax, next: number): number {
		size++;
		if (size > SIZE_MAX) throw new PatternFault('is too large: repeat fewer things, or less often, and set maxLength');
		switch (syntax.kind) {
			case 'set':
				return add({ set: numberOf(syntax.atom), next: [next] });
			case 'boundary':
				return add({ holds: syntax.holds, next: [next] });
			case 'sequence':
				return syntax.parts.reduceRight((after, part) => write(part, after), next);
			case 'choice':
				return add({ next: syntax.options.map((option) => write(option, next)) });
			case 'repeat':
				return repeat(syntax, next);
		}
	}

	function numberOf(atom: string): number {
		const number = sets.get(atom) ?? sets.size;
		sets.set(atom, number);
		return number;
	}

	function repeat({ part, min, max }: Extract<Syntax, { kind: 'repeat' }>, next: number): number {
		let start = next;
		if (max === Number.POSITIVE_INFINITY) {
			const options = [next];
			start = add({ next: options });
			options.push(write(part, start));
		} else {
			for (let i = min; i < max; i++) start = add({ next: [next, write(part, start)] });
		}
		for (let i = 0; i < min; i++) start = write(part, start);
		return start;
	}

	return { states, sets, write, size: () => size };
}

/** Pure: matches texts with a pattern in a time that grows with the length of both, whatever they are, and in stretches. */

import { createSets, type SetsOf } from './pattern-sets.ts';
import {
	ASCII_END,
	type Boundary,
	countOperations,
	PatternFault,
	parsePattern,
	type Syntax,
} from './pattern-syntax.ts';

export const PATTERN_MAX = 500;
/** Largest size of the program: a repetition counts as often as it is written out. */
const SIZE_MAX = 1000;
/** In parts of the program. */
const OPERATION_SIZE = 200;
/** Parts that a set counts for if the engine is asked about it. */
const ASKED_SIZE = 4;
/** Steps of asking, at a character beyond ASCII: for all sets at once, and more for each. */
const ASK_STEPS = 50;
const ASKED_STEPS = 10;
/** Less than a millisecond. */
export const STEPS_AT_A_STRETCH = 200_000;

/** Steps of patterns since their last pause. In a step they look at one state. */
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
	next: [] | [number] | [number, number];
}

/** The states, each named by its place, as arrays: going through them is what takes the time. */
interface Program {
	/** The numbers of sets, {@link NO_SET} or {@link AT_END}. */
	sets: Int16Array;
	holds: (Boundary | undefined)[];
	firsts: Uint16Array;
	/** The same as the first where there is no other way. */
	seconds: Uint16Array;
	start: number;
	setsOf: SetsOf;
	/** At a character beyond ASCII. */
	askSteps: number;
}

/** The state at the end of the program. */
const END = 0;
const NO_SET = -1;
const AT_END = -2;

/** @throws PatternFault */
export function compilePattern(source: string): Pattern {
	if (source.length > PATTERN_MAX) throw new PatternFault(`must have at most ${PATTERN_MAX} characters`);
	const operations = countOperations(source);
	if (operations * OPERATION_SIZE > SIZE_MAX) {
		throw new PatternFault(`must have at most ${SIZE_MAX / OPERATION_SIZE} times --, && or [^ inside of classes`);
	}
	const { states, sets, write, size } = createWriter();
	const start = write(parsePattern(source), END);
	const { setsOf, askedCount } = createSets([...sets.keys()]);
	const program = {
		sets: Int16Array.from(states, ({ set }, at) => set ?? (at === END ? AT_END : NO_SET)),
		holds: states.map(({ holds }) => holds),
		firsts: Uint16Array.from(states, ({ next }) => next[0] ?? END),
		seconds: Uint16Array.from(states, ({ next }) => next[1] ?? next[0] ?? END),
		start,
		setsOf,
		askSteps: askedCount > 0 ? ASK_STEPS + ASKED_STEPS * askedCount : 0,
	};
	return {
		size: size() + operations * OPERATION_SIZE + askedCount * ASKED_SIZE,
		match: (texts, work) => matchAll(program, texts, work),
	};
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
function createWays({ sets, holds, firsts, seconds, start, setsOf, askSteps }: Program) {
	/** The moment at which a state was last reached. */
	const seen = new Uint32Array(sets.length);
	/** States to be followed; one may be among them twice, once by each way. */
	const open = new Uint16Array(2 * sets.length);
	let now = 0;
	/** Those that wait for a character, and the end. */
	const current = new Uint16Array(sets.length);
	let count = 0;

	/** Replaces the current states by those that the open ones lead to between two characters; returns the steps. */
	function follow(openCount: number, before: number, after: number): number {
		let steps = 0;
		let depth = openCount;
		count = 0;
		while (depth > 0) {
			for (let at = open[--depth] as number; seen[at] !== now; at = firsts[at] as number) {
				seen[at] = now;
				steps++;
				if (sets[at] !== NO_SET) {
					current[count++] = at;
					break;
				}
				if (holds[at]?.(before, after) === false) break;
				const second = seconds[at] as number;
				if (seen[second] !== now) open[depth++] = second;
			}
		}
		return steps;
	}

	return {
		/** Goes to the start of a text; returns the steps. */
		begin(after: number): number {
			open[0] = start;
			now++;
			return follow(1, -1, after);
		},
		/** Passes a character; returns the steps. */
		go(code: number, after: number): number {
			const has = setsOf(code);
			const steps = count + (code < ASCII_END ? 0 : askSteps);
			let openCount = 0;
			now++;
			for (let i = 0; i < count; i++) {
				const at = current[i] as number;
				const set = sets[at] as number;
				if (set === AT_END || has[set] === 0) continue;
				open[openCount++] = firsts[at] as number;
			}
			return steps + follow(openCount, code, after);
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
				return syntax.options
					.map((option) => write(option, next))
					.reduceRight((rest, first) => add({ next: [first, rest] }));
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
			const ways: [number, number] = [next, next];
			start = add({ next: ways });
			ways[1] = write(part, start);
		} else {
			for (let i = min; i < max; i++) start = add({ next: [next, write(part, start)] });
		}
		for (let i = 0; i < min; i++) start = write(part, start);
		return start;
	}

	return { states, sets, write, size: () => size };
}

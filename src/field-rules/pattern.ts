/** Pure: matches texts with a pattern in a time that grows with the length of both, whatever they are. */

import { type Boundary, type CharacterSet, PatternFault, parsePattern, type Syntax } from './pattern-syntax.ts';

export const PATTERN_MAX = 500;
/** Of the program: a repetition counts as often as it is written out. */
const SIZE_MAX = 1000;

export interface Pattern {
	/** Whether all of the text matches. */
	matches(text: string): boolean;
	/** What one character of a text costs at most. */
	size: number;
}

/** A state of the program. One without `has` is passed without a character, if `holds` permits. */
interface State {
	has?: CharacterSet;
	holds?: Boundary;
	next: State[];
	/** The step in which it was last reached. */
	seen: number;
}

/**
 * All ways through the program are followed at once (K. Thompson, 1968), each state once for a character.
 * @throws PatternFault
 */
export function compilePattern(source: string): Pattern {
	if (source.length > PATTERN_MAX) throw new PatternFault(`must have at most ${PATTERN_MAX} characters`);
	const end: State = { next: [], seen: -1 };
	const program = createProgram();
	const start = program.write(parsePattern(source), end);
	let step = 0;
	let before = -1;
	let after = -1;
	const open: State[] = [];

	/** Adds the states that are reached from `from` between the characters `before` and `after`. */
	function follow(from: State, reached: State[]): void {
		open.push(from);
		for (let state = open.pop(); state; state = open.pop()) {
			if (state.seen === step || (state.holds && !state.holds(before, after))) continue;
			state.seen = step;
			if (state.has || state === end) reached.push(state);
			else for (const next of state.next) open.push(next);
		}
	}

	return {
		size: program.size(),
		matches(text) {
			let states: State[] = [];
			before = -1;
			after = text.codePointAt(0) ?? -1;
			step++;
			follow(start, states);
			for (let at = 0; at < text.length && states.length > 0; ) {
				at += after > 0xffff ? 2 : 1;
				before = after;
				after = text.codePointAt(at) ?? -1;
				step++;
				const reached: State[] = [];
				for (const { has, next } of states) {
					if (has?.(before)) follow(next[0] as State, reached);
				}
				states = reached;
			}
			return states.includes(end);
		},
	};
}

function createProgram() {
	let size = 0;

	function add(state: Omit<State, 'seen'>): State {
		return { ...state, seen: -1 };
	}

	/** Writes what matches `syntax` and goes on with `next`; returns where it begins. */
	function write(syntax: Syntax, next: State): State {
		size++;
		if (size > SIZE_MAX) throw new PatternFault('is too large: repeat fewer things, or less often, and set maxLength');
		switch (syntax.kind) {
			case 'set':
				return add({ has: syntax.has, next: [next] });
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

	function repeat({ part, min, max }: Extract<Syntax, { kind: 'repeat' }>, next: State): State {
		let start = next;
		if (max === Number.POSITIVE_INFINITY) {
			start = add({ next: [next] });
			start.next.push(write(part, start));
		} else {
			for (let i = min; i < max; i++) start = add({ next: [next, write(part, start)] });
		}
		for (let i = 0; i < min; i++) start = write(part, start);
		return start;
	}

	return { write, size: () => size };
}

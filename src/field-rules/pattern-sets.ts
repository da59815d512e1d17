/** Pure: which of a pattern's sets a character is in, as browsers say. */

import { ASCII_END } from './pattern-syntax.ts';

/** By the numbers of the sets: 1 for those that a character, given by its code point, is in. Holds until the next call. */
export type SetsOf = (code: number) => Uint8Array;

/** A character that stands for itself alone. */
const LITERAL = /^(?:\\([^a-zA-Z0-9])|([^[.\\]))$/su;

/**
 * One native expression asks for all sets at once, since calls of native expressions cost more than what they do here. Sets of a single
 * character need none.
 * @param atoms are native expressions for one character each
 * @returns with the sets how many of them the engine is asked about, at each character beyond ASCII
 */
export function createSets(atoms: readonly string[]): { setsOf: SetsOf; askedCount: number } {
	/** By code points; one may be written with a backslash and without. */
	const single = new Map<number, number[]>();
	const asked: number[] = [];
	for (const [set, atom] of atoms.entries()) {
		const [, escaped, plain] = LITERAL.exec(atom) ?? [];
		const code = (escaped ?? plain)?.codePointAt(0);
		if (code === undefined) asked.push(set);
		else single.set(code, [...(single.get(code) ?? []), set]);
	}
	const all = new RegExp(asked.map((set) => `(?=(${atoms[set]})?)`).join(''), 'v');
	const ascii: Uint8Array[] = [];
	const other = new Uint8Array(atoms.length);

	function fill(isIn: Uint8Array, code: number): Uint8Array {
		isIn.fill(0);
		for (const set of single.get(code) ?? []) isIn[set] = 1;
		if (asked.length === 0) return isIn;
		const found = all.exec(String.fromCodePoint(code)) as RegExpExecArray;
		for (let i = 0; i < asked.length; i++) if (found[i + 1] !== undefined) isIn[asked[i] as number] = 1;
		return isIn;
	}

	function setsOf(code: number): Uint8Array {
		if (code >= ASCII_END) return fill(other, code);
		ascii[code] ??= fill(new Uint8Array(atoms.length), code);
		return ascii[code];
	}

	return { setsOf, askedCount: asked.length };
}

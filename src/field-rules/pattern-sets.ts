/** Pure: which of a pattern's sets a character is in, as browsers say. */

import { ASCII_END } from './pattern-syntax.ts';

/** By the numbers of the sets: 1 for those that a character, given by its code point, is in. Holds until the next call. */
export type SetsOf = (code: number) => Uint8Array;

/**
 * One native expression asks for all sets at once, since calls of native expressions cost more than what they do here.
 * @param atoms are native expressions for one character each
 */
export function createSets(atoms: readonly string[]): SetsOf {
	const all = new RegExp(atoms.map((atom) => `(?=(${atom})?)`).join(''), 'v');
	const ascii: Uint8Array[] = [];
	const other = new Uint8Array(atoms.length);

	function ask(code: number, isIn: Uint8Array): Uint8Array {
		const found = all.exec(String.fromCodePoint(code)) as RegExpExecArray;
		for (let i = 0; i < isIn.length; i++) isIn[i] = found[i + 1] === undefined ? 0 : 1;
		return isIn;
	}

	return (code) => {
		if (code >= ASCII_END) return ask(code, other);
		ascii[code] ??= ask(code, new Uint8Array(atoms.length));
		return ascii[code];
	};
}

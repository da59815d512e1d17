/** Pure: the words of a search, folded as the searched texts are. */

import { normalized } from '../text/normalized.ts';

const ASCII_ONLY = /^[\0-\x7f]*$/;
const ACCENTS = /[\u0300-\u036f]/g;
const GAPS = /[\s\p{Cc}]+/gu;
/** The same in ASCII, and a sign that there is more to do than keep single spaces. */
const ASCII_GAPS = /[^!-~]+/g;
const UNUSUAL_ASCII_GAP = /[^ -~]| {2}/;

/** One form for what people take for the same: case, accents, full and half width, ligatures, kinds of blanks. */
export function fold(text: string): string {
	if (ASCII_ONLY.test(text)) {
		const lower = text.toLowerCase();
		return UNUSUAL_ASCII_GAP.test(lower) ? lower.replace(ASCII_GAPS, ' ') : lower;
	}
	const plain = normalized(normalized(text, 'NFKD').replace(ACCENTS, ''), 'NFKC');
	return plain.toLowerCase().replaceAll('ς', 'σ').replace(GAPS, ' ');
}

/** Splits a query at blanks; every other character in it is searched for as it stands. */
export function searchWords(query: string): string[] {
	return [...new Set(fold(query).split(' '))].filter((word) => word !== '');
}

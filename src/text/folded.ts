/** Pure: a text in the one spelling by which texts are compared. For browsers too. */

import { normalized } from './normalized.ts';

const ASCII_ONLY = /^[\0-\x7f]*$/;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/** In lower case and compatibility form (NFKC), without characters that cannot be seen: full-width letters are plain ones. */
export function folded(text: string): string {
	if (ASCII_ONLY.test(text)) return text.toLowerCase();
	return normalized(normalized(text, 'NFKC').replace(IGNORABLE, '').toLowerCase(), 'NFC');
}

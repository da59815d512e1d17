/** Pure: a text in the one spelling by which texts are compared. For browsers too. */

import { normalized } from './normalized.ts';

const ASCII_ONLY = /^[\0-\x7f]*$/;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * In lower case and compatibility form (NFKC), without characters that cannot be seen: full-width letters are plain ones.
 * @param most The characters of it that are needed. One may be eighteen in this form; of no text that people write does it make two of each.
 */
export function folded(text: string, most = Number.POSITIVE_INFINITY): string {
	if (ASCII_ONLY.test(text)) return text.toLowerCase();
	const compatible = normalized(text, 'NFKC').slice(0, 2 * most);
	return normalized(compatible.replace(IGNORABLE, '').toLowerCase(), 'NFC');
}

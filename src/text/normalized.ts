/** Pure: the normal forms of Unicode, in a time that is linear in the text. For browsers too. */

/** Characters that may go behind one another in a normal form; the two of half width are marks once they are decomposed. */
const LONG_RUN = /[\p{M}\uff9e\uff9f]{30}(?=[\p{M}\uff9e\uff9f])/gu;
/** Looks like nothing, and keeps the marks before it apart from those behind. */
const JOINER = '\u034f';

/**
 * As `String.normalize`, which sorts the marks on a letter in the square of their number: minutes for a text of marks alone. So each run is
 * parted into thirties, as the stream-safe text format has it (https://unicode.org/reports/tr15/#Stream_Safe_Text_Format); in no language
 * does a letter have more.
 */
export function normalized(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
	return text.replace(LONG_RUN, `$&${JOINER}`).normalize(form);
}

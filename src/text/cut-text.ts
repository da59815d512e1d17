/** Pure: cuts a text between characters as people see them. For browsers too. */

const CUT = '…';
/** A character that is cut in two by the window reaches beyond the bound, and is left out. */
const WINDOW_MORE = 64;

/** The beginning of a text that is longer than `max`, with a sign that it was cut. `sizeOf` counts UTF-16 code units by default. */
export function cutText(text: string, max: number, sizeOf: (text: string) => number = ({ length }) => length): string {
	if (text.length <= max && sizeOf(text) <= max) return text;
	return beginningOf(text, max - sizeOf(CUT), sizeOf) + CUT;
}

/** As much of the beginning of a text as fits into `max`. */
export function beginningOf(
	text: string,
	max: number,
	sizeOf: (text: string) => number = ({ length }) => length,
): string {
	let size = 0;
	let end = 0;
	for (const { segment } of new Intl.Segmenter().segment(text.slice(0, max + WINDOW_MORE))) {
		size += sizeOf(segment);
		if (size > max) break;
		end += segment.length;
	}
	return text.slice(0, end);
}

/** A text that was cut, without half of a character at its end. */
export const withoutHalf = (text: string): string => text.replace(/[\ud800-\udbff]$/, '');

/** The number of bytes in UTF-8. */
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Pure: lists of words that owners give submissions, as they are stored: one a line, between line breaks. For browsers too. */

/** `null`: none. */
export function joinWords(words: readonly string[]): string | null {
	return words.length === 0 ? null : `\n${words.join('\n')}\n`;
}

export function splitWords(stored: string | null): string[] {
	return stored === null ? [] : stored.slice(1, -1).split('\n');
}

/** Words that differ in upper and lower case alone are one. */
export const foldWord = (word: string): string => word.toLowerCase();

/** The words without some and with others, which come last unless they are there. */
export function changeWords(
	words: readonly string[],
	{ add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
): string[] {
	const removed = new Set(remove.map(foldWord));
	const kept = words.filter((word) => !removed.has(foldWord(word)));
	const there = new Set(kept.map(foldWord));
	return [...kept, ...add.filter((word) => !there.has(foldWord(word)))];
}

/** The condition that a list has a word, in words that both engines know; the parameter is that word as a list. */
export const hasWord = (column: string, parameter: string): string =>
	`${column} is not null and replace(${column}, ${parameter}, '') <> ${column}`;

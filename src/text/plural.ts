/** Counts with their nouns, as sentences have them. Pure, for browsers too. */

/** "1,234,567" of a whole number. */
export function formatCount(count: number): string {
	return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** "1 submission", "1,234 submissions". */
export function plural(count: number, noun: string): string {
	return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

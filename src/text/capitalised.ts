/** A text with a capital at its beginning, as names of things are shown. Pure, for browsers too. */

export function capitalised(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

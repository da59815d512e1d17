/** Numbers as people type them. */

/** `null` if nothing is typed; what is no number stays as it is, for the server to say so. */
export function typedNumber(text: string): number | string | null {
	const typed = text.trim();
	if (typed === '') return null;
	const number = Number(typed);
	return Number.isFinite(number) ? number : typed;
}

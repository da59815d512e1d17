/** Pure: lines of CSV (RFC 4180), by default without text that a spreadsheet would run as a formula. */

export const FORMULAS = ['guard', 'raw'] as const;
/** The treatment of texts that look like formulas: they get an apostrophe, or not. */
export type Formulas = (typeof FORMULAS)[number];

/** Characters that start a formula, full-width forms included; https://owasp.org/www-community/attacks/CSV_Injection */
const SIGNS = '=+\\-@＝＋－＠';
const NUMBER = '[+-]\\d[\\d .,()\\u00a0\\u202f]*(?:[eE][+-]?\\d+)?%?';
/**
 * A number or telephone number that is all of a cell: not a formula. For who separates by semicolons or tabs, what such a cell holds at
 * its end goes on behind our quote.
 */
const IS_NUMBER = `(?<=^["\\0]*)${NUMBER}$|${NUMBER}(?=[;\\t\\r\\n])`;
const MAY_NEED_GUARD = new RegExp(`^[${SIGNS}\\t\\r\\n\\0]|[;\\t\\r\\n]`);
/**
 * A formula sign where a cell may begin: at the start, and after a semicolon, tab or line end, since spreadsheets that
 * separate by semicolons or tabs ignore our quotes. The sign is looked for first: the look behind it takes as long as the quotes are many.
 */
const FORMULA = new RegExp(`(^|[;\\t\\r\\n])(["\\0]*)(?=[${SIGNS}])(?!${IS_NUMBER})`, 'g');
const HIDDEN_START = /^[\t\r\n\0]/;
/** All other texts are quoted, since some locales separate by semicolons. */
const PLAIN = /^[A-Za-z0-9_.:-]*$/;

/** One line, with its line end; never an empty one, which many readers pass over. */
export function csvLine(cells: readonly string[], formulas: Formulas): string {
	const texts = formulas === 'raw' ? cells : cells.map(guard);
	return `${texts.map(quote).join(',') || '""'}\r\n`;
}

/** Puts an apostrophe before each formula, as a person would type it. */
function guard(text: string): string {
	if (!MAY_NEED_GUARD.test(text)) return text;
	const safe = text.replace(FORMULA, "$1$2'");
	return HIDDEN_START.test(safe) ? `'${safe}` : safe;
}

function quote(text: string): string {
	return PLAIN.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

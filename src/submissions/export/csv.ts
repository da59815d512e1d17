/** Pure: lines of CSV (RFC 4180), by default without anything that a spreadsheet takes for a formula. */

export const FORMULAS = ['guard', 'raw'] as const;
/** Whether texts that look like formulas get an apostrophe. */
export type Formulas = (typeof FORMULAS)[number];

/** What makes a spreadsheet calculate instead of show, full-width forms included; https://owasp.org/www-community/attacks/CSV_Injection */
const SIGNS = '=+\\-@＝＋－＠';
/** A number or a telephone number, with nothing to calculate in it, up to the end of its cell. */
const NUMBER = '[+-]\\d[\\d .,()\\u00a0\\u202f]*(?:[eE][+-]?\\d+)?%?(?=$|[;\\t\\r\\n])';
const MAY_NEED_GUARD = new RegExp(`^[${SIGNS}\\t\\r\\n\\0]|[;\\t\\r\\n]`);
/**
 * Where a cell may begin: at the start, and behind a semicolon, tab or line end, which begin another one for spreadsheets
 * that separate by semicolons or tabs and therefore do not see our quotes.
 */
const FORMULA = new RegExp(`(^|[;\\t\\r\\n])(["\\0]*)(?!${NUMBER})(?=[${SIGNS}])`, 'g');
const HIDDEN_START = /^[\t\r\n\0]/;
/** Anything else is quoted: also what separates cells only in some countries' spreadsheets, such as a semicolon. */
const PLAIN = /^[A-Za-z0-9_.:-]*$/;

/** One line, with its end. */
export function csvLine(cells: readonly string[], formulas: Formulas): string {
	const texts = formulas === 'raw' ? cells : cells.map(guard);
	return `${texts.map(quote).join(',')}\r\n`;
}

/** What looks like a formula gets an apostrophe before it, as a person would type it. */
function guard(text: string): string {
	if (!MAY_NEED_GUARD.test(text)) return text;
	const safe = text.replace(FORMULA, "$1$2'");
	return HIDDEN_START.test(safe) ? `'${safe}` : safe;
}

function quote(text: string): string {
	return PLAIN.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

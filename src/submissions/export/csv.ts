/** Pure: lines of CSV (RFC 4180) that no spreadsheet takes for formulas. */

/** What makes a spreadsheet calculate instead of show, full-width forms included; https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r\n\0＝＋－＠]/;
/** Anything else is quoted: also what separates cells only in some countries' spreadsheets, such as a semicolon. */
const PLAIN = /^[A-Za-z0-9_.:-]*$/;

/** One line, with its end. A cell that looks like a formula gets an apostrophe before it, as a person would type it. */
export function csvLine(cells: readonly string[]): string {
	return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
	const safe = FORMULA.test(text) ? `'${text}` : text;
	return PLAIN.test(safe) ? safe : `"${safe.replaceAll('"', '""')}"`;
}

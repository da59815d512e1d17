/** Formats results as tables of printable text. */

import { printable } from '../log/line-text.ts';

const GAP = '  ';

/** Lines of aligned columns under their headers; control characters in cells are escaped. */
export function formatTable(headers: readonly string[], rows: readonly (readonly string[])[]): string {
	const lines = [headers, ...rows].map((cells) => cells.map(printable));
	const widths = headers.map((_, column) => Math.max(...lines.map((cells) => Bun.stringWidth(cells[column] ?? ''))));
	const padded = lines.map((cells) => cells.map((cell, column) => pad(cell, widths[column])).join(GAP));
	return padded.map((line) => `${line.trimEnd()}\n`).join('');
}

/** `text`, or its beginning if it is longer than `width` characters. */
export function shorten(text: string, width: number): string {
	return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** `2026-01-02 03:04:05Z` for an ISO time; a dash for none. */
export function shortTime(iso: string | null): string {
	return iso === null ? '-' : iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}

function pad(cell: string, width = 0): string {
	return cell + ' '.repeat(Math.max(0, width - Bun.stringWidth(cell)));
}

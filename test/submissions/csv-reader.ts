/** A strict reader of CSV as RFC 4180 has it, for looking at exports. */

/** @throws Error where the text breaks the format */
export function readCsv(text: string): string[][] {
	const rows: string[][] = [];
	let row: string[] = [];
	let at = 0;
	while (at < text.length) {
		const { cell, next } = text[at] === '"' ? readQuoted(text, at + 1) : readBare(text, at);
		row.push(cell);
		at = next + 1;
		if (text[next] === ',') continue;
		if (text.slice(next, next + 2) !== '\r\n') throw new Error(`Neither a comma nor a line end at ${next}.`);
		rows.push(row);
		row = [];
		at = next + 2;
	}
	if (row.length > 0) throw new Error('The last line has no end.');
	return rows;
}

function readQuoted(text: string, start: number): { cell: string; next: number } {
	let cell = '';
	for (let at = start; at < text.length; at++) {
		if (text[at] !== '"') cell += text[at];
		else if (text[at + 1] === '"') cell += text[at++];
		else return { cell, next: at + 1 };
	}
	throw new Error('A quote is not closed.');
}

function readBare(text: string, start: number): { cell: string; next: number } {
	const [cell] = /[^",\r\n]*/.exec(text.slice(start)) as RegExpExecArray;
	return { cell, next: start + cell.length };
}

/** Reads as spreadsheets do that separate by another character: a quote counts at the beginning of a cell, and nothing is an error. */
export function readCsvAs(text: string, separator: string): string[][] {
	const rows: string[][] = [[]];
	let at = 0;
	while (at < text.length) {
		let cell = '';
		if (text[at] === '"') {
			for (at++; at < text.length; at++) {
				if (text[at] !== '"') cell += text[at];
				else if (text[at + 1] === '"') cell += text[at++];
				else break;
			}
			at++;
		}
		for (; at < text.length && text[at] !== separator && !'\r\n'.includes(text[at] as string); at++) cell += text[at];
		rows.at(-1)?.push(cell);
		if (text[at] !== separator) rows.push([]);
		at += text.startsWith('\r\n', at) ? 2 : 1;
	}
	return rows.filter((row) => row.length > 0);
}

/**
 * Reads CSV as services and spreadsheets write it: separated by commas, semicolons or tabs, as its first line shows, with quotes, line ends
 * in cells, a byte order mark or none. A cell is a text and stays one; an empty one is no field.
 */

import { AppError } from '../../errors.ts';
import type { ReadRow } from './rows.ts';

const SEPARATORS = [',', ';', '\t'];
/** The line that spreadsheets put before the names: it says how the others are separated. */
const SEPARATOR_LINE = /^"?sep=([^"\r\n])"?(?:[\r\n]|$)/i;

interface CsvOptions {
	maxBytes: number;
	maxColumns: number;
	/** Takes the names of the columns before any row; it may throw. */
	checkColumns?: (names: readonly string[]) => void;
}

/** @throws AppError INVALID_BODY if it is no such file */
export async function* readCsv(
	chunks: AsyncIterable<Uint8Array>,
	{ maxBytes, maxColumns, checkColumns }: CsvOptions,
): AsyncGenerator<ReadRow> {
	let names: string[] | undefined;
	for await (const { line, cells, problem } of rowsOf(textOf(chunks), maxBytes)) {
		if (problem !== undefined && !names) throw notCsv(`Line ${line}: ${problem}`);
		if (problem !== undefined) {
			yield { line, problem };
			continue;
		}
		if (!names) {
			names = namesOf(cells, maxColumns);
			checkColumns?.(names);
			continue;
		}
		// As spreadsheets leave them at the end.
		if (cells.every((cell) => cell === '')) continue;
		if (cells.length > names.length && cells.slice(names.length).some((cell) => cell !== '')) {
			yield { line, problem: `It has ${cells.length} cells, and the first line ${names.length}.` };
			continue;
		}
		const fields = names.flatMap((name, i) => {
			const cell = cells[i] ?? '';
			return cell === '' ? [] : [{ name, json: JSON.stringify(cell) }];
		});
		yield { line, fields };
	}
	if (!names) throw notCsv('The file is empty: a first line with the names of the columns is expected.');
}

function namesOf(cells: readonly string[], maxColumns: number): string[] {
	const names = cells.map((cell, i) => cell.trim() || `column ${i + 1}`);
	if (names.some((name) => name.includes('\0'))) throw notCsv('The file looks like UTF-16: save it as UTF-8.');
	if (names.length > maxColumns) throw notCsv(`The file has more than ${maxColumns} columns.`);
	const twice = names.find((name, i) => names.indexOf(name) < i);
	if (twice !== undefined)
		throw notCsv(
			`The column ${JSON.stringify(twice)} occurs twice in the first line: give each a name of its own there.`,
		);
	return names;
}

async function* textOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
	const decoder = new TextDecoder('utf-8', { fatal: true });
	try {
		for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
		yield decoder.decode();
	} catch (cause) {
		if (!(cause instanceof TypeError)) throw cause;
		throw notCsv('The file is not valid UTF-8: save it as UTF-8.');
	}
}

interface Row {
	/** Where it begins. */
	line: number;
	cells: string[];
	problem?: string | undefined;
}

async function* rowsOf(texts: AsyncIterable<string>, maxCharacters: number): AsyncGenerator<Row> {
	let rest = '';
	let line = 1;
	let separator: string | undefined;
	/** A row whose end has not come is read again only once there is twice as much, and so in linear time. */
	let enough = 0;
	for await (const text of withEnd(texts)) {
		rest = text === null ? rest : rest + text;
		const isEnd = text === null;
		if (!isEnd && rest.length < enough) continue;
		separator ??= separatorOf(rest, isEnd);
		let at = 0;
		while (separator !== undefined) {
			const found = rowAt(rest, at, { separator, isEnd });
			if (!found) break;
			const { end, ...row } = found;
			const isNamed = line === 1 && SEPARATOR_LINE.test(rest);
			if (!isNamed && (row.cells.length > 1 || row.cells[0] !== '')) yield { line, ...row };
			line += linesIn(rest, at, end);
			at = end;
		}
		rest = rest.slice(at);
		enough = Math.min(2 * rest.length, maxCharacters + 1);
		if (rest.length > maxCharacters) {
			const quote = line + openQuoteAt(rest, separator);
			throw notCsv(
				`The row at line ${line} has more than ${maxCharacters} characters; perhaps the quote at line ${quote} is not closed.`,
			);
		}
	}
	if (rest !== '') throw notCsv(`The quote that begins at line ${line + openQuoteAt(rest, separator)} is not closed.`);
}

/** Lines before the cell whose end is missing. */
function openQuoteAt(text: string, separator = ','): number {
	for (let at = 0; ; ) {
		const cell = cellAt(text, at, { separator, isEnd: true });
		if (!cell || cell.end >= text.length) return linesIn(text, 0, at);
		at = cell.end + 1;
	}
}

async function* withEnd(texts: AsyncIterable<string>): AsyncGenerator<string | null> {
	yield* texts;
	yield null;
}

/** The one that the first line names, or that occurs most often in it, outside of quotes; `undefined` before its end has come. */
function separatorOf(text: string, isEnd: boolean): string | undefined {
	const counts = new Map(SEPARATORS.map((separator) => [separator, 0]));
	let isQuoted = false;
	for (const character of text) {
		if (character === '"') isQuoted = !isQuoted;
		else if (!isQuoted && (character === '\n' || character === '\r')) {
			return SEPARATOR_LINE.exec(text)?.[1] ?? [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
		} else if (!isQuoted && counts.has(character)) counts.set(character, (counts.get(character) ?? 0) + 1);
	}
	return isEnd ? separatorOf(`${text}\n`.replaceAll('"', ''), false) : undefined;
}

interface Reading {
	separator: string;
	/** True if nothing more comes: before, whatever touches the end of the text is not over. */
	isEnd: boolean;
}

/** `undefined` if its end has not come, or there is nothing more. */
function rowAt(text: string, start: number, reading: Reading): (Omit<Row, 'line'> & { end: number }) | undefined {
	if (start >= text.length) return undefined;
	const cells: string[] = [];
	let problem: string | undefined;
	for (let at = start; ; ) {
		const cell = cellAt(text, at, reading);
		if (!cell) return undefined;
		const { end } = cell;
		cells.push(cell.text);
		if (cell.isBroken)
			problem ??= `Text follows the end of a quote: the quote before it is not closed, or one within is not doubled.`;
		at = end + 1;
		if (text[end] === reading.separator) continue;
		const isReturn = text[end] === '\r';
		if (isReturn && at === text.length && !reading.isEnd) return undefined;
		return { cells, problem, end: Math.min(isReturn && text[at] === '\n' ? at + 1 : at, text.length) };
	}
}

interface Cell {
	text: string;
	end: number;
	/** Text stands behind its quotes. */
	isBroken?: boolean;
}

function cellAt(text: string, at: number, { separator, isEnd }: Reading): Cell | undefined {
	const isQuoted = text[at] === '"';
	const quoted = isQuoted ? quotedAt(text, at + 1, isEnd) : { text: '', end: at };
	if (!quoted) return undefined;
	let { end } = quoted;
	while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end++;
	if (end === text.length && !isEnd) return undefined;
	const behind = text.slice(quoted.end, end);
	if (!isQuoted) return { text: behind, end };
	return { text: quoted.text, end, isBroken: behind.trim() !== '' };
}

/** Reads a cell in quotes, of which two mean one. */
function quotedAt(text: string, start: number, isEnd: boolean): Cell | undefined {
	for (let at = start; ; ) {
		const quote = text.indexOf('"', at);
		// A second one may come with the next piece.
		if (quote < 0 || (quote === text.length - 1 && !isEnd)) return undefined;
		if (text[quote + 1] !== '"') return { text: text.slice(start, quote).replaceAll('""', '"'), end: quote + 1 };
		at = quote + 2;
	}
}

/** Line ends are LF, CRLF or CR. */
function linesIn(text: string, from: number, to: number): number {
	let count = 0;
	for (let at = from; at < to; at++) if (text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')) count++;
	return count;
}

function notCsv(message: string): AppError {
	return new AppError('INVALID_BODY', message);
}

/** The rows of a file as the API takes them, in requests that pass through proxies. */

import { readJsonFields } from '../intake/body/json-fields.ts';
import { readCsv } from '../submissions/import/csv.ts';
import { readNdjson } from '../submissions/import/ndjson.ts';
import type { Field, ReadRow } from '../submissions/import/rows.ts';
import type { ImportReport } from '../submissions/import/schema.ts';
import type { MappedRow } from '../submissions/import/sources.ts';

/** What is sent at once. Many proxies take 1 MiB. */
const PORTION = { rows: 10_000, bytes: 768 * 1024 };
/** Wider than those of any server, which says what it does not take. */
const WIDEST = { maxFields: 200_000, maxNameBytes: 65_536, maxDepth: 1001 };
const MAX_ROW_BYTES = 64 * 1024 * 1024;
const CSV_COLUMNS = 1000;

export interface SentRow {
	line: number;
	/** A line of the import. */
	text: string;
	/** Those of an export of formsrv. */
	fields?: readonly Field[];
}

export interface Portion {
	rows: SentRow[];
	/** Of rows that cannot be sent. */
	problems: ImportReport['problems'];
}

export type MapRow = (fields: readonly Field[]) => MappedRow;

/** Files of services are CSV or lines of JSON, whatever they are called. @param isLines If that is known */
export async function* readPortions(
	file: Bun.BunFile,
	{ isLines, map, onRead }: { isLines: boolean; map: MapRow; onRead: (bytes: number) => void },
): AsyncGenerator<Portion> {
	const chunks = counted(file, onRead);
	const rows =
		isLines || (await looksLikeLines(file))
			? readNdjson(chunks, { readFields: (text) => readJsonFields(text, WIDEST), maxBytes: MAX_ROW_BYTES })
			: readCsv(chunks, { maxBytes: MAX_ROW_BYTES, maxColumns: CSV_COLUMNS });
	yield* portionsOf(rows, map);
}

async function* portionsOf(read: AsyncIterable<ReadRow>, map: MapRow): AsyncGenerator<Portion> {
	let portion: Portion = { rows: [], problems: [] };
	let bytes = 0;
	for await (const row of read) {
		if ('problem' in row) {
			portion.problems.push(row);
		} else {
			const sent = toSent(row, map);
			portion.rows.push(sent);
			bytes += Buffer.byteLength(sent.text) + 1;
		}
		if (portion.rows.length + portion.problems.length < PORTION.rows && bytes < PORTION.bytes) continue;
		yield portion;
		portion = { rows: [], problems: [] };
		bytes = 0;
	}
	if (portion.rows.length + portion.problems.length > 0) yield portion;
}

function toSent({ line, fields }: ReadRow & { fields: Field[] }, map: MapRow): SentRow {
	if (isOwn(fields)) return { line, text: toJson(fields), fields };
	const { data, time, isSpam } = map(fields);
	const createdAt = time === undefined ? '' : `"createdAt":${JSON.stringify(time)},`;
	return { line, text: `{"data":${data},${createdAt}"isRead":true,"isSpam":${isSpam}}` };
}

const toJson = (fields: readonly Field[]) =>
	`{${fields.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join()}}`;

/** Returns whether it is a line of an export of formsrv. */
function isOwn(fields: readonly Field[]): boolean {
	const has = (name: string, begin: string) => fields.some((one) => one.name === name && one.json.startsWith(begin));
	return has('data', '{') && has('createdAt', '"');
}

async function looksLikeLines(file: Bun.BunFile): Promise<boolean> {
	return /^\ufeff?\s*\{/.test(await file.slice(0, 1024).text());
}

async function* counted(file: Bun.BunFile, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
	for await (const chunk of file.stream()) {
		count(chunk.length);
		yield chunk;
	}
}

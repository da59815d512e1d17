/** The rows of a file as the API takes them, in requests that pass through proxies. */

import { AppError } from '../errors.ts';
import { readJsonFields } from '../intake/body/json-fields.ts';
import { readCsv } from '../submissions/import/csv.ts';
import { readNdjson } from '../submissions/import/ndjson.ts';
import { type ImportedField, type ReadRow, toJson } from '../submissions/import/rows.ts';
import type { ImportReport } from '../submissions/import/schema.ts';
import type { Mapper } from '../submissions/import/sources.ts';

/** The most that is sent at once. Many proxies take 1 MiB; of no more submissions a response names the missing files. */
const PORTION = { rows: 1000, bytes: 768 * 1024 };
/** Wider than those of any server, which says what it does not take. */
const WIDEST = { maxFields: 200_000, maxNameBytes: 65_536, maxDepth: 1001 };
const MAX_ROW_BYTES = 64 * 1024 * 1024;
const CSV_COLUMNS = 1000;
const HEAD_BYTES = 1024;
const LINES = /^\ufeff?\s*\{/;
/** A list, or an object over several lines or with the list as `submissions`. */
const DOCUMENT = /^\ufeff?\s*(?:\[\s*[{\]]|\{\s*[\r\n]|\{[^{}]*"submissions"\s*:\s*\[\s*\{)/;
const NO_LINES =
	'The file is a single JSON document, not an object on each line. Write each object on a line first: if the document is a list, with ' +
	"jq -c '.[]'; if it is an object that holds the list as submissions, with jq -c '.submissions[]'. Before version 1.7 jq rounds long numbers.";

export interface SentRow {
	line: number;
	/** A line of the import. */
	text: string;
	/** Its members, if it is of an export of formsrv. */
	fields?: readonly ImportedField[];
}

export interface Portion {
	rows: SentRow[];
	/** Why others cannot be sent. */
	problems: ImportReport['problems'];
	/** Nothing comes behind it. */
	isLast: boolean;
}

export const readMembers = (text: string) => readJsonFields(text, WIDEST);

export interface Reading {
	/** True if the file is known to be lines of JSON; services call both what they like. */
	isLines: boolean;
	/** False if it is known to be of another service: its rows may look like ours. */
	mayBeOwn: boolean;
	mapper: Mapper;
	onRead(bytes: number): void;
}

/** Reads CSV, or lines of JSON. */
export async function* readPortions(
	file: Bun.BunFile,
	{ isLines, mayBeOwn, mapper, onRead }: Reading,
): AsyncGenerator<Portion> {
	const head = await file.slice(0, HEAD_BYTES).text();
	if (DOCUMENT.test(head)) throw new AppError('INVALID_BODY', NO_LINES);
	const chunks = counted(file, onRead);
	const rows =
		isLines || LINES.test(head)
			? readNdjson(chunks, { readFields: readMembers, maxBytes: MAX_ROW_BYTES })
			: readCsv(chunks, { maxBytes: MAX_ROW_BYTES, maxColumns: CSV_COLUMNS, checkColumns: mapper.checkColumns });
	yield* portionsOf(rows, (row) => toSent(row, { mayBeOwn, mapper }));
}

type GoodRow = Extract<ReadRow, { fields: ImportedField[] }>;

async function* portionsOf(read: AsyncIterable<ReadRow>, sentOf: (row: GoodRow) => SentRow): AsyncGenerator<Portion> {
	const empty = (): Portion => ({ rows: [], problems: [], isLast: false });
	let portion = empty();
	let bytes = 0;
	for await (const row of read) {
		if ('problem' in row) {
			portion.problems.push(row);
		} else {
			const sent = sentOf(row);
			portion.rows.push(sent);
			bytes += Buffer.byteLength(sent.text) + 1;
		}
		if (portion.rows.length + portion.problems.length < PORTION.rows && bytes < PORTION.bytes) continue;
		yield portion;
		portion = empty();
		bytes = 0;
	}
	yield { ...portion, isLast: true };
}

function toSent({ line, fields }: GoodRow, { mayBeOwn, mapper }: Pick<Reading, 'mayBeOwn' | 'mapper'>): SentRow {
	if (mayBeOwn && isOwn(fields)) return { line, text: toJson(fields), fields };
	const { data, time, isSpam } = mapper.map(fields);
	const createdAt = time === undefined ? '' : `"createdAt":${JSON.stringify(time)},`;
	return { line, text: `{"data":${data},${createdAt}"isRead":true,"isSpam":${isSpam}}` };
}

/** Returns whether it is a line of an export of formsrv. */
function isOwn(fields: readonly ImportedField[]): boolean {
	const jsonOf = (name: string) => fields.find((one) => one.name === name)?.json;
	return jsonOf('data')?.startsWith('{') === true && jsonOf('createdAt') !== undefined;
}

async function* counted(file: Bun.BunFile, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
	for await (const chunk of file.stream()) {
		count(chunk.length);
		yield chunk;
	}
}

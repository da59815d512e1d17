/** Submissions and what belongs to them, as both engines write and read these tables. Each column is stated once, in `tables.ts`. */

import { getTableColumns } from 'drizzle-orm';
import { parseInOrder } from '../text/ordered-json.ts';
import { isJson } from './damage.ts';
import { type Flags, PLACE, placeOf } from './filters.ts';
import { OWNED } from './owned.ts';
import {
	type NewDelivery,
	type NewIdempotencyKey,
	type NewSubmission,
	NOT_ON_PAGES,
	type Owned,
	type PageEntry,
	type StoredFile,
	type StoredSubmission,
	type SubmissionHead,
} from './submission.ts';
import type { Columns } from './submissions/operation.ts';
import { deliveries, files, idempotencyKeys, submissions } from './tables.ts';

interface Column {
	key: string;
	name: string;
	kind: 'flag' | 'number' | 'text';
	/** The value of one that is left out. */
	fallback: unknown;
}

const KIND: Partial<Record<string, Column['kind']>> = { boolean: 'flag', number: 'number' };
type Table = typeof submissions | typeof files | typeof deliveries | typeof idempotencyKeys;
const columnsOf = (table: Table): readonly Column[] =>
	Object.entries(getTableColumns(table)).map(([key, { name, dataType, default: fallback = null }]) => ({
		key,
		name,
		kind: KIND[dataType] ?? 'text',
		fallback,
	}));
export const ALL = columnsOf(submissions);
const READ = ALL.filter(({ key }) => key !== 'formId');
export const DELIVERY = columnsOf(deliveries);
/** Columns of a row besides those of the submission that it belongs to. */
const belonging = (columns: readonly Column[]) =>
	columns.filter(({ key }) => key !== 'formId' && key !== 'submissionId');
export const OF_FILE = belonging(columnsOf(files));
export const OF_DELIVERY = belonging(DELIVERY);
export const OF_KEY = belonging(columnsOf(idempotencyKeys));
const OF_PAGE = READ.filter(({ key }) => !NOT_ON_PAGES.some((name) => name === key));
const FLAGS = ALL.filter(({ kind }) => kind === 'flag');
const listOf = (columns: readonly Column[]) => columns.map(({ name }) => name).join(', ');

const isOwned = ({ key }: Column) => OWNED.some((owned) => owned === key);
const OWNED_COLUMNS = ALL.filter(isOwned);
/** Columns of what arrives that stay at their defaults in most submissions, beside `is_spam`. */
export const DETAILS = ALL.filter((column) => !isOwned(column) && !['id', 'formId', 'data'].includes(column.key));

export function flagCellOf(row: Flags, { key }: Column): number {
	return key === 'isSpam' ? placeOf(row) : Number(row[key as keyof Flags] === true);
}

/** The value of a column that is no flag. */
export function cellOf(
	row: NewSubmission | StoredFile | NewDelivery | NewIdempotencyKey,
	{ key, fallback }: Column,
): string | number | null {
	return ((row as unknown as Record<string, unknown>)[key] ?? fallback) as string | number | null;
}

export const typesOf = (columns: readonly Column[]): Columns =>
	Object.fromEntries(columns.map(({ name, kind }) => [name, kind === 'text' ? 'text' : 'bigint']));

/** Functions compiled from the list, because every submission comes here: a loop over names costs several times as much. */
const compile = (body: string) => new Function('row', `return ${body}`);
/** Values in the order of {@link DETAILS}. */
export const detailsOf = compile(`[${DETAILS.map(({ key }) => `row.${key} ?? null`).join(', ')}]`) as (
	row: NewSubmission,
) => (string | number | null)[];

export const COLUMNS = listOf(READ);
export const FILE_COLUMNS = listOf(OF_FILE);
/** From this size on, a page has the size of a text in its place: all texts of a page together might fill the memory. */
const LARGE_BYTES = 16 * 1024;
export const PAGE_COLUMNS = `${listOf(OF_PAGE).replace(
	'data',
	`case when octet_length(data) < ${LARGE_BYTES} then data end`,
)}, octet_length(data)`;
export const HEAD_COLUMNS = `${listOf(FLAGS)}, octet_length(data)`;
export const FLAG_COLUMNS = `id, ${listOf(FLAGS)}`;
export const OWNED_NAMES = `id, ${listOf(OWNED_COLUMNS)}`;
export const FLAG_COLUMN_NAMES = FLAGS.map(({ name }) => name);

/** Where a key of an earlier request has expired, this one takes its place. A moment follows. */
export const KEY_AGAIN = `on conflict (form_id, key) do update set
	${['submission_id', ...OF_KEY.map(({ name }) => name)].map((name) => `${name} = excluded.${name}`).join(', ')}
	where idempotency_keys.created_at <=`;
/** A mark in place of another: one that teaches its form alone leaves what all forms learn of the submission as it was. */
export const MARK_AGAIN = `is_spam = excluded.is_spam,
	for_all = case when excluded.for_all is null then null else coalesce(spam_marks.for_all, spam_marks.is_spam) end`;
export const BEYOND_ALL_IDS = Number.MAX_SAFE_INTEGER;

/** Values in the order of some columns. */
export type Row = readonly unknown[];

/** Makes an object of a row of these columns; compiled, because pages and scans have many. */
function readerOf<Made>(columns: readonly Column[]): (row: Row) => Made {
	const members = columns.map(({ key, kind }, i) => {
		const member = `${key}: row[${i}]${kind === 'flag' ? ' === 1' : ''}`;
		return key === 'isSpam' ? `${member}, isPending: row[${i}] === ${PLACE.pending}` : member;
	});
	return compile(`({ ${members.join(', ')} })`) as (row: Row) => Made;
}

/** For a row of {@link COLUMNS}. */
export const toStored = readerOf<StoredSubmission>(READ);
/** For a row of {@link FILE_COLUMNS}. */
export const toFile = readerOf<StoredFile>(OF_FILE);
/** For a row of columns that begin with the flags. */
export const toFlags = readerOf<Flags>(FLAGS);
/** For a row of {@link OWNED_NAMES}, without the id. */
export const toOwned = readerOf<Owned & Pick<Flags, 'isPending'>>(OWNED_COLUMNS);
const toShown = readerOf<PageEntry>(OF_PAGE);

/** @param row Of {@link PAGE_COLUMNS}: a large text is missing, and its size stands behind. */
export function toEntry(row: Row): PageEntry {
	const entry = toShown(row);
	if (entry.data === null) entry.data = row[OF_PAGE.length] as number;
	// A damaged page may have anything in its place: then it is no JSON.
	else if (typeof entry.data !== 'string') entry.data = '';
	return entry;
}

/** @param row Of {@link HEAD_COLUMNS}. */
export function toHead(formId: number, id: number, row: Row): SubmissionHead {
	return { id, formId, ...toFlags(row), bytes: row[FLAGS.length] as number };
}

/** The field names of a submission, in their order; none if it cannot be read any more. @param data Its JSON text. */
export function namesOf(data: string): string[] {
	if (!isJson(data)) return [];
	const names = Object.keys(JSON.parse(data) as Record<string, unknown>);
	return /^\d/.test(names[0] ?? '') ? Object.keys(parseInOrder(data) as Record<string, unknown>) : names;
}

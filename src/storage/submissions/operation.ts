/**
 * Operations on submissions, written once for both engines: each yields statements and gets their rows. SQLite runs all of them in one
 * turn, inside a job of its writer; PostgreSQL waits for each.
 */

import type { Flags } from '../filters.ts';
import type { Row } from '../rows.ts';

export type Value = string | number | null;

export interface Statement {
	/** Its parameters are `$1`, `$2` …. */
	text: string;
	values: readonly Value[];
}

export type Operation<T> = Generator<Statement, T, Row[]>;

export function* rows<R extends Row>(text: string, values: readonly Value[] = []): Operation<R[]> {
	return (yield { text, values }) as R[];
}

/** A statement that was built with Drizzle. */
export function* built(query: { toSQL(): { sql: string; params: unknown[] } }): Operation<void> {
	const { sql, params } = query.toSQL();
	yield* rows(forBothEngines(sql), params as Value[]);
}

const CONFLICT = /\bon conflict \([^)]*\)/g;
const QUALIFIER = /"[^"]*"\./g;

/** A text by Drizzle as both engines take it: `?` outside of quotes becomes `$1`, `$2` …, and the columns of a conflict lose their table; quoted text is kept. */
export function forBothEngines(text: string): string {
	let count = 0;
	const made = text.replace(/"(?:[^"]|"")*"|'(?:[^']|'')*'|\?/g, (part) => (part === '?' ? `$${++count}` : part));
	return made.replace(CONFLICT, (part) => part.replaceAll(QUALIFIER, ''));
}

/** By name. */
export type Columns = Readonly<Record<string, 'bigint' | 'text'>>;

interface Indexed {
	id: number;
	formId: number;
	data: string;
}

/** The words in which the engines differ. */
export interface Dialect {
	/** A list of ids as the value of one parameter, and the condition that a column is in it. */
	list(ids: readonly (number | string)[]): Value;
	isIn(column: string, parameter: string, kind?: 'bigint' | 'text'): string;
	/** @param end What follows the values. */
	insert(table: string, columns: Columns, rows: readonly (readonly Value[])[], end?: string): Operation<void>;
	/** The table whose `id` has those that no submission may get. */
	usedIds: string;
	/** Behind a select: keeps others from its rows until the end of the transaction. */
	forUpdate: string;
	/** The records of a JSON list ($1), to select from. */
	records(columns: Readonly<Record<string, 'bigint' | 'text'>>): string;
	/** The larger of two values. */
	greatest: 'max' | 'greatest';
	utf8: string;
	/** Has the search find submissions that lie among those it knows. */
	index(rows: readonly Indexed[]): Operation<void>;
	/** Takes the submissions of a list ($1) out of the search. */
	unindex: string;
	/** Removes what else the engine keeps of a form ($1) when its submissions are gone. */
	afterSweep?: string;
}

/** A submission whose flags change, or that comes, or goes. */
export interface Transition {
	id: number;
	before?: Flags;
	after?: Flags;
}

export type MoveCounts = (changes: readonly Transition[]) => Operation<void>;

export interface Engine {
	dialect: Dialect;
	read<T>(operation: Operation<T>): Promise<T>;
	/** Runs it in one transaction; it may be begun again. */
	write<T>(begin: () => Operation<T>): Promise<T>;
	/** Holds the counts of a form until the transaction ends, and returns what moves them, before the rows change; `undefined` without that form. */
	holdCounts(formId: number): Operation<MoveCounts | undefined>;
	/** How many submissions a form has in its inbox when the transaction began; to be asked while its counts are held. */
	totalOf(formId: number): Operation<number>;
}

/** Connections to the database: a few that only write batches of submissions, and some for everything else. */

import { drizzle } from 'drizzle-orm/sqlite-proxy';
import postgres from 'postgres';
import { parsePostgresUrl } from '../../config/postgres-url.ts';
import { Unavailable } from '../errors.ts';
import type { Db } from '../storage.ts';
import { createDial, type Dial } from './dial.ts';
import { asStorageError } from './failures.ts';
import { routeOf } from './route.ts';

/** What other servers look for when they ask what is still being written; see `clock.ts`. */
export const WRITER_NAME = 'formsrv writer';

/** Longer than any question takes. */
export const SILENT_MS = 10_000;
const CONNECT_TIMEOUT_SECONDS = 5;
const IDLE_SECONDS = 60;
/** Between two attempts to connect. */
const FIRST_PAUSE_SECONDS = 0.05;
const LONGEST_PAUSE_SECONDS = 0.2;

export type Sql = postgres.Sql<{ bigint: number }>;
export type Value = string | number | null;
type Method = 'run' | 'all' | 'values' | 'get';

/** Whatever statements run on: a pool, or one transaction. */
export type Runner = Pick<Sql, 'unsafe'>;

export interface Notice {
	isWarning: boolean;
	text: string;
}

export interface ConnectOptions {
	name: string;
	max: number;
	/** A warning of a commit may mean that it did not wait for its standby. */
	onNotice?: (notice: Notice) => void;
	onClosed?: () => void;
	/** A connection that says nothing for so long after something was asked is closed. */
	silentMs?: number;
	/** Connects to this one of the servers of the address, whatever it is; else to the primary. */
	only?: number;
}

/** Its types lack the one that opens sockets. */
type DriverOptions = postgres.Options<{ bigint: postgres.PostgresType }> & { socket: Dial };

export function connect(url: string, { name, max, silentMs, only, onNotice, onClosed }: ConnectOptions): Sql {
	const parsed = parsePostgresUrl(url);
	const address = only === undefined ? parsed : { ...parsed, hosts: parsed.hosts.slice(only, only + 1) };
	const { user, password, database, options } = address;
	const route = only === undefined ? routeOf(url) : undefined;
	const driverOptions: DriverOptions = {
		user,
		password,
		database,
		// It tries as often as there are names, and opens no socket itself.
		host: address.hosts.map(() => 'server').join(),
		socket: createDial(address, { silentMs, route }),
		// Only of several. Not `read-write`, for which the driver takes a standby.
		target_session_attrs: address.hosts.length > 1 ? 'primary' : undefined,
		max,
		connect_timeout: CONNECT_TIMEOUT_SECONDS,
		// One that holds locks stays.
		...(onClosed ? { max_lifetime: null } : { idle_timeout: IDLE_SECONDS }),
		backoff: (tries) => (route?.isNew() ? 0 : Math.min(FIRST_PAUSE_SECONDS * 2 ** tries, LONGEST_PAUSE_SECONDS)),
		// Types are known: 64-bit numbers are ids, which are safe integers.
		fetch_types: false,
		types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
		connection: { application_name: name, timezone: 'UTC', options: options ?? '' },
		onnotice: ({ severity, message }) => onNotice?.({ isWarning: severity === 'WARNING', text: `${message}` }),
		onclose: onClosed,
	};
	return postgres(driverOptions) as unknown as Sql;
}

/** Runs a statement whose parameters are `$1`, `$2` …; returns its rows as lists of values. */
export async function rowsOf<Row extends readonly unknown[]>(
	sql: Runner,
	text: string,
	values: readonly Value[] = [],
	prepare = true,
): Promise<Row[]> {
	try {
		return (await sql.unsafe(text, values as Value[], { prepare }).values()) as unknown as Row[];
	} catch (error) {
		throw asStorageError(error);
	}
}

/** The tables for features, which build their queries in the dialect that both engines understand. */
export function createDb(sql: Runner): Db {
	const db = drizzle(async (text, values, method: Method) => {
		const rows = await rowsOf<unknown[]>(sql, toPostgres(text), values.map(toValue));
		return { rows: (method === 'get' ? rows[0] : rows) as unknown[] };
	});
	// The query builder would hide what it is thrown in an error of its own.
	const { session } = db as unknown as { session: QuerySession };
	const prepare = session.prepareQuery.bind(session);
	session.prepareQuery = (...args) => Object.assign(prepare(...args), { queryWithCache: runPlainly });
	return db;
}

interface QuerySession {
	prepareQuery(...args: unknown[]): { queryWithCache: unknown };
}

const runPlainly = (_text: string, _values: unknown[], run: () => Promise<unknown>) => run();

/** No statement is cancelled, because one that writes may take effect nevertheless. It is only not waited for. */
export async function withDeadline<T>(answer: PromiseLike<T>, ms: number): Promise<T> {
	const { promise, reject } = Promise.withResolvers<never>();
	const timer = setTimeout(() => reject(new Unavailable(new Error('The database does not answer.'))), ms);
	try {
		return await Promise.race([answer, promise]);
	} finally {
		clearTimeout(timer);
	}
}

const texts = new Map<string, string>();
const MAX_TEXTS = 2000;
const CONFLICT = /\bon conflict \([^)]*\)/g;
const QUALIFIER = /"[^"]*"\./g;

/** `?` outside of quotes becomes `$1`, `$2` …, and the columns of a conflict lose their table; quoted text is kept. */
function toPostgres(text: string): string {
	const known = texts.get(text);
	if (known !== undefined) return known;
	let count = 0;
	const made = text.replace(/"(?:[^"]|"")*"|'(?:[^']|'')*'|\?/g, (part) => (part === '?' ? `$${++count}` : part));
	const plain = made.replace(CONFLICT, (part) => part.replaceAll(QUALIFIER, ''));
	if (texts.size >= MAX_TEXTS) texts.clear();
	texts.set(text, plain);
	return plain;
}

/** Flags are numbers in the tables, as in SQLite. No text of PostgreSQL can hold the character NUL. */
function toValue(value: unknown): Value {
	if (typeof value === 'boolean') return value ? 1 : 0;
	if (typeof value === 'string') return withoutNul(value);
	return value as Value;
}

export function withoutNul(text: string): string {
	return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}

/** A list as the text of an array. */
export function numbers(list: readonly (number | null)[]): string {
	return `{${list.map((one) => one ?? 'NULL').join()}}`;
}

const SPECIAL = /[\\"]/g;

export function strings(list: readonly (string | null | undefined)[]): string {
	return `{${list.map((one) => (one == null ? 'NULL' : `"${withoutNul(one).replace(SPECIAL, '\\$&')}"`)).join()}}`;
}

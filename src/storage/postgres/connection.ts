/** Connections to the database: a few that only write batches of submissions, and some for everything else. */

import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { type PostgresHost, parsePostgresUrl } from '../../config/postgres-url.ts';
import { remember } from '../../tasks/remember.ts';
import type { Db } from '../contract.ts';
import { Unavailable } from '../errors.ts';
import { forBothEngines, type Value } from '../submissions/operation.ts';
import { createDial } from './connection/dial.ts';
import { CLOSED, hungUp, noneAnswers, standby } from './connection/dial-error.ts';
import { createLink, type Driver, type DriverOptions, type Link } from './connection/link.ts';
import { createPool } from './connection/pool.ts';
import { routeOf } from './connection/route.ts';
import { asStorageError, serverError } from './failures.ts';

/** Name that other servers look for when they ask what is still being written; see `clock.ts`. */
export const WRITER_NAME = 'formsrv writer';

/** Longer than any question takes. */
export const SILENT_MS = 10_000;
const CONNECT_TIMEOUT_SECONDS = 5;

/**
 * Has the database end a session that asks nothing for so long while others may wait for it: TCP keeps that of a process that hangs, or
 * whose machine is lost, for hours. Statements, because a pooler takes no such parameters.
 */
const set = (name: string, value: string | number) => `set_config('${name}', '${value}', false)`;
/** Those who wait for its locks wait longer than that. */
const IN_TRANSACTION = set('idle_in_transaction_session_timeout', SILENT_MS / 2);
const HOLDING_LOCKS = set('idle_session_timeout', SILENT_MS);
/** Whatever the role has: a move, or a backup that holds the files, is no session that was forgotten. */
const OTHERWISE = set('idle_session_timeout', 0);
/**
 * Has a statement that waits for a lock end once its connection was closed: while an administrator locks a table, those that were left
 * would add up to all connections of the server. One that waits for a standby goes on. PostgreSQL cannot do it on Windows.
 */
const LEFT = `case when version() ~ 'linux|darwin|bsd' then ${set('client_connection_check_interval', SILENT_MS / 5)} end`;

/** Statements rely on these, whatever the role has: a lock shows what was stored before, and texts and numbers arrive as they are. */
const RELIED_ON = [
	set('default_transaction_isolation', 'read committed'),
	set('array_nulls', 'on'),
	set('bytea_output', 'hex'),
	set('extra_float_digits', 1),
];
/** An acknowledged commit is on disk. Other values than off say on which. */
const DURABLE = `set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), false)`;

type Method = 'run' | 'all' | 'values' | 'get';

/** Whatever statements run on: a pool, or one transaction. */
export interface Runner {
	unsafe(text: string, values?: Value[], options?: { prepare?: boolean }): { values(): PromiseLike<Rows> };
}

/** Rows as lists of values, and the process of the server that they come from. */
type Rows = unknown[][] & { state: { pid: number } };
type Work<T> = (tx: Runner) => T | Promise<T>;

export interface Sql extends Runner, AsyncDisposable {
	/** @param mode Of the transaction, such as `read only`. */
	begin<T>(work: Work<T>, mode?: string): Promise<T>;
	/** A connection for the caller alone, until the end. */
	hold(): Promise<Driver>;
	/** @param withinMs What is in flight has so long to come to its end. */
	end(withinMs?: number): Promise<void>;
}

export interface Notice {
	isWarning: boolean;
	text: string;
}

interface ConnectOptions {
	name: string;
	max: number;
	/** A warning of a commit may mean that it did not wait for its standby. */
	onNotice?: (notice: Notice) => void;
	/** Called with the notifications of other sessions. */
	onNotify?: (text: string) => void;
	/** Called when a connection ended; with it, none is closed because it is not used. For those that hold locks, and ask all the time. */
	onClosed?: () => void;
	/** A connection that says nothing for so long after something was asked is closed. */
	silentMs?: number;
	/** A statement that waits for a lock longer than this is rolled back; sooner if the role has it so. */
	lockMs?: number;
	/** Connects to this one of the servers of the address, whatever it is; else to the primary. */
	only?: number;
	/** For a few questions: sets nothing that would stay with a session that a pooler gives to others. */
	isBrief?: boolean;
}

export function connect(url: string, { name, max, silentMs, lockMs = 0, only, isBrief, ...on }: ConnectOptions): Sql {
	const { hosts, ...address } = parsePostgresUrl(url);
	const route = only === undefined ? routeOf(url) : undefined;
	const dial = createDial({ hosts, tls: address.tls }, { silentMs, route });
	const options: DriverOptions = {
		user: address.user,
		password: address.password,
		database: address.database,
		connect_timeout: CONNECT_TIMEOUT_SECONDS,
		// Types are known: 64-bit numbers are ids, which are safe integers.
		fetch_types: false,
		types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
		connection: { application_name: name, timezone: 'UTC', options: address.options ?? '' },
		onnotice: ({ severity, message }) => on.onNotice?.({ isWarning: severity === 'WARNING', text: `${message}` }),
		onnotify: (_channel, text) => on.onNotify?.(text),
	};
	const idle = on.onClosed ? HOLDING_LOCKS : OTHERWISE;
	const locks = `case current_setting('lock_timeout') when '0' then ${set('lock_timeout', lockMs)} end`;
	const settings = isBrief ? [] : [IN_TRANSACTION, LEFT, idle, locks, DURABLE, ...RELIED_ON];
	/** The server to begin with while the primary is not known. */
	let first = 0;

	async function openAt(index: number, onOver: (link: Link) => void): Promise<Link> {
		const { host, port } = hosts[index] as PostgresHost;
		// For the driver's errors, which name them. Its types know no lists, and one text would be split at colons.
		const named = { ...options, host: [host], port: [port] } as unknown as DriverOptions;
		const link = createLink(named, { dial: () => dial(index), onOver });
		link.jobs++;
		try {
			const [row] = await link.sql.unsafe(`select ${['pg_is_in_recovery()', ...settings].join()}`).values();
			if (row?.[0] === true && hosts.length > 1 && only === undefined) throw standby({ host, port });
			return link;
		} catch (error) {
			void link.close();
			const isHungUp = (error as { code?: unknown }).code === CLOSED;
			throw isHungUp ? hungUp({ host, port }) : error;
		} finally {
			link.jobs--;
		}
	}

	/** The primary; of a single server, whatever it is. */
	async function open(onOver: (link: Link) => void): Promise<Link> {
		const errors: unknown[] = [];
		const known = only ?? route?.primary();
		const order = known === undefined ? hosts.map((_, i) => (first + i) % hosts.length) : [known];
		for (const index of order) {
			try {
				const link = await openAt(index, onOver);
				first = index;
				return link;
			} catch (error) {
				errors.push(error);
			}
		}
		// The words of a server tell more than that another cannot be reached.
		throw errors.find(serverError) ?? noneAnswers(errors);
	}

	const onOver = (link: Link, drop: (link: Link) => void) => {
		on.onClosed?.();
		drop(link);
	};
	const pool = createPool({
		max,
		isKept: on.onClosed !== undefined,
		open: (drop) => open((link) => onOver(link, drop)),
	});
	const end = (withinMs = 1000) => pool.end(withinMs);
	return {
		unsafe: (...query) => ({
			values: () => pool.use((sql) => sql.unsafe(...query).values() as unknown as PromiseLike<Rows>, false),
		}),
		begin: <T>(work: Work<T>, mode = '') =>
			pool.use((sql) => sql.begin(mode, (tx) => work(tx as unknown as Runner)) as Promise<T>, true),
		hold: pool.hold,
		end,
		[Symbol.asyncDispose]: () => end(),
	};
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

/** Statements are the program's own, however long. */
const toPostgres = remember(forBothEngines, 2000, Number.POSITIVE_INFINITY);

/** Flags are numbers in the tables, as in SQLite. No text of PostgreSQL can hold the character NUL. */
function toValue(value: unknown): Value {
	if (typeof value === 'boolean') return value ? 1 : 0;
	if (typeof value === 'string') return withoutNul(value);
	return value as Value;
}

function withoutNul(text: string): string {
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

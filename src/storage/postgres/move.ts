/** A database in PostgreSQL that is moved to another engine, and one that is filled from it; see `../move.ts`. */

import { withoutPassword } from '../../config/postgres-url.ts';
import { AppError } from '../../errors.ts';
import { IDS_PER_MILLISECOND } from '../../ids.ts';
import type { MovedTable, MoveSide, MoveTarget, RowValues } from '../contract.ts';
import { namesOf } from '../rows.ts';
import type { Driver } from './connection/link.ts';
import { connect, type Runner, rowsOf, type Sql } from './connection.ts';
import { foldBelow } from './counts.ts';
import { asStorageError } from './failures.ts';
import { createFieldNames } from './field-names.ts';
import { migrate } from './migrate.ts';
import { DIALECT, runOn } from './operations.ts';
import { INDEXED_TO } from './search.ts';
import { checkServer } from './server-check.ts';
import { startProblem } from './start-problem.ts';
import { readMove, rejectServers, rejectUnfinishedMove } from './unfinished-move.ts';

const ROWS_AT_ONCE = 128;
/** Submissions of the last moments are counted when asked for, as always. */
const SETTLED_MS = 2000;
/** Settings that end a transaction; PostgreSQL has some of them only since a version. */
const UNLIMITED = "'statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout'";
/** One for the cursor that compares what arrived, and one for everything else. */
const CONNECTION = { name: 'formsrv move', max: 2 };

export async function openSource(url: string, tables: readonly MovedTable[]): Promise<MoveSide> {
	const sql = connect(url, CONNECTION);
	try {
		await rejectUnfinishedMove(sql);
		await rejectServers(sql, withoutPassword(url));
		const held = await sql.hold();
		await held.unsafe('begin');
		// Longer than a vacuum of PostgreSQL's own takes to make way.
		await held.unsafe("set local lock_timeout = '10s'");
		// It is idle while its rows are written and those that arrived are compared, however long that takes.
		await held.unsafe(`select set_config(name, '0', true) from pg_settings where name in (${UNLIMITED})`);
		// Others may read. Servers that start now cannot write.
		await held.unsafe(`lock table ${tables.map(({ name }) => name).join()} in exclusive mode`);
		return {
			...sideOf(held),
			// Its transaction ends with its connection.
			close: () => sql.end(0),
		};
	} catch (error) {
		await sql.end();
		throw startProblem(error, url);
	}
}

export async function openTarget(
	url: string,
	{ source, tables }: { source: string; tables: readonly MovedTable[] },
): Promise<MoveTarget> {
	const sql = connect(url, CONNECTION);
	let held: Driver;
	try {
		await checkServer(url);
		await migrate(sql, () => connect(url, CONNECTION));
		await begin(sql, { source, tables, name: withoutPassword(url) });
		held = await sql.hold();
	} catch (error) {
		await sql.end();
		throw startProblem(error, url);
	}
	const names = createFieldNames(sql);

	function shapesOf(columns: readonly string[], rows: readonly RowValues[]) {
		const [id, formId, data] = ['id', 'form_id', 'data'].map((column) => columns.indexOf(column)) as [
			number,
			number,
			number,
		];
		return names.shapesOf(
			rows.map((row) => ({
				id: row[id] as number,
				row: { formId: row[formId] as number, names: namesOf(row[data] as string) },
			})),
		);
	}

	return {
		...sideOf(held),
		anew: 'Move again to an empty database.',
		async lastKey({ name, columns, key }) {
			const order = key.map((column) => `${ordered(columns, column)} desc`).join();
			const [last] = await rowsOf<RowValues>(sql, `select ${key.join()} from ${name} order by ${order} limit 1`);
			return last;
		},
		async write({ name, columns }, rows) {
			const isNamed = name === 'submissions';
			const shapes = isNamed ? await shapesOf(Object.keys(columns), rows) : [];
			const [all, values] = isNamed
				? [{ ...columns, shape: 'bigint' as const }, rows.map((row, i) => [...row, shapes[i] as number])]
				: [columns, rows];
			// Rows sent by a move that was cut off may arrive at this moment.
			await runOn(sql, DIALECT.insert(name, all, values, 'on conflict do nothing'));
		},
		async finish() {
			const [[now = 0] = []] = await rowsOf<[number]>(
				sql,
				'select (extract(epoch from clock_timestamp()) * 1000)::bigint',
			);
			for (const [formId] of await rowsOf<[number]>(sql, 'select id from forms')) {
				await foldBelow(sql, formId, (now - SETTLED_MS) * IDS_PER_MILLISECOND);
			}
			await rowsOf(
				sql,
				"select setval(pg_get_serial_sequence('former_slugs', 'rowid'), coalesce(max(rowid), 1)) from former_slugs",
			);
			await rowsOf(sql, 'analyze');
			await rowsOf(sql, 'drop table formsrv_move');
		},
		close: () => sql.end(),
	};
}

/** @throws AppError unless the database is empty, or filled by a move from the same source that was cut off */
async function begin(
	sql: Sql,
	{ source, tables, name }: { source: string; tables: readonly MovedTable[]; name: string },
): Promise<void> {
	const former = await sql.begin(async (tx) => {
		// Two moves that begin at one time would both find it empty.
		await rowsOf(tx, "select pg_advisory_xact_lock(hashtext('formsrv move'))");
		const marked = await readMove(tx);
		if (marked === undefined) await mark(tx, { source, tables, name });
		return marked;
	});
	if (former !== undefined && former !== source) {
		throw new AppError(
			'UNAVAILABLE',
			`${name} is filled by an unfinished move from ${former}. Finish that, or empty it.`,
		);
	}
	await rejectServers(sql, name).catch(async (error: unknown) => {
		if (former === undefined) await rowsOf(sql, 'drop table formsrv_move');
		throw error;
	});
}

async function mark(
	tx: Runner,
	{ source, tables, name }: { source: string; tables: readonly MovedTable[]; name: string },
): Promise<void> {
	for (const table of tables) {
		// Servers make these when they start.
		if (table.name === 'server_values') continue;
		if ((await rowsOf(tx, `select 1 from ${table.name} limit 1`)).length === 0) continue;
		throw new AppError(
			'UNAVAILABLE',
			`${name} is in use: it has rows in the table ${table.name}. If a move to it was cut off, that had come to its end; else name an empty one.`,
		);
	}
	await rowsOf(tx, 'create table formsrv_move (source text not null)');
	await rowsOf(tx, 'insert into formsrv_move values ($1)', [source]);
	await rowsOf(tx, 'delete from server_values');
}

function sideOf(sql: Driver): Omit<MoveSide, 'close'> {
	return {
		ownValue: INDEXED_TO,
		async count({ name }) {
			const [[rows = 0] = []] = await rowsOf<[number]>(sql, `select count(*) from ${name}`);
			return rows;
		},
		rows: (table, after) => chunksOf(sql, table, after),
	};
}

async function* chunksOf(sql: Driver, { name, columns, key }: MovedTable, after: RowValues = []) {
	const order = key.map((column) => ordered(columns, column)).join();
	const bounds = after.map((_, i) => `$${i + 1}`).join();
	const behind = after.length > 0 ? `where (${order}) > (${bounds})` : '';
	const text = `select ${Object.keys(columns).join()} from ${name} ${behind} order by ${order}`;
	try {
		yield* sql.unsafe(text, after).values().cursor(ROWS_AT_ONCE) as unknown as AsyncIterable<RowValues[]>;
	} catch (error) {
		throw asStorageError(error);
	}
}

/** Texts in the order of their bytes, as in SQLite. */
function ordered(columns: MovedTable['columns'], name: string): string {
	return columns[name] === 'text' ? `${name} collate "C"` : name;
}

/** An SQLite file that is moved to another engine, and one that is filled from it; see `../move.ts`. */

import type { Database } from 'bun:sqlite';
import { existsSync, statSync } from 'node:fs';
import { AppError } from '../../errors.ts';
import type { MovedTable, MoveSide, MoveTarget, RowValues } from '../contract.ts';
import { isJson, REPLACED } from '../damage.ts';
import { isJsonInUtf8 } from '../damaged-bytes.ts';
import { FLAG_COLUMN_NAMES, namesOf, toFlags } from '../rows.ts';
import { endOffset } from './clock.ts';
import { LAST_COMMAND_ID } from './command-ids.ts';
import { behindLinks, closeWriteConnection, openWriteConnection, waitWhileBusy } from './connection.ts';
import { copyDatabase } from './copy.ts';
import { createDatabase } from './database-place.ts';
import { createFormIndex, type FormIndex } from './form-index.ts';
import { takeServerLock } from './locks.ts';
import { DIALECT, runOnce } from './operations.ts';
import { removeLeftovers, replaceDatabase } from './replace.ts';

const CHUNK = { rows: 1000, characters: 4 * 1024 * 1024 };

export async function openSource(file: string): Promise<MoveSide> {
	const release = lock(file);
	const client = openWriteConnection(file);
	try {
		// Held until the end, so that nothing is written, by commands either.
		waitWhileBusy(() => client.run('begin immediate'));
		followClock(client, file);
	} catch (error) {
		// Closing alone keeps the lock for as long as statements of this connection are not collected.
		if (client.inTransaction) client.run('rollback');
		client.close();
		release();
		throw error;
	}
	return {
		...sideOf(client),
		async close() {
			client.run('rollback');
			closeWriteConnection(client);
			release();
		},
	};
}

/** @param source Where the rows come from: a move that was cut off goes on only from there. */
export async function openTarget(path: string, source: string): Promise<MoveTarget> {
	const file = behindLinks(path);
	if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) {
		throw new AppError(
			'UNAVAILABLE',
			`${file} exists. If a move to it was cut off, that had come to its end; else name a file that does not exist.`,
		);
	}
	const release = lock(file);
	// Beside its place, where a server takes it for what is left of a database, and does not start.
	const draft = `${file}.moving`;
	if (!existsSync(draft)) createDatabase(draft);
	const client = openWriteConnection(draft);
	client.run('create table if not exists formsrv_move (source text not null)');
	const [[former] = []] = client.query('select source from formsrv_move').values() as [string][];
	if (former === undefined) client.query('insert into formsrv_move values (?)').run(source);
	const index = createFormIndex(client);
	let isOpen = true;

	function end(): void {
		if (!isOpen) return;
		isOpen = false;
		closeWriteConnection(client);
	}

	if (former !== undefined && former !== source) {
		end();
		release();
		throw new AppError(
			'UNAVAILABLE',
			`${draft} is of an unfinished move from ${former}. Remove it, or finish that move.`,
		);
	}
	return {
		...sideOf(client),
		anew: `Remove ${draft}, and move again.`,
		async lastKey({ name, key }) {
			const order = key.map((column) => `${column} desc`).join();
			return client.query(`select ${key.join()} from ${name} order by ${order} limit 1`).values()[0] as
				| RowValues
				| undefined;
		},
		async write(table, rows) {
			client.run('begin immediate');
			runOnce(client, DIALECT.insert(table.name, table.columns, rows));
			if (table.name === 'submissions') count(index, Object.keys(table.columns), rows);
			index.flush();
			client.run('commit');
		},
		async finish() {
			client.run('drop table formsrv_move');
			end();
			const moment = new Date().toISOString().replace(/[:.]/g, '-');
			const replacement = `${file}.restoring-${moment}`;
			// A copy, because this process may have the draft open until it ends.
			copyDatabase(draft, replacement);
			replaceDatabase(file, { replacement, aside: `${file}.replaced-${moment}` });
			removeLeftovers(file);
		},
		async close() {
			end();
			release();
		},
	};
}

function lock(file: string): () => void {
	const release = takeServerLock(file);
	if (!release) throw new AppError('UNAVAILABLE', `A server runs on ${file}. Stop it first.`);
	return release;
}

/** PostgreSQL makes ids by its own clock. The step by which they do so again is undone with the transaction: the file stays as it is. */
function followClock(client: Database, file: string): void {
	const fromMs = endOffset(client, Date.now());
	if (fromMs === undefined) return;
	throw new AppError(
		'UNAVAILABLE',
		`The clock was set back while ${file} was used, and its ids run ahead of it until ${new Date(fromMs).toISOString()}. ` +
			'PostgreSQL would give new submissions places before the older ones: move then, or correct the clock.',
	);
}

function sideOf(client: Database): Omit<MoveSide, 'close'> {
	return {
		ownValue: LAST_COMMAND_ID,
		count: async ({ name }) => Number(client.query(`select count(*) from ${name}`).values()[0]?.[0]),
		rows: (table, after) => chunksOf(client, table, after),
	};
}

async function* chunksOf(client: Database, { name, columns, key }: MovedTable, after: RowValues = []) {
	const behind = after.length > 0 ? `where (${key.join()}) > (${key.map(() => '?').join()})` : '';
	const names = Object.keys(columns);
	const statement = client.prepare(`select ${names.join()} from ${name} ${behind} order by ${key.join()}`);
	const keepDamage = name === 'submissions' ? damageKeeper(client) : undefined;
	let chunk: RowValues[] = [];
	let characters = 0;
	for (const row of statement.iterate(...after) as Iterable<Record<string, RowValues[number]>>) {
		keepDamage?.(row);
		const values = names.map((column) => row[column] ?? null);
		chunk.push(values);
		for (const value of values) if (typeof value === 'string') characters += value.length;
		if (chunk.length < CHUNK.rows && characters < CHUNK.characters) continue;
		yield chunk;
		chunk = [];
		characters = 0;
	}
	if (chunk.length > 0) yield chunk;
}

/**
 * PostgreSQL holds valid UTF-8 without NUL alone. Damaged bytes of a submission might become JSON that way, which is what was never sent:
 * they become a text that is no JSON.
 */
function damageKeeper(client: Database): (row: Record<string, unknown>) => void {
	const stored = client.prepare('select cast(data as blob) from submissions where id = ?');
	return (row) => {
		const { id, data } = row;
		const isText = typeof data === 'string';
		if (isText && !data.includes(REPLACED) && !data.includes('\0')) return;
		const [[bytes] = []] = stored.values(id as number) as [Uint8Array | null][];
		const text = new TextDecoder().decode(bytes ?? new Uint8Array()).replaceAll('\0', REPLACED);
		const isWhole = isText && bytes && isJsonInUtf8(bytes);
		row.data = isJson(text) && !isWhole ? REPLACED + text : text;
	};
}

/** Blocks, counts and names, as if they had arrived one by one. */
function count(index: FormIndex, columns: readonly string[], rows: readonly RowValues[]): void {
	const at = (column: string) => columns.indexOf(column);
	const [id, form, data, flags] = [at('id'), at('form_id'), at('data'), FLAG_COLUMN_NAMES.map(at)];
	for (const row of rows) {
		index.add(
			row[form] as number,
			{ id: row[id] as number, names: namesOf(row[data] as string) },
			toFlags(flags.map((column) => row[column])),
		);
	}
}

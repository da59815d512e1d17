/** Brings a database to the schema of this program by the migrations embedded in it. */

import { readFileSync } from 'node:fs';
import { assetPath } from '../../assets.ts';
import { AppError } from '../../errors.ts';
import type { Value } from '../submissions/operation.ts';
import { type Runner, rowsOf, type Sql } from './connection.ts';
import { isHeldUp } from './failures.ts';
import { watchSettingsSql } from './settings-version.ts';

/** Key of the lock by which only one process migrates; the others wait. "form" in ASCII, as in the header of an SQLite file. */
const LOCK = 0x666f726d;

/**
 * A change waits for those who use a table, and all who come later wait behind it. Longer than a vacuum of PostgreSQL's own takes to
 * make way, shorter than a visitor waits.
 */
const LOCK_WITHIN_MS = 2000;
const BETWEEN_TRIES_MS = 3000;
const GIVE_UP_AFTER_MS = 30_000;

const FOLDER = assetPath('drizzle', 'postgres');

interface Journal {
	entries: { tag: string }[];
}

interface Wanted extends Journal {
	folder: string;
}

/** How many migrations this program knows. */
export function schemaVersion(): number {
	return readJournal(FOLDER).entries.length;
}

function readJournal(folder: string): Journal {
	return JSON.parse(readFileSync(`${folder}/meta/_journal.json`, 'utf8'));
}

/**
 * @param another Opens a connection of its own, on which changes may take their time.
 * @throws AppError with a sentence for the operator if the database cannot be used
 */
export async function migrate(sql: Sql, another: () => Sql, folder = FOLDER): Promise<void> {
	const { entries } = readJournal(folder);
	if ((await readVersion(sql, entries.length)) === entries.length) return;
	await using patient = another();
	await changeSoon(patient, { folder, entries });
}

async function changeSoon(sql: Sql, wanted: Wanted): Promise<void> {
	for (const since = performance.now(); ; await Bun.sleep(BETWEEN_TRIES_MS)) {
		try {
			return await change(sql, wanted);
		} catch (error) {
			if (!isHeldUp(error)) throw error;
			if (performance.now() - since > GIVE_UP_AFTER_MS) throw heldUp(error);
		}
	}
}

async function change(sql: Sql, { folder, entries }: Wanted): Promise<void> {
	await sql.begin(async (tx) => {
		const run = (text: string, values?: Value[]) => tx.unsafe(text, values).values();
		await run('select pg_advisory_xact_lock($1)', [LOCK]);
		await run(`set local lock_timeout = ${LOCK_WITHIN_MS}`);
		await run('create table if not exists formsrv_schema (version integer not null)');
		const version = await readVersion(tx, entries.length);
		if (version === 0) await run('create extension if not exists pg_trgm').then(null, needsTrigrams);
		for (const { tag } of entries.slice(version)) await run(readFileSync(`${folder}/${tag}.sql`, 'utf8'));
		await run(watchSettingsSql());
		await run('delete from formsrv_schema');
		await run('insert into formsrv_schema values ($1)', [entries.length]);
	});
}

/** @throws AppError if it is newer than this program */
async function readVersion(sql: Runner, wanted: number): Promise<number> {
	const version = await readSchema(sql);
	if (version > wanted) throw new AppError('UNAVAILABLE', newerThanProgram(version, wanted));
	return version;
}

/** How many migrations the database has seen; 0 if it is new. */
export async function readSchema(sql: Runner): Promise<number> {
	const [found] = await rowsOf<[boolean]>(sql, "select to_regclass('formsrv_schema') is not null");
	if (!found?.[0]) return 0;
	const [[version = 0] = []] = await rowsOf<[number]>(sql, 'select version from formsrv_schema');
	return version;
}

export function newerThanProgram(version: number, wanted = schemaVersion()): string {
	return `The database was written by a newer formsrv (schema ${version}, this program knows ${wanted}). Start that version.`;
}

function heldUp(cause: unknown): AppError {
	return new AppError(
		'UNAVAILABLE',
		'Another session uses the tables that this version has to change, such as pg_dump, or a transaction that was left open. Nothing ' +
			'was changed. Start again when it is over, or end it.',
		{ cause },
	);
}

function needsTrigrams(cause: unknown): never {
	throw new AppError(
		'UNAVAILABLE',
		`The search needs PostgreSQL's extension pg_trgm, which this role may not create: ${(cause as Error).message}. ` +
			'As an administrator, in this database: create extension pg_trgm;',
		{ cause },
	);
}

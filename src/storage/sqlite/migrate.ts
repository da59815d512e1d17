/** Brings a database file to the schema of this program by the migrations embedded in it. */

import { Database } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { assetPath } from '../../assets.ts';
import { waitWhileBusy } from './connection.ts';
import { isServedElsewhere } from './locks.ts';

/** "form" in ASCII: marks the file as ours in its header, see https://sqlite.org/pragma.html#pragma_application_id */
export const APPLICATION_ID = 0x666f726d;

const FOLDER = assetPath('drizzle');

interface Journal {
	entries: { idx: number; when: number; tag: string }[];
}

/** The number in a pragma such as `user_version`. */
export function readPragma(client: Database, name: string): number {
	const row = client.query(`pragma ${name}`).values()[0];
	return Number(row?.[0] ?? 0);
}

/** How many migrations this program holds; a file's `user_version` counts those it has seen. */
export function schemaVersion(): number {
	return readJournal(FOLDER).entries.length;
}

/** This program was made at that moment or later, in milliseconds since 1970. */
export function programMadeAt(): number {
	return readJournal(FOLDER).entries.at(-1)?.when ?? 0;
}

/**
 * Applies what is missing, in one transaction. Foreign keys are off meanwhile, because rebuilding a table drops
 * it, and a drop would cascade into its children; they are checked as a whole before the commit.
 * @throws Error with a sentence for the operator if the file belongs to another program or a newer version, or if a server of an
 * earlier one, which would not count what only this one knows, runs on it.
 */
export function migrate(client: Database, folder = FOLDER): void {
	const { entries } = readJournal(folder);
	if (inOneView(client, () => isCurrent(client, entries.length))) return;
	client.run('pragma foreign_keys = off');
	waitWhileBusy(() => client.run('begin immediate'));
	try {
		if (!isCurrent(client, entries.length)) {
			const version = readPragma(client, 'user_version');
			if (version > 0 && isServedElsewhere(client.filename)) {
				throw new Error(
					`The server on ${client.filename} is of an earlier version: restart it with this program, which upgrades the database.`,
				);
			}
			for (const { tag } of entries.slice(version)) apply(client, `${folder}/${tag}.sql`);
			const orphans = client.query('pragma foreign_key_check').values();
			if (orphans.length > 0)
				throw new Error('The database holds rows whose parents are missing; it was left unchanged.');
			client.run(`pragma application_id = ${APPLICATION_ID}`);
			client.run(`pragma user_version = ${entries.length}`);
		}
		client.run('commit');
	} catch (error) {
		if (client.inTransaction) client.run('rollback');
		throw error;
	} finally {
		client.run('pragma foreign_keys = on');
	}
}

/** The names of the tables, indexes and triggers that a file of a version holds at least. */
export function schemaNames(version: number): string[] {
	using client = new Database(':memory:');
	for (const { tag } of readJournal(FOLDER).entries.slice(0, version)) apply(client, `${FOLDER}/${tag}.sql`);
	return readNames(client);
}

export function readNames(client: Database): string[] {
	return client
		.query('select name from sqlite_master')
		.values()
		.map(([name]) => String(name));
}

/** Another process may be making the database just now. */
function inOneView<T>(client: Database, read: () => T): T {
	client.run('begin');
	try {
		return read();
	} finally {
		client.run('rollback');
	}
}

function apply(client: Database, file: string): void {
	try {
		client.run(readFileSync(file, 'utf8'));
	} catch (cause) {
		if ((cause as { code?: string }).code !== 'SQLITE_ERROR') throw cause;
		// The statements do not fit what is there. SQLite's own message would show them.
		throw new Error(
			`The database is not what its version says (user_version ${readPragma(client, 'user_version')}): it was left unchanged. Restore a backup.`,
			{ cause },
		);
	}
}

function readJournal(folder: string): Journal {
	return JSON.parse(readFileSync(`${folder}/meta/_journal.json`, 'utf8')) as Journal;
}

function isCurrent(client: Database, wanted: number): boolean {
	const applicationId = readPragma(client, 'application_id');
	const version = readPragma(client, 'user_version');
	if (applicationId !== APPLICATION_ID) {
		const tables = client.query('select count(*) from sqlite_master').values()[0];
		if (applicationId !== 0 || version !== 0 || Number(tables?.[0]) !== 0) {
			throw new Error('The file is an SQLite database of another program; it was left untouched.');
		}
		return false;
	}
	if (version < 1) {
		throw new Error(
			`The database was changed by another program (user_version ${version}); it was left untouched. Restore a backup.`,
		);
	}
	if (version > wanted) {
		throw new Error(
			`The database was written by a newer formsrv (schema ${version}, this program knows ${wanted}). Start that version, or restore a backup.`,
		);
	}
	return version === wanted;
}

/** A database in a file; see `DatabaseFile`. */

import { Database } from 'bun:sqlite';
import { readFileRecords, readOutbox } from '../closed-reads.ts';
import { COMPARING_LASTS_MS, compareCounts } from '../count-check.ts';
import type { CountReport, DatabaseFile, NamedFile } from '../database.ts';
import { againOf, ERASURE_PREFIX } from '../erasure-records.ts';
import { PAUSE_PREFIX } from '../pauses.ts';
import { BEYOND_ALL_IDS } from '../rows.ts';
import { ALERT_PREFIX, OPEN_ALERT, type ServerValue, VISITOR_SECRET } from '../server-values.ts';
import type { Operation } from '../submissions/operation.ts';
import { syncToDisk } from '../sync-to-disk.ts';
import { HIGHEST_ID } from './clock.ts';
import { LAST_COMMAND_ID } from './command-ids.ts';
import { compareRows, countOmitted } from './compare.ts';
import { behindLinks, closeWriteConnection, openReadConnection, openWriteConnection } from './connection.ts';
import { copyDatabase } from './copy.ts';
import { hasDatabase } from './database-place.ts';
import { measureDisk } from './disk-use.ts';
import { identityAt } from './file-identity.ts';
import { inspectDatabase, sqliteVersion } from './inspect.ts';
import { holdFiles, isServerRunning, takeServerLock } from './locks.ts';
import { migrate } from './migrate.ts';
import { runOnce } from './operations.ts';
import { removeLeftovers, replaceDatabase } from './replace.ts';

export function sqliteDatabaseAt(file: string): DatabaseFile {
	return {
		name: file,
		files: [file, `${file}-wal`, `${file}-shm`],
		engine: () => `SQLite ${sqliteVersion()}`,
		exists: () => hasDatabase(file),
		identity: () => identityAt(file),
		place: () => behindLinks(file),
		lock: () => takeServerLock(file),
		copyTo: (target) => copyDatabase(file, target),
		hold: (reason) => holdDeliveries(file, reason),
		erasures: () => readValues(file, ERASURE_PREFIX),
		repeatErasures: (others) => repeatErasures(file, others),
		takeOver: (other) => takeOver(file, other),
		serverValue: (name) => readServerValue(file, name),
		replace: (paths) => replaceDatabase(file, paths),
		removeLeftovers: (needed) => removeLeftovers(file, needed),
		inspect: (check) => inspectDatabase(file, check),
		compareRows: (other) => compareRows(file, other),
		countOmitted: (other) => countOmitted(file, other),
		compareCounts: () => compareBlocks(file),
		fileRecords: () => ask(file, readFileRecords()),
		outbox: () => ask(file, readOutbox()),
		isServed: () => isServerRunning(file),
		namedFiles: () => readNamedFiles(file),
		holdFiles: () => holdFiles(file),
		measure: () => measureDisk(file),
	};
}

export function compareBlocks(file: string, lastsMs = COMPARING_LASTS_MS): CountReport {
	using client = openReadConnection(file);
	// One view: what is stored meanwhile is not seen.
	client.run('begin');
	const report: CountReport = { compared: 0, of: 0, wrong: [] };
	runOnce(client, compareCounts(report, { end: BEYOND_ALL_IDS, lastsMs }));
	return report;
}

function ask<T>(file: string, operation: Operation<T>): T {
	using client = openReadConnection(file);
	return runOnce(client, operation);
}

/** Holds what waits in the outbox of a copy, of any version: it may have been sent since the copy was made. @returns how many there are */
function holdDeliveries(file: string, reason: string): number {
	const client = new Database(file, { readwrite: true });
	try {
		const hold =
			"update deliveries set state = 'held', next_attempt_at = null, last_error = ? where state in ('waiting', 'sending')";
		const { changes } = client.run(hold, [reason]);
		if (hasTable(client, 'server_values')) client.run(`delete from server_values where name like '${PAUSE_PREFIX}%'`);
		return changes;
	} finally {
		client.close();
		syncToDisk(file);
	}
}

function readValues(file: string, prefix: string): ServerValue[] {
	using client = openReadConnection(file);
	if (!hasTable(client, 'server_values')) return [];
	const named = client.query<ServerValue, [string]>('select name, value from server_values where name like ?');
	return named.all(`${prefix}%`);
}

/** The copy may be of any version: one that has no place for them is brought up to this one. */
function repeatErasures(file: string, others: readonly ServerValue[]): number {
	if (others.length === 0) return 0;
	return writeTo(file, (client) => {
		if (!hasTable(client, 'server_values')) migrate(client);
		const insert = client.query('insert into server_values (name, value) values (?, ?) on conflict do nothing');
		const repeat = ({ name, value }: ServerValue) =>
			insert.run(name, JSON.stringify(againOf(JSON.parse(value)))).changes;
		return client.transaction(() => others.reduce((sum, record) => sum + repeat(record), 0))();
	});
}

/** Writes to a file that then stands alone, on the disk itself. */
function writeTo<T>(file: string, write: (client: Database) => T): T {
	const client = openWriteConnection(file);
	try {
		return write(client);
	} finally {
		closeWriteConnection(client);
		syncToDisk(file);
	}
}

function takeOver(file: string, other: string): void {
	const values: ServerValue[] = [];
	let suppressed: string[][] = [];
	try {
		values.push(...readValues(other, ALERT_PREFIX).filter(({ value }) => value.startsWith(OPEN_ALERT)));
		using client = openReadConnection(other);
		const [[highest] = []] = client.query(HIGHEST_ID).values();
		const own = readServerValue(file, LAST_COMMAND_ID);
		values.push({ name: LAST_COMMAND_ID, value: `${Math.max(Number(highest ?? 0), Number(own ?? 0))}` });
		// Without one, the copy knows no suppressed address: it is of before the first mail to a visitor.
		if (readServerValue(file, VISITOR_SECRET) === undefined) values.push(...readValues(other, VISITOR_SECRET));
		suppressed = client.query('select address, reason, created_at from suppressions').values() as string[][];
	} catch {
		// It may be damaged, which is why there is a restore, or of an earlier version.
	}
	if (values.length === 0) return;
	writeTo(file, (client) => {
		if (!hasTable(client, 'server_values')) return;
		const take = 'insert or replace into server_values (name, value) values (?, ?)';
		const suppress = 'insert or ignore into suppressions (address, reason, created_at) values (?, ?, ?)';
		const canSuppress = hasTable(client, 'suppressions');
		client.transaction(() => {
			for (const { name, value } of values) client.query(take).run(name, value);
			if (canSuppress) for (const row of suppressed) client.query(suppress).run(...row);
		})();
	});
}

function hasTable(client: Database, name: string): boolean {
	return client.query('select 1 from sqlite_schema where name = ?').values(name).length > 0;
}

/** A row of `server_values`; `undefined` if there is none, or the copy is older than the table. */
function readServerValue(file: string, name: string): string | undefined {
	using client = new Database(file, { readonly: true });
	try {
		return client.query('select value from server_values where name = ?').values(name)[0]?.[0] as string | undefined;
	} catch {
		return undefined;
	}
}

/** The database may be of a version that knew no files. */
function* readNamedFiles(file: string): Generator<NamedFile> {
	using client = openReadConnection(file);
	if (!hasTable(client, 'files')) return;
	yield* client
		.query<NamedFile, []>('select key, bytes, sha256 from files where key is not null order by id')
		.iterate();
}

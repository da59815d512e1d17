/** A database in PostgreSQL, beside opening it; see `Database`. */

import { withoutPassword } from '../../config/postgres-url.ts';
import { NO_CLOCK } from '../clock-report.ts';
import { readFileRecords, readOutbox } from '../closed-reads.ts';
import { COMPARING_LASTS_MS, compareCounts } from '../count-check.ts';
import type { CountReport, Database, DatabaseReport, DiskUse } from '../database.ts';
import { KINDS } from '../findings.ts';
import { connect, type Runner, rowsOf, type Sql } from './connection.ts';
import { isTimedOut } from './failures.ts';
import { newerThanProgram, readSchema, schemaVersion } from './migrate.ts';
import { runOn } from './operations.ts';
import { checkServer } from './server-check.ts';
import { isServed } from './servers.ts';
import { startProblem } from './start-problem.ts';
import { holdFiles, readNamedFiles } from './submission-files.ts';

export function postgresDatabase(url: string): Database {
	/** On a connection of its own, for as long as it takes. */
	async function ask<T>(question: (sql: Sql) => Promise<T>): Promise<T> {
		await using sql = connect(url, { name: 'formsrv', max: 1, isBrief: true });
		try {
			return await question(sql);
		} catch (error) {
			throw startProblem(error, url);
		}
	}

	return {
		name: withoutPassword(url),
		files: [],
		engine: () => ask(readEngine).catch(() => 'PostgreSQL'),
		exists: () =>
			ask(async (sql) => {
				await checkServer(url);
				return (await readSchema(sql)) > 0;
			}),
		identity: () => undefined,
		// Several servers may run on it.
		lock: () => () => {},
		removeLeftovers() {},
		inspect: () => ask(inspect),
		compareCounts: () => ask(compareFolded),
		fileRecords: () => ask((sql) => runOn(sql, readFileRecords())),
		outbox: () => ask((sql) => runOn(sql, readOutbox())),
		serverValue: (name) => ask((sql) => readValue(sql, name)),
		namedFiles: () => ask(readNamedFiles),
		holdFiles: () => holdFiles(url),
		isServed: () => ask(isServed),
		measure: () => undefined,
	};
}

/** Compares what is folded with the submissions, without a change. */
export async function compareFolded(sql: Sql, lastsMs = COMPARING_LASTS_MS): Promise<CountReport> {
	const report: CountReport = { compared: 0, of: 0, wrong: [] };
	const compare = async (tx: Runner) => {
		await rowsOf(tx, `set local statement_timeout = ${lastsMs}`);
		await runOn(tx, compareCounts(report, { end: 'folded_to', lastsMs }));
	};
	await sql.begin(compare, 'isolation level repeatable read read only').catch((error: unknown) => {
		if (!isTimedOut(error)) throw error;
	});
	return report;
}

export async function measure(sql: Sql): Promise<DiskUse> {
	const [[sizeBytes = 0] = []] = await rowsOf<[number]>(sql, 'select pg_database_size(current_database())');
	return { sizeBytes, walBytes: 0, disk: null };
}

async function readEngine(sql: Sql): Promise<string> {
	const [[version, isSecure] = []] = await rowsOf<[string, boolean]>(
		sql,
		"select current_setting('server_version'), ssl from pg_stat_ssl where pid = pg_backend_pid()",
	);
	return `PostgreSQL ${version}, ${isSecure ? 'over TLS' : 'without TLS'}`;
}

async function readValue(sql: Sql, name: string): Promise<string | undefined> {
	const [row] = await rowsOf<[string]>(sql, 'select value from server_values where name = $1', [name]);
	return row?.[0];
}

async function inspect(sql: Sql): Promise<DatabaseReport> {
	const schema = await readSchema(sql);
	const problems = schema > schemaVersion() ? [newerThanProgram(schema)] : [];
	const [isReadOnly] = await rowsOf<[string]>(sql, 'show transaction_read_only');
	if (isReadOnly?.[0] === 'on') problems.push(KINDS.readOnly.problem);
	return { schema, isCurrent: schema === schemaVersion(), clock: NO_CLOCK, problems };
}

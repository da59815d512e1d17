/** Conditions under which PostgreSQL is reachable and stores nothing: a finding for each cause, until a trial shows that it is over. */

import { parsePostgresUrl } from '../../config/postgres-url.ts';
import { repeat } from '../../tasks/repeat.ts';
import type { FindingName, Findings } from '../findings.ts';
import { routeOf } from './connection/route.ts';
import { connect, rowsOf } from './connection.ts';
import { serverError } from './failures.ts';

/** By SQLSTATE. */
const CAUSES: Record<string, FindingName> = {
	'25006': 'readOnly',
	'53100': 'databaseDisk',
	'42501': 'databaseRole',
	'42P01': 'databaseTables',
	'53300': 'databaseConnections',
	'57014': 'databaseTimeouts',
	'25P04': 'databaseTimeouts',
	'55P03': 'databaseTimeouts',
};
/** Findings because of which nothing can be stored, until a trial succeeds. */
const STOPPING: readonly FindingName[] = ['readOnly', 'databaseDisk'];
/** These concern some statements only, and are over when none has failed for so long. */
const PASSING = ['databaseRole', 'databaseTables', 'databaseConnections', 'databaseTimeouts'] as const;
const PASSING_MS = 60_000;
const LOOK_EVERY_MS = 500;
/** One of several servers can only be read for so long in a fail-over. */
const FAIL_OVER_MS = 3000;

/** A trial as large as a submission that needs new pages; its id is not a valid one. */
const TRIAL = `insert into submissions (id, form_id, data)
	select -1 - floor(random() * 1000000000), 0, string_agg(md5(random()::text), '') from generate_series(1, 2000)`;

const knownError = (error: unknown) => serverError(error) ?? serverError((error as Error | undefined)?.cause);
const causeOf = (error: ReturnType<typeof serverError>) => CAUSES[error?.code ?? ''];

export function createCommitBlockers(url: string, findings: Findings) {
	const isAlone = parsePostgresUrl(url).hosts.length === 1;
	const patienceMs = isAlone ? 0 : FAIL_OVER_MS;
	const seenAt = new Map<FindingName, number>();
	let readOnlySince: number | undefined;
	/** True until a trial has shown whether submissions can be stored. */
	let isInDoubt = false;

	/** Notes a failed statement that stores submissions. */
	function noteStoring(error: unknown): void {
		const known = knownError(error);
		const name = causeOf(known);
		if (!known || !name) return;
		const now = performance.now();
		if (name === 'readOnly') {
			readOnlySince ??= now;
			if (now - readOnlySince < patienceMs) return;
		}
		seenAt.set(name, now);
		findings.set(name, `${known.message} (${known.code})`);
	}

	/** Notes another that failed: if it lacked room for a sort, or shared memory, submissions may be stored all the same. */
	function note(error: unknown): void {
		const name = causeOf(knownError(error));
		if (name && STOPPING.includes(name)) isInDoubt = true;
		else noteStoring(error);
	}

	/** On a connection of its own: others keep the settings of the role that they began with. */
	async function tryToWrite(): Promise<void> {
		await using sql = connect(url, { name: 'formsrv trial', max: 1 });
		const undone = new Error('The trial is undone.');
		try {
			await sql.begin(async (tx) => {
				await rowsOf(tx, TRIAL, [], false);
				throw undone;
			});
		} catch (error) {
			if (error !== undone) throw error;
		}
	}

	async function look(): Promise<number> {
		const now = performance.now();
		for (const name of PASSING) if (now - (seenAt.get(name) ?? now) > PASSING_MS) findings.clear(name);
		if (!isInDoubt && readOnlySince === undefined && !STOPPING.some(findings.has)) return LOOK_EVERY_MS;
		isInDoubt = false;
		try {
			await tryToWrite();
			readOnlySince = undefined;
			if (!STOPPING.some(findings.has)) return LOOK_EVERY_MS;
			// Connections from before would go on to fail.
			const primary = isAlone ? 0 : routeOf(url).primary();
			if (primary !== undefined) routeOf(url).leadTo(primary, performance.now());
			for (const name of STOPPING) findings.clear(name);
		} catch (error) {
			noteStoring(error);
		}
		return LOOK_EVERY_MS;
	}

	const looking = repeat(look, LOOK_EVERY_MS);
	return { note, noteStoring, stop: looking.stop };
}

/** Looks at a database file without changing it: is it ours, is it whole, is it of this version? */

import { Database } from 'bun:sqlite';
import { type ClockReport, NO_CLOCK, reportClock } from '../clock-report.ts';
import { readClockSteps } from '../closed-reads.ts';
import type { DatabaseReport } from '../database.ts';
import { createTimeline } from '../timeline.ts';
import { openReadConnection } from './connection.ts';
import { isDamage } from './failures.ts';
import { APPLICATION_ID, programMadeAt, readNames, readPragma, schemaNames, schemaVersion } from './migrate.ts';
import { runOnce } from './operations.ts';

export function sqliteVersion(): string {
	using client = new Database(':memory:');
	return String(client.query('select sqlite_version()').values()[0]?.[0]);
}

/**
 * Inspects a file.
 * @param check `quick` leaves out that indexes agree with their tables, and takes a fraction of the time.
 * @throws AppError if it cannot be opened as an SQLite database at all
 */
export function inspectDatabase(file: string, check: 'quick' | 'full'): DatabaseReport {
	using client = openReadConnection(file);
	try {
		const schema = readPragma(client, 'user_version');
		if (readPragma(client, 'application_id') !== APPLICATION_ID) {
			return { schema, isCurrent: false, clock: NO_CLOCK, problems: [`${file} is not a database of formsrv.`] };
		}
		const problems: string[] = [];
		if (schema > schemaVersion())
			problems.push(`${file} was written by a newer formsrv; use that version or a newer one.`);
		for (const [found] of client.query(`pragma ${check === 'quick' ? 'quick_check' : 'integrity_check'}`).values()) {
			if (found !== 'ok') problems.push(damaged(file, String(found)));
		}
		const names = new Set(readNames(client));
		const missing = schemaNames(schema).filter((name) => !names.has(name));
		if (schema < 1 || missing.length > 0) {
			const lack = missing.length > 0 ? `lacks ${missing.join(', ')}` : `says that it is of version ${schema}`;
			problems.push(`${file} ${lack}: it was changed by another program or is not whole. Restore a backup.`);
		}
		const isCurrent = schema === schemaVersion();
		const isReadable = isCurrent && problems.length === 0;
		return { schema, isCurrent, clock: isReadable ? inspectClock(client) : NO_CLOCK, problems };
	} catch (error) {
		// A damaged schema lets nothing be asked, not even the check.
		if (!isDamage(error)) throw error;
		return { schema: 0, isCurrent: false, clock: NO_CLOCK, problems: [damaged(file, (error as Error).message)] };
	}
}

/** The sentence about a damaged file. */
export function damaged(file: string, found: string): string {
	return `${file} is damaged: ${found}. Restore a backup.`;
}

function inspectClock(client: Database): ClockReport {
	const timeline = createTimeline(runOnce(client, readClockSteps()));
	const newestId = Number(client.query('select max(id) from submissions').values()[0]?.[0] ?? 0);
	return reportClock({ timeline, newestId, programMs: programMadeAt(), now: Date.now() });
}

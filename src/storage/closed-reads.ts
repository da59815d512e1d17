/** Reads of a database of this version that is not open for a server, by the same SQL in both engines. */

import type { FileRecords } from './database.ts';
import { type OutboxReport, PAUSES_SQL, toReport, WAITING_SQL } from './pauses.ts';
import { type Operation, rows } from './submissions/operation.ts';
import { type ClockStep, createTimeline } from './timeline.ts';

/** Ascending. */
export function* readClockSteps(): Operation<ClockStep[]> {
	const columns = 'from_id, offset_ms, before_ms, after_ms, end_ms';
	const steps = yield* rows<number[]>(`select ${columns} from clock_steps order by from_id`);
	return steps.map(
		([fromId, offsetMs, beforeMs, afterMs, endMs]) => ({ fromId, offsetMs, beforeMs, afterMs, endMs }) as ClockStep,
	);
}

export function* readOutbox(): Operation<OutboxReport> {
	const { millisOf } = createTimeline(yield* readClockSteps());
	const stored = yield* rows<[string, string]>(PAUSES_SQL);
	return toReport(yield* rows<[string, number, number]>(WAITING_SQL), { stored, millisOf });
}

export function* readFileRecords(): Operation<FileRecords> {
	const stored = yield* rows<[string, number]>('select key, bytes from files where key is not null');
	const passing = yield* rows<[string]>('select key from removed_files');
	const largest = 'select slug, file_bytes from forms where file_bytes > 0 order by file_bytes desc';
	const forms = yield* rows<[string, number]>(largest);
	return {
		stored: new Map(stored),
		passing: new Set(passing.map(([key]) => key)),
		forms: forms.map(([slug, bytes]) => ({ slug, bytes })),
	};
}

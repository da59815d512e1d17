/** Operations of this engine's reader thread. */

import type { ScanRequest, Scans } from '../contract.ts';
import type { DamagedRows } from '../damaged-bytes.ts';
import { openReadConnection } from './connection.ts';
import { createSubmissionReader } from './submission-reader.ts';

export type SqliteReads = ReturnType<typeof createCalls>;

export function createCalls(file: string, scans: Scans, report: DamagedRows['report']) {
	const client = openReadConnection(file);
	const reader = createSubmissionReader(client, report);
	return {
		count: reader.count,
		ids: reader.ids,
		scan: (name: string, request: ScanRequest) => scans[name]?.(reader.rows(request.selection, request.order), request),
		close: () => client.close(),
	};
}

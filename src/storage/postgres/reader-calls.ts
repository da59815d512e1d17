/** Operations of this engine's reader thread. */

import type { ScanRequest, Scans } from '../contract.ts';
import type { DamagedRows } from '../damaged-bytes.ts';
import { connect, SILENT_MS } from './connection.ts';
import { routeOf } from './route.ts';
import { createSubmissionReader } from './submission-reader.ts';

export type PostgresReads = ReturnType<typeof createCalls>;

export function createCalls(url: string, scans: Scans, report: DamagedRows['report']) {
	const sql = connect(url, { name: 'formsrv reader', max: 1, silentMs: SILENT_MS });
	const reader = createSubmissionReader(sql, report);
	let primary: number | undefined;

	/** There is no watch in this thread: the other one tells which server its connections lead to. */
	function follow(index: number | undefined): void {
		if (index === undefined || index === primary) return;
		routeOf(url).leadTo(index, primary === undefined ? Number.NEGATIVE_INFINITY : performance.now());
		primary = index;
	}

	return {
		async scan(name: string, request: ScanRequest, index: number | undefined): Promise<unknown> {
			follow(index);
			const run = scans[name];
			return run && reader.scan(run, request);
		},
		close: () => sql.end(),
	};
}

/** Scans, read and formatted by the thread beside the server, on a connection of its own. */

import type { ScanRequest } from '../contract.ts';
import type { Findings } from '../findings.ts';
import { createReader } from '../reader.ts';
import type { Availability } from './availability.ts';
import { routeOf } from './connection/route.ts';
import type { PostgresReads } from './submission-reader.ts';

/** While submissions are stored, the thread rests after a scan for so many times what it took: the priority of the thread is not that of the database. */
const REST = 1;

interface LongReadsOptions {
	/** The path of the thread's program. */
	program: string | undefined;
	findings: Pick<Findings, 'set'>;
	availability: Availability;
	/** Returns whether submissions are on their way at the moment. */
	isStoring(): boolean;
}

export type LongReads = ReturnType<typeof createLongReads>;

export function createLongReads(url: string, { program, findings, availability, isStoring }: LongReadsOptions) {
	const reader = createReader<PostgresReads>(url, { program, findings });
	let restsUntil = 0;

	return {
		open: reader.open,
		async scan(name: string, request: ScanRequest): Promise<unknown> {
			if (isStoring()) await Bun.sleep(Math.max(0, restsUntil - performance.now()));
			const began = performance.now();
			try {
				return await availability.during(() => reader.call('scan', name, request, routeOf(url).primary()));
			} finally {
				const ended = performance.now();
				restsUntil = ended + (ended - began) * REST;
			}
		},
		close: reader.close,
	};
}

/** Scans: functions that go through many submissions at a stretch, in a thread beside the server. */

import { serveReads } from './reader-thread.ts';
import type { Paging, Selection, StoredSubmission } from './submission.ts';

export interface ScanRequest {
	selection: Selection;
	order: Paging['order'];
}

/** Takes as many of the submissions as it wants; it may be run again from its beginning. What it returns passes between threads; its `bytes` are not copied. */
export type Scan<Request extends ScanRequest, Result> = (
	submissions: Iterable<StoredSubmission>,
	request: Request,
) => Result;

/** By the names under which they are asked for. */
// biome-ignore lint/suspicious/noExplicitAny: each has a request and a result of its own
export type Scans = Readonly<Record<string, Scan<any, unknown>>>;

/** For the program that `StorageOptions.scans` names: makes it the program of the thread. Does nothing outside of one. */
export function serveScans(scans: Scans): void {
	serveReads(scans);
}

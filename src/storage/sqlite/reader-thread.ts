/** The thread beside the server that does the long reads: searches and exports, on a connection of its own. */

import { constants, setPriority } from 'node:os';
import { isMainThread, parentPort } from 'node:worker_threads';
import type { ScanRequest, Scans } from '../scan.ts';
import type { Selection } from '../submission.ts';
import { openReadConnection } from './connection.ts';
import { countNames } from './count-names.ts';
import { createSubmissionReader } from './submission-reader.ts';

const COLLECT_AFTER_BYTES = 8 * 1024 * 1024;

/** What can be asked of the thread. */
export type ReaderCalls = ReturnType<typeof createCalls>;

export interface ReaderRequest {
	id: number;
	name: keyof ReaderCalls;
	args: unknown[];
}

export type ReaderResult = { id: number; result: unknown } | { id: number; failure: Failure };

/** What of an error passes between threads. */
export type Failure = Pick<Error, 'message' | 'name' | 'stack'> & {
	/** SQLite's, such as `SQLITE_CORRUPT`. */
	code?: unknown;
};

function createCalls(file: string, scans: Scans) {
	const client = openReadConnection(file);
	const reader = createSubmissionReader(client);
	return {
		count: reader.count,
		ids: reader.ids,
		scan: (name: string, request: ScanRequest) => scans[name]?.(reader.rows(request.selection, request.order), request),
		countNames: (selection: Selection) => countNames(reader, selection),
		/** Comes before the end of the thread. */
		close: () => client.close(),
	};
}

/** Submissions go first. Only on Linux is it the priority of the calling thread and not of the whole process. */
function stepBack(): void {
	if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}

function serve(port: NonNullable<typeof parentPort>, file: string, scans: Scans): void {
	stepBack();
	const calls = createCalls(file, scans) as unknown as Record<string, (...args: unknown[]) => unknown>;
	const collect = createCollection();
	port.on('message', ({ id, name, args }: ReaderRequest) => {
		const reply = run(id, () => calls[name]?.(...args));
		const bytes = bytesOf(reply);
		port.postMessage(reply, bytes ? [bytes.buffer] : []);
		if (bytes) collect(bytes.length);
	});
}

/** The bytes that a scan made are handed over, not copied. */
function bytesOf(reply: ReaderResult): Uint8Array<ArrayBuffer> | undefined {
	return 'result' in reply ? (reply.result as { bytes?: Uint8Array<ArrayBuffer> } | undefined)?.bytes : undefined;
}

/** What was made of content lies in memory until it is collected, which the runtime may put off for hundreds of MiB. */
function createCollection() {
	let garbage = 0;
	return (bytes: number) => {
		garbage += bytes;
		if (garbage < COLLECT_AFTER_BYTES) return;
		garbage = 0;
		Bun.gc(true);
	};
}

function run(id: number, call: () => unknown): ReaderResult {
	try {
		return { id, result: call() };
	} catch (error) {
		const { message, name, stack, code } = reasonOf(error) as Failure;
		return { id, failure: { message, name, stack, code } };
	}
}

/** Closing a statement that failed throws once more, and that covers the reason. */
function reasonOf(error: unknown): Error {
	if (error instanceof SuppressedError) return reasonOf(error.suppressed);
	return error instanceof Error ? error : new Error(String(error));
}

/** Does nothing on the main thread. */
export function serveReads(scans: Scans): void {
	if (!isMainThread && parentPort) serve(parentPort, process.argv.at(-1) ?? '', scans);
}

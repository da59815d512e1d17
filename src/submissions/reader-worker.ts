/** The thread beside the server that does the long reads: searches and exports, on a connection of its own. */

import { constants, setPriority } from 'node:os';
import { isMainThread, parentPort } from 'node:worker_threads';
import { openReadConnection } from '../storage/sqlite/connection.ts';
import { createSubmissionReader } from '../storage/sqlite/submission-reader.ts';
import type { Selection } from '../storage/submission.ts';
import { type Chunk, type ChunkRequest, readChunk } from './export/chunk.ts';
import { countNames } from './names/count-names.ts';

const COLLECT_AFTER_BYTES = 8 * 1024 * 1024;

/** What can be asked of the thread. */
export type ReaderCalls = ReturnType<typeof createCalls>;

export interface ReaderRequest {
	id: number;
	name: keyof ReaderCalls;
	args: unknown[];
}

export type ReaderAnswer = { id: number; result: unknown } | { id: number; failure: Failure };

/** What of an error passes between threads. */
export type Failure = Pick<Error, 'message' | 'name' | 'stack'> & {
	/** SQLite's, such as `SQLITE_CORRUPT`. */
	code?: unknown;
};

function createCalls(file: string) {
	const client = openReadConnection(file);
	const reader = createSubmissionReader(client);
	return {
		count: reader.count,
		ids: reader.ids,
		readChunk: (request: ChunkRequest) => readChunk(reader, request),
		countNames: (selection: Selection) => countNames(reader, selection),
		/** Comes before the end of the thread. */
		close: () => client.close(),
	};
}

/** Submissions go first. Only on Linux is it the priority of the calling thread and not of the whole process. */
function stepBack(): void {
	if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}

function serve(port: NonNullable<typeof parentPort>, file: string): void {
	stepBack();
	const calls = createCalls(file) as unknown as Record<string, (...args: unknown[]) => unknown>;
	const collect = createCollection();
	port.on('message', ({ id, name, args }: ReaderRequest) => {
		const answered = answer(id, () => calls[name]?.(...args));
		const bytes = bytesOf(answered);
		port.postMessage(answered, bytes ? [bytes.buffer] : []);
		if (bytes) collect(bytes.length);
	});
}

/** The bytes of a piece of an export are handed over, not copied. */
function bytesOf(answer: ReaderAnswer): Chunk['bytes'] | undefined {
	return 'result' in answer ? (answer.result as Partial<Chunk>).bytes : undefined;
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

function answer(id: number, call: () => unknown): ReaderAnswer {
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

if (!isMainThread && parentPort) serve(parentPort, process.argv.at(-1) ?? '');

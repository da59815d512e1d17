/** The thread beside the server that does the long reads: searches and exports, on a connection of its own. */

import { isMainThread, parentPort } from 'node:worker_threads';
import { openReadConnection } from '../storage/sqlite.ts';
import { createSubmissionReader } from '../storage/submission-reader.ts';
import { type ChunkRequest, readChunk } from './export/chunk.ts';

/** What can be asked of the thread. */
export type ReaderCalls = ReturnType<typeof createCalls>;

export interface ReaderRequest {
	id: number;
	name: keyof ReaderCalls;
	args: unknown[];
}

export type ReaderAnswer = { id: number; result: unknown } | { id: number; error: string };

function createCalls(file: string) {
	const client = openReadConnection(file);
	const reader = createSubmissionReader(client);
	return {
		count: reader.count,
		ids: reader.ids,
		readChunk: (request: ChunkRequest) => readChunk(reader, request),
		/** Comes before the end of the thread. */
		close: () => client.close(),
	};
}

function serve(port: NonNullable<typeof parentPort>, file: string): void {
	const calls = createCalls(file) as unknown as Record<string, (...args: unknown[]) => unknown>;
	port.on('message', ({ id, name, args }: ReaderRequest) => {
		port.postMessage(answer(id, () => calls[name]?.(...args)));
	});
}

function answer(id: number, call: () => unknown): ReaderAnswer {
	try {
		return { id, result: call() };
	} catch (error) {
		return { id, error: error instanceof Error ? error.message : String(error) };
	}
}

if (!isMainThread && parentPort) serve(parentPort, process.argv.at(-1) ?? '');

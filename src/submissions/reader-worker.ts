/** The thread beside the server that does the long reads: searches and exports, on a connection of its own. */

import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { openReadConnection } from '../storage/sqlite.ts';
import { createSubmissionReader } from '../storage/submission-reader.ts';

/** What can be asked of the thread. */
export type ReaderCalls = ReturnType<typeof createSubmissionReader>;

export interface ReaderRequest {
	id: number;
	/** `close` ends the thread. */
	name: keyof ReaderCalls | 'close';
	args: unknown[];
}

export type ReaderAnswer = { id: number; result: unknown } | { id: number; error: string };

function serve(port: NonNullable<typeof parentPort>, file: string): void {
	const client = openReadConnection(file);
	const calls = createSubmissionReader(client) as Record<string, (...args: unknown[]) => unknown>;
	port.on('message', ({ id, name, args }: ReaderRequest) => {
		if (name === 'close') client.close();
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

if (!isMainThread && parentPort) serve(parentPort, (workerData as { file: string }).file);

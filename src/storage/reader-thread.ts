/** The thread beside the server that does the long reads, such as searches and exports, on a connection of its own. */

import { constants, setPriority } from 'node:os';
import { isMainThread, parentPort } from 'node:worker_threads';
import { isPostgres } from '../config/postgres-url.ts';
import type { Scans } from './contract.ts';
import type { DamagedRows } from './damaged-bytes.ts';
import type { ReaderCalls, ReaderMessage, ReaderRequest, ReaderResult } from './reader.ts';

const COLLECT_AFTER_BYTES = 8 * 1024 * 1024;

/** Submissions go first. Only on Linux is it the priority of the calling thread and not of the whole process. */
function stepBack(): void {
	if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}

/** Opens the calls of an engine, as `open.ts` does for the other thread; that file would load the whole engine here. */
async function openCalls(place: string, scans: Scans, report: DamagedRows['report']): Promise<ReaderCalls> {
	const { createCalls } = isPostgres(place)
		? await import('./postgres/submission-reader.ts')
		: await import('./sqlite/submission-reader.ts');
	return createCalls(place, scans, report);
}

function serve(port: NonNullable<typeof parentPort>, place: string, scans: Scans): void {
	stepBack();
	const calls = openCalls(place, scans, (damaged) => port.postMessage({ damaged } satisfies ReaderMessage));
	const collect = createCollection();
	port.on('message', async ({ id, name, args }: ReaderRequest) => {
		const reply = await run(id, async () => (await calls)[name]?.(...args));
		const bytes = bytesOf(reply);
		port.postMessage(reply, bytes ? [bytes.buffer] : []);
		if (bytes) collect(bytes.length);
	});
}

/** The bytes that a scan made are handed over, not copied. */
function bytesOf(reply: ReaderResult): Uint8Array<ArrayBuffer> | undefined {
	return 'result' in reply ? (reply.result as { bytes?: Uint8Array<ArrayBuffer> } | undefined)?.bytes : undefined;
}

/** Memory of processed content stays in use until it is collected, which the runtime may put off for hundreds of MiB. */
function createCollection() {
	let garbage = 0;
	return (bytes: number) => {
		garbage += bytes;
		if (garbage < COLLECT_AFTER_BYTES) return;
		garbage = 0;
		Bun.gc(true);
	};
}

async function run(id: number, call: () => Promise<unknown>): Promise<ReaderResult> {
	try {
		return { id, result: await call() };
	} catch (error) {
		const { message, name, stack, code, cause } = reasonOf(error) as Error & { code?: unknown };
		return { id, failure: { message, name, stack, code, cause: cause === undefined ? undefined : String(cause) } };
	}
}

/** Closing a statement that failed throws once more, and that covers the reason. */
function reasonOf(error: unknown): Error {
	if (error instanceof SuppressedError) return reasonOf(error.suppressed);
	return error instanceof Error ? error : new Error(String(error));
}

/** For the program that `StorageOptions.scans` names: makes it the program of the thread. Does nothing on the main thread. */
export function serveScans(scans: Scans): void {
	if (!isMainThread && parentPort) serve(parentPort, process.argv.at(-1) ?? '', scans);
}

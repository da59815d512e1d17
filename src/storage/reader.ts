/** Asks the reader thread, which is started when it is first needed and ended when it is not needed any more. */

import { AppError } from '../errors.ts';
import { countDescriptors } from './descriptors.ts';
import { Unavailable } from './errors.ts';
import { type Findings, noteDamage } from './findings.ts';

const TIMEOUT_MS = 20_000;
const IDLE_MS = 60_000;
/** Beyond this many waiting calls new ones are asked to come back. */
const MAX_WAITING = 100;
const RETRY_AFTER_SECONDS = 2;
/** A thread takes some ten; when it gets none, the runtime ends the process. */
const LEAST_DESCRIPTORS = 32;

/** The calls of an engine's reader thread, as its `createCalls` makes them. */
// biome-ignore lint/suspicious/noExplicitAny: each has parameters and a result of its own
export type ReaderCalls = Record<string, (...args: any[]) => unknown> & {
	/** Comes before the end of the thread. */
	close(): unknown;
};

export interface ReaderRequest {
	id: number;
	name: string;
	args: unknown[];
}

export type ReaderResult = { id: number; result: unknown } | { id: number; failure: Failure };

/** A result, or a submission that cannot be read, which was noticed on the way. */
export type ReaderMessage = ReaderResult | { damaged: number };

/** The members of an error that pass between threads. */
export type Failure = Pick<Error, 'message' | 'name' | 'stack'> & {
	/** Text of the error's cause. */
	cause?: string;
	/** Such as `UNAVAILABLE`, or SQLite's `SQLITE_CORRUPT`. */
	code?: unknown;
};

interface Waiting {
	thread: Thread;
	resolve(result: unknown): void;
	reject(error: unknown): void;
	timer: ReturnType<typeof setTimeout>;
}

/** The web's worker, not Node's: with the first import of that, a start would load Node's streams. */
type Thread = Worker & Pick<Bun.Worker, 'ref' | 'unref'>;

export type Reader<Calls extends ReaderCalls> = ReturnType<typeof createReader<Calls>>;

interface ReaderOptions {
	/** The path of the thread's program, which calls `serveScans`. */
	program: string | undefined;
	findings: Pick<Findings, 'set'>;
	/** Throws if the database must not be opened now. */
	beforeOpening?(): void;
}

export function createReader<Calls extends ReaderCalls>(
	place: string,
	{ program, findings, beforeOpening }: ReaderOptions,
) {
	const waiting = new Map<number, Waiting>();
	/** Threads that are ending; they get no new calls. */
	const ending = new Set<Promise<void>>();
	let worker: Thread | undefined;
	let idleTimer: ReturnType<typeof setTimeout> | undefined;
	let lastId = 0;

	function start(): Thread {
		beforeOpening?.();
		const { used, limit } = countDescriptors();
		if (limit - used < LEAST_DESCRIPTORS) throw new Unavailable(undefined, 'reach its database');
		if (program === undefined) throw new Error('Long reads need StorageOptions.scans.');
		const started = new Worker(program, { argv: [place], ref: true }) as Thread;
		started.addEventListener('message', ({ data }: MessageEvent<ReaderMessage>) => settle(data));
		started.addEventListener('error', ({ message }) => abandon(started, () => new Error(message)));
		worker = started;
		return started;
	}

	function settle(reply: ReaderMessage): void {
		if ('damaged' in reply) {
			noteDamage(findings, reply.damaged);
			return;
		}
		const call = take(reply.id);
		if (!call) return;
		if ('failure' in reply) call.reject(errorOf(reply.failure));
		else call.resolve(reply.result);
	}

	function take(id: number): Waiting | undefined {
		const call = waiting.get(id);
		if (!call) return undefined;
		waiting.delete(id);
		clearTimeout(call.timer);
		if (waiting.size === 0) rest();
		return call;
	}

	/** Idle: the process may end, and so does the thread unless it is asked again soon. */
	function rest(): void {
		if (!worker) return;
		worker.unref();
		idleTimer = setTimeout(() => void close(), IDLE_MS);
		idleTimer.unref();
	}

	/** Ends a thread that failed, or whose call timed out. */
	function abandon(failed: Thread, reason: () => Error): void {
		if (worker === failed) worker = undefined;
		failed.terminate();
		for (const [id, { thread }] of [...waiting]) if (thread === failed) take(id)?.reject(reason());
	}

	function ask(name: ReaderRequest['name'], args: unknown[]): Promise<unknown> {
		if (waiting.size >= MAX_WAITING) return Promise.reject(tooMuch(undefined));
		return post(worker ?? start(), { name, args });
	}

	function post(thread: Thread, { name, args }: Omit<ReaderRequest, 'id'>): Promise<unknown> {
		clearTimeout(idleTimer);
		thread.ref();
		const id = ++lastId;
		return new Promise((resolve, reject) => {
			const timer = setTimeout(
				() => abandon(thread, () => tooMuch(new Error(`${name} took over ${TIMEOUT_MS} ms`))),
				TIMEOUT_MS,
			);
			waiting.set(id, { thread, resolve, reject, timer });
			thread.postMessage({ id, name, args } satisfies ReaderRequest);
		});
	}

	/** Ends the thread after its earlier calls. At once if there is none. */
	async function close(): Promise<void> {
		if (worker) {
			const ended = end(worker).finally(() => ending.delete(ended));
			ending.add(ended);
			worker = undefined;
		}
		await Promise.all(ending);
	}

	async function end(thread: Thread): Promise<void> {
		await post(thread, { name: 'close', args: [] }).catch(() => {});
		const closed = new Promise((resolve) => thread.addEventListener('close', resolve, { once: true }));
		thread.terminate();
		await closed;
	}

	return {
		/**
		 * Starts the thread ahead of its first call.
		 * @throws AppError UNAVAILABLE if the database must not be opened now
		 */
		open(): void {
			if (worker) return;
			start();
			rest();
		},
		/** @throws AppError UNAVAILABLE if it takes too long or too much is asked at once. */
		call<Name extends keyof Calls & string>(
			name: Name,
			...args: Parameters<Calls[Name]>
		): Promise<Awaited<ReturnType<Calls[Name]>>> {
			return ask(name, args) as Promise<Awaited<ReturnType<Calls[Name]>>>;
		},
		close,
		/** Returns whether there is a thread that must be closed. */
		isRunning: () => worker !== undefined || ending.size > 0,
	};
}

function errorOf(failure: Failure): Error {
	const error = Object.assign(new Error(failure.message), failure);
	return failure.code === 'UNAVAILABLE' ? new Unavailable(error, 'reach its database') : error;
}

function tooMuch(cause: unknown): AppError {
	return new AppError('UNAVAILABLE', 'This takes too long at the moment. Narrow your search, or try again shortly.', {
		retryAfterSeconds: RETRY_AFTER_SECONDS,
		cause,
	});
}

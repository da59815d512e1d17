/** Streams of events to browsers and programs: each hears of its own mode and form, for as long as it may. */

import { eq } from 'drizzle-orm';
import { AppError } from '../../errors.ts';
import { decodeId } from '../../ids.ts';
import { hasPermission, type Principal } from '../../keys/permissions.ts';
import type { Storage } from '../../storage/storage.ts';
import { forms, type Mode } from '../../storage/tables.ts';
import { createEventBatch, serverSentEvent } from './batch.ts';

const COLLECT_MS = 100;
/** Shorter than the time after which a listener closes a connection that nothing goes through. */
const HEARTBEAT_MS = 15_000;
const RECONNECT_MS = 3000;
const MAX_STREAMS = 200;
/** Pieces that a client may lag behind before it is cut off; it comes back and looks anew. */
const MAX_PIECES_WAITING = 100;
const MAX_MODES_KNOWN = 10_000;
const RETRY_AFTER_SECONDS = 60;

export interface StreamOptions {
	principal: Principal;
	/** Asked from time to time; rejects once the credential is not valid any more. */
	recogniseAgain: () => Promise<unknown>;
	heartbeatMs?: number;
}

export type EventStreams = ReturnType<typeof createEventStreams>;

export function createEventStreams({ db, events }: Pick<Storage, 'db' | 'events'>) {
	const closers = new Set<() => void>();
	const modes = new Map<number, Mode>();

	/** A form never changes its mode. */
	async function modeOf(formId: number): Promise<Mode | undefined> {
		const known = modes.get(formId);
		if (known) return known;
		const [row] = await db.select({ mode: forms.mode }).from(forms).where(eq(forms.id, formId));
		if (!row) return undefined;
		if (modes.size >= MAX_MODES_KNOWN) modes.clear();
		modes.set(formId, row.mode);
		return row.mode;
	}

	async function mayHear(principal: Principal, formId: number): Promise<boolean> {
		if (principal.formId !== null) return decodeId(principal.formId) === formId;
		return (await modeOf(formId)) === principal.mode;
	}

	/** Answers how to forget about a stream whose client is gone. */
	function start(controller: ReadableStreamDefaultController<Uint8Array>, options: StreamOptions): () => void {
		const { principal, recogniseAgain, heartbeatMs = HEARTBEAT_MS } = options;
		const batch = createEventBatch();
		const encoder = new TextEncoder();
		let collecting: ReturnType<typeof setTimeout> | undefined;
		let isOpen = true;

		function send(text: string): void {
			if (!isOpen) return;
			if ((controller.desiredSize ?? 0) < -MAX_PIECES_WAITING) close();
			else controller.enqueue(encoder.encode(text));
		}

		async function tell(): Promise<void> {
			collecting = undefined;
			const texts = await Promise.all(
				[...batch.take()].map(async ([formId, text]) => ((await mayHear(principal, formId)) ? text : '')),
			);
			const text = texts.join('');
			if (text !== '') send(text);
		}

		function forget(): void {
			isOpen = false;
			closers.delete(close);
			unsubscribe();
			clearTimeout(collecting);
			clearInterval(heartbeat);
		}

		function close(): void {
			if (!isOpen) return;
			forget();
			controller.close();
		}

		const hearsDeliveries = hasPermission(principal.permissions, 'admin');
		const unsubscribe = events.subscribe((event) => {
			if (event.type === 'delivery' && !hearsDeliveries) return;
			batch.add(event);
			collecting ??= setTimeout(() => tell().catch(close), COLLECT_MS);
		});
		const heartbeat = setInterval(() => {
			recogniseAgain().then(() => send(': still here\n\n'), close);
		}, heartbeatMs);
		closers.add(close);
		send(`retry: ${RECONNECT_MS}\n${serverSentEvent('hello', {})}`);
		return forget;
	}

	return {
		/** @throws AppError UNAVAILABLE if too many are open */
		open(options: StreamOptions): ReadableStream<Uint8Array> {
			if (closers.size >= MAX_STREAMS) {
				throw new AppError('UNAVAILABLE', 'Too many are listening for events at the moment.', {
					retryAfterSeconds: RETRY_AFTER_SECONDS,
				});
			}
			let forget = () => {};
			return new ReadableStream({
				start(controller) {
					forget = start(controller, options);
				},
				cancel() {
					forget();
				},
			});
		},
		/** Ends all of them, so that the server can stop. */
		closeAll(): void {
			for (const close of [...closers]) close();
		},
		/** How many are open. */
		count: (): number => closers.size,
	};
}

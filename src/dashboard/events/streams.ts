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
/** How often it is looked whether each key and session is still valid, whichever process ended it. */
const WATCH_MS = 500;
const MAX_STREAMS = 200;
/** Programs leave this many to people. */
const RESERVED_FOR_SESSIONS = 50;
/** Of a key, or of a session. */
const MAX_OF_CALLER = 10;
/** Of a key together with the sessions that were opened with it, of which it may open any number. */
const MAX_OF_KEY = 40;
/** Pieces that a client may lag behind before it is cut off; it comes back and looks anew. */
const MAX_PIECES_WAITING = 100;
const MAX_MODES_KNOWN = 10_000;
const RETRY_AFTER_SECONDS = 10;

export interface StreamOptions {
	principal: Principal;
	/** Asked all the time; rejects once the credential is not valid any more. */
	recogniseAgain: () => Promise<unknown>;
}

interface Stream extends StreamOptions {
	close(): void;
}

export type EventStreams = ReturnType<typeof createEventStreams>;

export function createEventStreams(
	{ db, events }: Pick<Storage, 'db' | 'events'>,
	{ heartbeatMs = HEARTBEAT_MS } = {},
) {
	const streams = new Set<Stream>();
	let watch: ReturnType<typeof setTimeout> | undefined;
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

	/** Ends the streams of those who may not hear any more; one look is for all streams of a key or session. */
	async function endInvalid(): Promise<void> {
		for (const those of Map.groupBy(streams, ({ principal }) => callerOf(principal)).values()) {
			await those[0]?.recogniseAgain().catch(() => {
				for (const { close } of those) close();
			});
		}
	}

	function watchSoon(): void {
		watch ??= setTimeout(async () => {
			await endInvalid();
			watch = undefined;
			if (streams.size > 0) watchSoon();
		}, WATCH_MS);
	}

	/** @throws AppError RATE_LIMITED, UNAVAILABLE */
	function checkRoom(asker: Principal): void {
		const { keyId, sessionId } = asker;
		const open = [...streams].map(({ principal }) => principal);
		const ofCaller = open.filter((other) => callerOf(other) === callerOf(asker)).length;
		const ofKey = keyId === null ? 0 : open.filter((other) => other.keyId === keyId).length;
		if (ofCaller >= MAX_OF_CALLER || ofKey >= MAX_OF_KEY) {
			const which = sessionId === null ? 'A key' : 'A session';
			const limit = `${which} has at most ${MAX_OF_CALLER} event streams at once, a key with its sessions ${MAX_OF_KEY}`;
			throw new AppError('RATE_LIMITED', `${limit}: end one first.`, { retryAfterSeconds: RETRY_AFTER_SECONDS });
		}
		const room = sessionId === null ? MAX_STREAMS - RESERVED_FOR_SESSIONS : MAX_STREAMS;
		if (open.length < room) return;
		throw new AppError('UNAVAILABLE', 'Too many are listening for events at the moment.', {
			retryAfterSeconds: RETRY_AFTER_SECONDS,
		});
	}

	/** Answers how to forget about a stream whose client is gone. */
	function start(controller: ReadableStreamDefaultController<Uint8Array>, options: StreamOptions): () => void {
		const { principal } = options;
		const stream: Stream = { ...options, close };
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
			streams.delete(stream);
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
		const heartbeat = setInterval(() => send(': still here\n\n'), heartbeatMs);
		streams.add(stream);
		watchSoon();
		send(`retry: ${RECONNECT_MS}\n${serverSentEvent('hello', {})}`);
		return forget;
	}

	return {
		/** @throws AppError RATE_LIMITED if the caller has too many open, UNAVAILABLE if all have */
		open(options: StreamOptions): ReadableStream<Uint8Array> {
			checkRoom(options.principal);
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
			clearTimeout(watch);
			for (const { close } of [...streams]) close();
		},
		/** How many are open. */
		count: (): number => streams.size,
	};
}

function callerOf({ keyId, sessionId }: Principal): string | null {
	return sessionId ?? keyId;
}

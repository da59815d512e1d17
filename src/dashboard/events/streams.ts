/** Event streams to browsers and programs: each gets the events of its mode and form while its credential is valid. */

import { eq } from 'drizzle-orm';
import { AppError } from '../../errors.ts';
import { encodeId } from '../../ids.ts';
import { callerOf, hasPermission, isFormLevel, type Principal } from '../../keys/permissions.ts';
import type { Storage } from '../../storage/contract.ts';
import { forms, type Mode } from '../../storage/tables.ts';
import { createEventBatch, serverSentEvent } from './batch.ts';

const COLLECT_MS = 100;
/** The dashboard takes a longer silence for a server that is away. */
const BEAT_MS = 1000;
const RECONNECT_MS = 3000;
/** How often the server checks that keys and sessions are still valid: another process may have ended them. */
const CHECK_MS = 500;
/** A long import by a command would have clients load everything again at each check. */
const HELLO_MS = 2000;
const HELLO = serverSentEvent('hello', {});
const MAX_STREAMS = 200;
/** All that are not of an owner's session together; it can always open the dashboard. */
const MAX_OF_KEYS = 150;
/** All form-level keys and their sessions together. */
const MAX_OF_FORM_KEYS = 60;
/** Per key, and per session. */
const MAX_PER_CALLER = 10;
/** Per key with all the sessions opened by it: their number is not limited. */
const MAX_PER_KEY = 40;
const MAX_PER_FORM_KEY = 20;
/** Chunks that a client may fall behind before its stream is closed; it then reconnects and loads everything again. */
const MAX_QUEUED_CHUNKS = 100;
const MAX_CACHED_MODES = 10_000;
const RETRY_AFTER_SECONDS = 10;

interface StreamOptions {
	principal: Principal;
	/** Called at every check; rejects once the request would not be authorized any more. */
	reauthorize: () => Promise<unknown>;
}

interface Stream extends StreamOptions {
	/** Anything may have changed: sent when another process wrote, or a key changed. */
	greet(): void;
	close(): void;
}

export type EventStreams = ReturnType<typeof createEventStreams>;

export function createEventStreams(
	storage: Pick<Storage, 'db' | 'events' | 'foreignWrites'>,
	{ beatMs = BEAT_MS } = {},
) {
	const { db, events } = storage;
	const streams = new Set<Stream>();
	/** Writes of other processes that the streams know of, and when they were told. */
	let told = { writes: 0, at: 0 };
	/** Keys belong to no form. */
	let areKeysChanged = false;
	events.subscribe(['keys'], () => {
		areKeysChanged = streams.size > 0;
	});
	let nextCheck: ReturnType<typeof setTimeout> | undefined;
	const modes = new Map<number, Mode>();

	/** A form never changes its mode. */
	async function modeOf(formId: number): Promise<Mode | undefined> {
		const known = modes.get(formId);
		if (known) return known;
		const [row] = await db.select({ mode: forms.mode }).from(forms).where(eq(forms.id, formId));
		if (!row) return undefined;
		if (modes.size >= MAX_CACHED_MODES) modes.clear();
		modes.set(formId, row.mode);
		return row.mode;
	}

	async function maySee(principal: Principal, formId: number): Promise<boolean> {
		if (principal.formIds !== null) return principal.formIds.includes(encodeId(formId));
		return (await modeOf(formId)) === principal.mode;
	}

	/** Closes the streams of keys and sessions that have ended; checks each key or session once. */
	async function endInvalid(): Promise<void> {
		for (const sameCaller of Map.groupBy(streams, ({ principal }) => credentialOf(principal)).values()) {
			await sameCaller[0]?.reauthorize().catch(() => {
				for (const { close } of sameCaller) close();
			});
		}
	}

	/** A command that writes beside the server may send no event. */
	function tellOfOthers(): void {
		const writes = storage.foreignWrites();
		const isForAll = writes !== told.writes;
		if (!(isForAll || areKeysChanged) || performance.now() < told.at + HELLO_MS) return;
		told = { writes, at: performance.now() };
		areKeysChanged = false;
		for (const { greet, principal } of streams) if (isForAll || isAdmin(principal)) greet();
	}

	function scheduleCheck(): void {
		nextCheck ??= setTimeout(async () => {
			await endInvalid()
				.then(tellOfOthers)
				.catch(() => {});
			nextCheck = undefined;
			if (streams.size > 0) scheduleCheck();
		}, CHECK_MS);
	}

	/** @throws AppError RATE_LIMITED, UNAVAILABLE */
	function checkLimits(caller: Principal): void {
		const { keyId, sessionId } = caller;
		const open = [...streams].map(({ principal }) => principal);
		const ofCaller = open.filter((other) => credentialOf(other) === credentialOf(caller)).length;
		const ofKey = keyId === null ? 0 : open.filter((other) => other.keyId === keyId).length;
		const maxPerKey = isFormLevel(caller) ? MAX_PER_FORM_KEY : MAX_PER_KEY;
		if (ofCaller >= MAX_PER_CALLER || ofKey >= maxPerKey) {
			const which = sessionId === null ? 'A key' : 'A session';
			const limit = `${which} has at most ${MAX_PER_CALLER} event streams at once, a key with its sessions ${maxPerKey}`;
			throw new AppError('RATE_LIMITED', `${limit}: end one first.`, { retryAfterSeconds: RETRY_AFTER_SECONDS });
		}
		if (isFormLevel(caller)) makeRoom(caller, { limit: MAX_OF_FORM_KEYS, counts: isFormLevel });
		if (!isOwners(caller)) makeRoom(caller, { limit: MAX_OF_KEYS, counts: (other) => !isOwners(other) });
		makeRoom(caller, { limit: MAX_STREAMS, counts: () => true });
	}

	/**
	 * If there are as many as there may be, the longest open stream of whom has the most ends for one who has fewer.
	 * @throws AppError UNAVAILABLE if no other key has more
	 */
	function makeRoom(caller: Principal, { limit, counts }: { limit: number; counts: (of: Principal) => boolean }): void {
		const counted = [...streams].filter(({ principal }) => counts(principal));
		if (counted.length < limit) return;
		const byKey = Map.groupBy(counted, ({ principal }) => callerOf(principal));
		const own = byKey.get(callerOf(caller))?.length ?? 0;
		const [most = []] = [...byKey.values()].sort((a, b) => b.length - a.length);
		if (own + 1 >= most.length) {
			throw new AppError('UNAVAILABLE', 'Too many event streams are open. Try again shortly.', {
				retryAfterSeconds: RETRY_AFTER_SECONDS,
			});
		}
		most[0]?.close();
	}

	/** @returns a function that removes the stream once its client has disconnected */
	function start(controller: ReadableStreamDefaultController<Uint8Array>, options: StreamOptions): () => void {
		const { principal } = options;
		const stream: Stream = { ...options, greet: () => send(HELLO), close };
		const batch = createEventBatch();
		const encoder = new TextEncoder();
		let collecting: ReturnType<typeof setTimeout> | undefined;
		let isOpen = true;

		function send(text: string): void {
			if (!isOpen) return;
			if ((controller.desiredSize ?? 0) < -MAX_QUEUED_CHUNKS) close();
			else controller.enqueue(encoder.encode(text));
		}

		async function sendBatch(): Promise<void> {
			collecting = undefined;
			const texts = await Promise.all(
				[...batch.take()].map(async ([formId, text]) => ((await maySee(principal, formId)) ? text : '')),
			);
			const text = texts.join('');
			if (text !== '') send(text);
		}

		function remove(): void {
			isOpen = false;
			streams.delete(stream);
			unsubscribe();
			clearTimeout(collecting);
			clearInterval(beat);
		}

		function close(): void {
			if (!isOpen) return;
			remove();
			controller.close();
		}

		const types = ['submission', 'change', ...(isAdmin(principal) ? (['delivery'] as const) : [])] as const;
		const unsubscribe = events.subscribe(types, (event) => {
			batch.add(event);
			collecting ??= setTimeout(() => sendBatch().catch(close), COLLECT_MS);
		});
		const beat = setInterval(() => send(serverSentEvent('beat', {})), beatMs);
		if (streams.size === 0) told.writes = storage.foreignWrites();
		streams.add(stream);
		scheduleCheck();
		send(`retry: ${RECONNECT_MS}\n${HELLO}`);
		return remove;
	}

	return {
		/** @throws AppError RATE_LIMITED above the caller's limit, UNAVAILABLE above the limit of the server */
		open(options: StreamOptions): ReadableStream<Uint8Array> {
			checkLimits(options.principal);
			let remove = () => {};
			return new ReadableStream({
				start(controller) {
					remove = start(controller, options);
				},
				cancel() {
					remove();
				},
			});
		},
		closeAll(): void {
			clearTimeout(nextCheck);
			for (const { close } of [...streams]) close();
		},
		count: (): number => streams.size,
	};
}

function credentialOf({ keyId, sessionId }: Principal): string | null {
	return sessionId ?? keyId;
}

/** Deliveries and keys are for admins alone. */
function isAdmin({ permissions }: Principal): boolean {
	return hasPermission(permissions, 'admin');
}

/** A person at the dashboard, for all forms. */
function isOwners(principal: Principal): boolean {
	return principal.sessionId !== null && !isFormLevel(principal);
}

/** Reads request bodies, within a limit for each and a byte budget for all. */

import { AppError, spokenError } from '../../errors.ts';
import { networkOf } from '../../http/client-address.ts';
import { asBodyError, collectChunks, eachChunk } from '../../http/collect-chunks.ts';
import type { ByteBudget } from '../../tasks/byte-budget.ts';

/** Parses a body while it arrives. */
export interface BodyReader {
	/** The chunk may be used again when this has returned, or resolved. */
	push(chunk: Uint8Array): void | Promise<void>;
	/** Bytes of the body that are in memory. */
	heldBytes(): number;
}

interface LargeBodyOptions {
	budget: ByteBudget;
	/** The share of one network. A larger body counts as no more. */
	shareBytes: number;
	/** The first bytes of each body that are not counted, … */
	freeBytes: number;
	/** … while there are fewer bodies than this: for thousands the uncounted bytes would add up. */
	freeBodies: number;
	/** A body that waits no longer than this before it is read is not counted for it. */
	shortWaitMs?: number;
}

/** A request with a body, and its client. */
interface PostedBody {
	request: Request;
	clientAddress: string;
}

/** The memory of one body, until it is stored or rejected. */
export interface BodyReservation {
	/**
	 * @throws AppError UNSUPPORTED_MEDIA_TYPE for a compressed body, PAYLOAD_TOO_LARGE naming the limit, UNAVAILABLE when the budget
	 * or the network's share is used up, INVALID_BODY when the client disconnects
	 */
	read(request: Request, maxBytes: number): Promise<Uint8Array>;
	/** Hands the body to a reader as it arrives: only what that holds counts. Throws as `read` and the reader do. */
	feed(request: Request, maxBytes: number, reader: BodyReader): Promise<void>;
	/** Call this exactly once. */
	release(): void;
}

/**
 * Memory per byte of body until it is stored: its chunks, the joined bytes, its text, and the JSON text for the database.
 * Measured on the binary with 10 to 500 concurrent bodies of 0.3 to 1 MiB, plain and with escapes.
 */
const COPIES = 4;
const RETRY_AFTER_SECONDS = 5;
/** The most that the runtime takes in of a body that is not read, measured: it stops at 1 MiB and one read of the socket more. */
const UNREAD_BYTES = 1.5 * 1024 * 1024;
/** Enough for a database that is well, and so short that little of the bodies arrives. */
const SHORT_WAIT_MS = 250;

/**
 * Reserves memory for bodies that are or may be large. The first `freeBytes` are not counted, so that a few slow senders
 * of large bodies cannot block small ones. The share of a network keeps one sender from blocking others' large bodies.
 * Received bytes count, not the declared size; not those of files, which
 * are handed on.
 */
export function createBodyReservations(options: LargeBodyOptions) {
	const { budget, shareBytes, freeBytes, freeBodies, shortWaitMs = SHORT_WAIT_MS } = options;
	/** Reserved bytes by network; networks without bodies are absent. */
	const taken = new Map<string, number>();
	let bodies = 0;

	function take(network: string, bytes: number): void {
		const sum = (taken.get(network) ?? 0) + bytes;
		if (sum > shareBytes || !budget.tryTake(bytes)) throw busy();
		taken.set(network, sum);
	}

	function give(network: string, { bytes, garbage = bytes }: { bytes: number; garbage?: number }): void {
		budget.give(bytes, garbage);
		const rest = (taken.get(network) ?? 0) - bytes;
		if (rest > 0) taken.set(network, rest);
		else taken.delete(network);
	}

	/**
	 * Waits for what has to be known before a body is read. Meanwhile the runtime takes in what arrives of it, so that a wait that
	 * is not short counts.
	 * @throws AppError UNAVAILABLE when the budget or the network's share is used up
	 */
	async function whileUnread<T>({ request, clientAddress }: PostedBody, wait: Promise<T>): Promise<T> {
		const network = networkOf(clientAddress);
		const free = bodies < freeBodies ? freeBytes : 0;
		const declared = Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY);
		const bytes = Math.min(Math.max(0, declared - free), UNREAD_BYTES, shareBytes);
		const rejected = Promise.withResolvers<never>();
		let counted = 0;
		function count(): void {
			try {
				take(network, bytes);
				counted = bytes;
			} catch (error) {
				rejected.reject(error);
			}
		}
		const timer = bytes > 0 ? setTimeout(count, shortWaitMs) : undefined;
		bodies++;
		try {
			return await Promise.race([wait, rejected.promise]);
		} finally {
			clearTimeout(timer);
			if (counted > 0) give(network, { bytes: counted, garbage: 0 });
			bodies--;
		}
	}

	function reserve(clientAddress: string): BodyReservation {
		const network = networkOf(clientAddress);
		const free = bodies < freeBodies ? freeBytes : 0;
		let counted = 0;
		bodies++;

		function count(total: number): void {
			const bytes = Math.min(COPIES * Math.max(0, total - free), shareBytes);
			if (bytes <= counted) return;
			take(network, bytes - counted);
			counted = bytes;
		}

		return {
			async read({ headers, body }, maxBytes) {
				checkEncoding(headers);
				if (body === null) return new Uint8Array();
				return collectChunks(body, (total) => {
					if (total > maxBytes) throw tooLarge(maxBytes);
					count(total);
				});
			},
			async feed({ headers, body }, maxBytes, reader) {
				checkEncoding(headers);
				if (body === null) return;
				await eachChunk(body, async (chunk, total) => {
					if (total > maxBytes) throw tooLarge(maxBytes);
					await reader.push(chunk);
					freeMemory(chunk);
					count(reader.heldBytes());
				});
			},
			release() {
				if (counted > 0) give(network, { bytes: counted });
				bodies--;
			},
		};
	}

	return { reserve, whileUnread };
}

/** Returns the memory of a chunk at once: garbage of large bodies would be collected only after tens of MiB. */
function freeMemory({ buffer, length }: Uint8Array): void {
	if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

/**
 * Reads a body that is declared as small, without a reservation. Throws as {@link BodyReservation.read} does, or rejects. No async
 * function, because every submission would wait for it.
 */
export function readSmallBody(request: Request, maxBytes: number): Promise<Uint8Array> {
	checkEncoding(request.headers);
	// Do not access `request.body` here: creating the stream is slower than reading a small body.
	return request.bytes().then(
		(body) => {
			if (body.length > maxBytes) throw tooLarge(maxBytes);
			return body;
		},
		(cause) => {
			throw asBodyError(cause);
		},
	);
}

/**
 * The declared size of a body; `undefined` without one.
 * @throws AppError PAYLOAD_TOO_LARGE, INVALID_BODY
 */
export function declaredSize(headers: Headers, maxBytes: number): number | undefined {
	const declared = headers.get('content-length');
	if (declared === null) return undefined;
	const bytes = Number(declared);
	if (bytes > maxBytes) throw tooLarge(maxBytes);
	// The runtime joins several, of which it has seen that they are the same.
	if (Number.isNaN(bytes)) throw new AppError('INVALID_BODY', 'There must be one Content-Length header, not several.');
	return bytes;
}

function checkEncoding(headers: Headers): void {
	const encoding = headers.get('content-encoding');
	if (encoding === null || /^(?:identity)?$/i.test(encoding.trim())) return;
	throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not accepted; send it without Content-Encoding.');
}

function tooLarge(maxBytes: number): AppError {
	return spokenError('PAYLOAD_TOO_LARGE', ['tooMuch', { size: { bytes: maxBytes } }]);
}

function busy(): AppError {
	return spokenError('UNAVAILABLE', ['busy'], {
		retryAfterSeconds: RETRY_AFTER_SECONDS,
		isOverload: true,
	});
}

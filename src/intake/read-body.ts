/** Reads the bytes of a posted body, within a limit for each and a budget for all of them together. */

import type { ByteBudget } from '../byte-budget.ts';
import { AppError } from '../errors.ts';
import { networkOf } from '../http/client-address.ts';
import { collectChunks } from '../http/collect-chunks.ts';

export interface BodyLimits {
	maxBytes: number;
	/** Called with all that has arrived, each time that more has; what it throws ends the reading. */
	look?: (soFar: Uint8Array) => void;
}

export interface LargeBodyOptions {
	budget: ByteBudget;
	/** What the bodies of one network take of it at most. A larger body counts as no more. */
	shareBytes: number;
	/** Of each body, what does not count … */
	freeBytes: number;
	/** … while fewer than that are held: of ten thousand, each with a little, it would be much. */
	freeBodies: number;
}

/** The place of one body in memory, until it is released: by then it is stored, or refused. */
export interface HeldBody {
	/**
	 * @throws AppError UNSUPPORTED_MEDIA_TYPE for a compressed body, PAYLOAD_TOO_LARGE naming the limit, UNAVAILABLE when the budget
	 * or the network's share is spent, and what `look` throws; when the client goes away, what {@link asBodyError} understands
	 */
	read(request: Request, limits: BodyLimits): Promise<Uint8Array>;
	/** Once. */
	release(): void;
}

/**
 * What a body takes of memory, in its own sizes, from its first bytes until it is stored: the pieces that it came in, what they are
 * put together in, its text, and the JSON text that is made of it and handed to the database. Measured on the binary, 10 to 500 bodies of 0.3 to 1 MiB at a time, plain and of escapes.
 */
const COPIES = 4;
const RETRY_AFTER_SECONDS = 5;

/**
 * Holds bodies that are large, or may be. Of each the first `freeBytes` do not count: a few senders who are slow with large
 * bodies must not keep the usual small ones out. Nor must one sender keep out the large bodies of others: those of one network
 * have a share. What counts is what has arrived, not what was announced.
 */
export function createBodyHold({ budget, shareBytes, freeBytes, freeBodies }: LargeBodyOptions) {
	/** By network, and only while bodies of it are held. */
	const taken = new Map<string, number>();
	let held = 0;

	function take(network: string, bytes: number): void {
		const sum = (taken.get(network) ?? 0) + bytes;
		if (sum > shareBytes || !budget.tryTake(bytes)) throw busy();
		taken.set(network, sum);
	}

	function give(network: string, bytes: number): void {
		budget.give(bytes);
		const rest = (taken.get(network) ?? 0) - bytes;
		if (rest > 0) taken.set(network, rest);
		else taken.delete(network);
	}

	return (clientAddress: string): HeldBody => {
		const network = networkOf(clientAddress);
		const free = held < freeBodies ? freeBytes : 0;
		let counted = 0;
		held++;

		function count(total: number): void {
			const bytes = Math.min(COPIES * Math.max(0, total - free), shareBytes);
			if (bytes > counted) take(network, bytes - counted);
			counted = bytes;
		}

		return {
			async read({ headers, body }, { maxBytes, look }) {
				checkEncoding(headers);
				if (body === null) return new Uint8Array();
				const admit = (total: number) => {
					if (total > maxBytes) throw tooLarge(maxBytes);
					count(total);
				};
				return collectChunks(body, admit, look);
			},
			release() {
				if (counted > 0) give(network, counted);
				held--;
			},
		};
	};
}

/**
 * Reads a body that says that it is small, for which nothing is counted. Whether that is true, and what it means if it fails, is
 * for {@link checkSize} and {@link asBodyError}: an async function here would cost every submission.
 */
export function readSmallBody(request: Request): Promise<Uint8Array> {
	checkEncoding(request.headers);
	// The body is not even looked at here: to make a stream of it costs more than to read a small one.
	return request.bytes();
}

/** @throws AppError PAYLOAD_TOO_LARGE */
export function checkSize({ length }: Uint8Array, maxBytes: number): void {
	if (length > maxBytes) throw tooLarge(maxBytes);
}

/**
 * How long a body says it is, before anything of it is read; `undefined` if it does not say.
 * @throws AppError PAYLOAD_TOO_LARGE
 */
export function declaredSize(headers: Headers, maxBytes: number): number | undefined {
	const declared = headers.get('content-length');
	if (declared === null) return undefined;
	const bytes = Number(declared);
	if (bytes <= maxBytes) return bytes;
	throw tooLarge(maxBytes);
}

function checkEncoding(headers: Headers): void {
	const encoding = headers.get('content-encoding');
	if (encoding === null || /^(?:identity)?$/i.test(encoding.trim())) return;
	throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not accepted; send it without Content-Encoding.');
}

function tooLarge(maxBytes: number): AppError {
	return new AppError('PAYLOAD_TOO_LARGE', `The body may have at most ${maxBytes} bytes.`);
}

function busy(): AppError {
	return new AppError('UNAVAILABLE', 'Too many submissions are arriving at once; try again in a few seconds.', {
		retryAfterSeconds: RETRY_AFTER_SECONDS,
	});
}

/** Why a body could not be read: whatever else ends one than our refusals is its client. */
export function asBodyError(cause: unknown): AppError {
	if (cause instanceof AppError) return cause;
	return new AppError('INVALID_BODY', 'The connection ended before the whole body had arrived.', { cause });
}

/** Reads the bytes of a posted body, within a limit for each and a budget for all of them together. */

import type { ByteBudget } from '../byte-budget.ts';
import { AppError } from '../errors.ts';
import { networkOf } from '../http/client-address.ts';
import { collectChunks } from '../http/collect-chunks.ts';

export interface BodyLimits {
	maxBytes: number;
	/** As {@link declaredSize} found it. */
	declaredBytes: number | undefined;
	clientAddress: string;
}

export interface BodyBudget {
	/** What all content in memory shares, bodies included. */
	budget: ByteBudget;
	/** What all bodies together take of it. */
	budgetBytes: number;
	/** The largest body there may be: that much is the bodies' in any case. */
	largestBytes: number;
	/** Of each body, what does not count. */
	freeBytes: number;
}

/** How many networks it takes at least to spend the budget, unless bodies may be larger than that. */
const SHARES = 4;
const RETRY_AFTER_SECONDS = 5;

/**
 * Makes a reader for whole bodies. Together the bodies being read take at most `budgetBytes`, of each the first
 * `freeBytes` left out: a few senders who are slow with large bodies must not keep the usual small ones out. Nor must
 * one sender keep out the large bodies of others: those of one network take at most a share.
 * The reader throws {AppError} UNSUPPORTED_MEDIA_TYPE for a compressed body, PAYLOAD_TOO_LARGE naming the limit,
 * UNAVAILABLE when the budget or the network's share is spent, and INVALID_BODY
 * when the client goes away before the body is complete.
 */
export function createBodyReader({ budget, budgetBytes, largestBytes, freeBytes }: BodyBudget) {
	const shareBytes = Math.max(budgetBytes / SHARES, largestBytes);
	let available = Math.max(budgetBytes, largestBytes);
	/** By network, and only while bodies of it are being read. */
	const taken = new Map<string, number>();

	function take(network: string, bytes: number): void {
		const sum = (taken.get(network) ?? 0) + bytes;
		if (bytes > available || sum > shareBytes || !budget.tryTake(bytes)) throw busy();
		available -= bytes;
		taken.set(network, sum);
	}

	function giveBack(network: string, bytes: number): void {
		available += bytes;
		budget.give(bytes);
		const rest = (taken.get(network) ?? 0) - bytes;
		if (rest > 0) taken.set(network, rest);
		else taken.delete(network);
	}

	/** Reads chunk by chunk; what has arrived is taken from the budget, and given back when all is read. */
	async function withinBudget(
		body: ReadableStream<Uint8Array>,
		{ maxBytes, clientAddress }: BodyLimits,
	): Promise<Uint8Array> {
		const network = networkOf(clientAddress);
		let counted = 0;
		try {
			return await collectChunks(body, (total) => {
				if (total > maxBytes) throw tooLarge(maxBytes);
				const due = Math.max(0, total - freeBytes) - counted;
				if (due === 0) return;
				take(network, due);
				counted += due;
			});
		} finally {
			giveBack(network, counted);
		}
	}

	return async (request: Request, limits: BodyLimits): Promise<Uint8Array> => {
		const { maxBytes, declaredBytes } = limits;
		checkEncoding(request.headers.get('content-encoding'));
		try {
			// The body is not even looked at here: to make a stream of it costs more than to read a small one.
			if (declaredBytes !== undefined && declaredBytes <= freeBytes) return within(await request.bytes(), maxBytes);
			return request.body === null ? new Uint8Array() : await withinBudget(request.body, limits);
		} catch (cause) {
			throw cause instanceof AppError ? cause : incomplete(cause);
		}
	};
}

function within(bytes: Uint8Array, maxBytes: number): Uint8Array {
	if (bytes.length > maxBytes) throw tooLarge(maxBytes);
	return bytes;
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

function checkEncoding(encoding: string | null): void {
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

function incomplete(cause: unknown): AppError {
	return new AppError('INVALID_BODY', 'The connection ended before the whole body had arrived.', { cause });
}

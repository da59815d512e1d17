/** Reads the bytes of a posted body, within a limit for each and a budget for all of them together. */

import { AppError } from '../errors.ts';
import { collectChunks } from '../http/collect-chunks.ts';

/** In bytes. */
export interface BodyLimits {
	maxBytes: number;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * Makes a reader for whole bodies. Together the bodies being read take at most `budgetBytes`.
 * The reader throws {AppError} UNSUPPORTED_MEDIA_TYPE for a compressed body, PAYLOAD_TOO_LARGE naming the limit
 * (before anything is read if the length was declared), UNAVAILABLE when the budget is spent, and INVALID_BODY
 * when the client goes away before the body is complete.
 */
export function createBodyReader(o: {
	budgetBytes: number;
}): (request: Request, limits: BodyLimits) => Promise<Uint8Array> {
	let available = o.budgetBytes;

	/** Calls `read` with a function that takes bytes from the budget; gives all of them back afterwards. */
	async function withinBudget(read: (take: (bytes: number) => void) => Promise<Uint8Array>): Promise<Uint8Array> {
		let taken = 0;
		try {
			return await read((bytes) => {
				if (bytes > available) throw busy();
				available -= bytes;
				taken += bytes;
			});
		} catch (cause) {
			throw cause instanceof AppError ? cause : incomplete(cause);
		} finally {
			available += taken;
		}
	}

	return async (request, { maxBytes }) => {
		checkEncoding(request.headers.get('content-encoding'));
		const declared = request.headers.get('content-length');
		if (declared === null) {
			if (request.body === null) return new Uint8Array();
			const { body } = request;
			return withinBudget((take) =>
				collectChunks(body, (bytes, total) => {
					if (total > maxBytes) throw tooLarge(maxBytes);
					take(bytes);
				}),
			);
		}
		checkDeclaredSize(request, { maxBytes });
		return withinBudget(async (take) => {
			take(Number(declared));
			const body = await request.bytes();
			if (body.length > maxBytes) throw tooLarge(maxBytes);
			return body;
		});
	};
}

/** Refuses a body by the length it declares, before anything is read. @throws AppError PAYLOAD_TOO_LARGE */
export function checkDeclaredSize(request: Request, { maxBytes }: BodyLimits): void {
	const declared = request.headers.get('content-length');
	if (declared !== null && !(Number(declared) <= maxBytes)) throw tooLarge(maxBytes);
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

/** Reads a streamed body, piece by piece or joined in memory, within the bounds of its caller. */

import { AppError } from '../errors.ts';

/**
 * Chunks between two yields to the event loop. The runtime joins the bytes that arrive meanwhile, so that a body sent
 * byte by byte comes in a few chunks and takes a tenth of the time. Of larger chunks it has no more than a few to give at a time.
 */
const CHUNKS_PER_YIELD = 16;
const LARGE_CHUNK_BYTES = 32 * 1024;
/** More chunks than this, of a smaller average size, are an attack. */
const MAX_SMALL_CHUNKS = 16_384;
const SMALL_CHUNK_BYTES = 64;

/**
 * @param take Called with each chunk and the number of bytes so far; the next chunk is read when it has returned, or
 * resolved. An exception ends the reading and cancels the stream.
 * @throws AppError INVALID_BODY for very many very small chunks, and when the client disconnects
 */
export async function eachChunk(
	body: ReadableStream<Uint8Array>,
	take: (chunk: Uint8Array, total: number) => void | Promise<void>,
): Promise<void> {
	let total = 0;
	let count = 0;
	try {
		for await (const chunk of body) {
			total += chunk.length;
			await take(chunk, total);
			count++;
			if (count > MAX_SMALL_CHUNKS && total < count * SMALL_CHUNK_BYTES) throw tooFragmented();
			if (count % CHUNKS_PER_YIELD === 0 && total < count * LARGE_CHUNK_BYTES)
				await new Promise((resolve) => setImmediate(resolve));
		}
	} catch (cause) {
		throw asBodyError(cause);
	}
}

/** The error for a body that could not be read: anything but an AppError means that the client disconnected. */
export function asBodyError(cause: unknown): AppError {
	if (cause instanceof AppError) return cause;
	return new AppError('INVALID_BODY', 'The connection ended before the whole body had arrived.', { cause });
}

/**
 * A body of one chunk is returned without a copy. Further chunks are copied at once, because each tiny one would take a
 * hundred times its bytes.
 * @param admit Called with the number of bytes so far before a chunk is kept; an exception ends the reading.
 * @throws as {@link eachChunk}
 */
export async function collectChunks(
	body: ReadableStream<Uint8Array>,
	admit: (total: number) => void,
): Promise<Uint8Array> {
	let bytes: Uint8Array = new Uint8Array();
	let used = 0;
	await eachChunk(body, (chunk, total) => {
		admit(total);
		bytes = used === 0 ? chunk : withRoom(bytes, { used, needed: total });
		if (used > 0) bytes.set(chunk, used);
		used = total;
	});
	return used === bytes.length ? bytes : bytes.subarray(0, used);
}

/** Doubles the buffer, so that the total copied stays below the total read. */
function withRoom(bytes: Uint8Array, { used, needed }: { used: number; needed: number }): Uint8Array {
	if (needed <= bytes.length) return bytes;
	const larger = new Uint8Array(Math.max(needed, 2 * bytes.length));
	larger.set(bytes.subarray(0, used));
	return larger;
}

function tooFragmented(): AppError {
	return new AppError(
		'INVALID_BODY',
		`The body comes in too many small pieces; send it in chunks of at least ${SMALL_CHUNK_BYTES} bytes.`,
	);
}

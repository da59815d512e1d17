/** Collects a streamed body in memory, within the bounds of its caller. */

import { AppError } from '../errors.ts';

/**
 * Chunks between two yields to the event loop. The runtime joins the bytes that arrive meanwhile, so that a body sent
 * byte by byte comes in a few chunks and takes a tenth of the time.
 */
const CHUNKS_PER_YIELD = 16;
/** More chunks than this, of a smaller average size, are an attack. */
const MAX_SMALL_CHUNKS = 16_384;
const SMALL_CHUNK_BYTES = 64;

/**
 * A body of one chunk is returned without a copy. Further chunks are copied at once, because each tiny one would take a
 * hundred times its bytes.
 * @param admit Called with the number of bytes so far before a chunk is kept; an exception ends the reading and cancels the
 * stream.
 * @param inspect Called with the bytes so far after each chunk; an exception ends the reading too.
 * @throws AppError INVALID_BODY for very many very small chunks; and the stream's error when the client disconnects
 */
export async function collectChunks(
	body: ReadableStream<Uint8Array>,
	admit: (total: number) => void,
	inspect?: (soFar: Uint8Array) => void,
): Promise<Uint8Array> {
	let bytes: Uint8Array = new Uint8Array();
	let total = 0;
	let count = 0;
	for await (const chunk of body) {
		const start = total;
		total += chunk.length;
		admit(total);
		bytes = start === 0 ? chunk : withRoom(bytes, { used: start, needed: total });
		if (start > 0) bytes.set(chunk, start);
		inspect?.(bytes.subarray(0, total));
		count++;
		if (count > MAX_SMALL_CHUNKS && total < count * SMALL_CHUNK_BYTES) throw tooFragmented();
		if (count % CHUNKS_PER_YIELD === 0) await yieldToEventLoop();
	}
	return total === bytes.length ? bytes : bytes.subarray(0, total);
}

/** Doubles the buffer, so that the total copied stays below the total read. */
function withRoom(bytes: Uint8Array, { used, needed }: { used: number; needed: number }): Uint8Array {
	if (needed <= bytes.length) return bytes;
	const larger = new Uint8Array(Math.max(needed, 2 * bytes.length));
	larger.set(bytes.subarray(0, used));
	return larger;
}

function yieldToEventLoop(): Promise<void> {
	return new Promise((resolve) => {
		setImmediate(resolve);
	});
}

function tooFragmented(): AppError {
	return new AppError(
		'INVALID_BODY',
		`The body comes in too many small pieces; send it in chunks of at least ${SMALL_CHUNK_BYTES} bytes.`,
	);
}

/** Gathers a streamed body in memory, as far as its reader lets it grow. */

import { AppError } from '../errors.ts';

/**
 * How many chunks are taken before others have their turn. What arrives during that turn the runtime puts together, so
 * that a body sent byte by byte comes in a few pieces, for a tenth of the time.
 */
const CHUNKS_PER_TURN = 16;
/** Whoever sends more chunks than that, and on average smaller ones, sends nothing but work. */
const MAX_SMALL_CHUNKS = 16_384;
const SMALL_CHUNK_BYTES = 64;

/**
 * A body of one chunk is answered as it came. More are copied together at once: kept each, tiny ones would take a
 * hundred times their bytes.
 * @param admit Called with the number of bytes so far before a chunk is kept; what it throws ends the reading and cancels the
 * stream.
 * @param look Called with the bytes so far after a chunk was kept; as {@link admit}.
 * @throws AppError INVALID_BODY for very many very small chunks; and whatever the stream does when the client goes away
 */
export async function collectChunks(
	body: ReadableStream<Uint8Array>,
	admit: (total: number) => void,
	look?: (soFar: Uint8Array) => void,
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
		look?.(bytes.subarray(0, total));
		count++;
		if (count > MAX_SMALL_CHUNKS && total < count * SMALL_CHUNK_BYTES) throw crumbled();
		if (count % CHUNKS_PER_TURN === 0) await nextTurn();
	}
	return total === bytes.length ? bytes : bytes.subarray(0, total);
}

/** Doubles, so that what is copied over all growths stays below what is read. */
function withRoom(bytes: Uint8Array, { used, needed }: { used: number; needed: number }): Uint8Array {
	if (needed <= bytes.length) return bytes;
	const larger = new Uint8Array(Math.max(needed, 2 * bytes.length));
	larger.set(bytes.subarray(0, used));
	return larger;
}

function nextTurn(): Promise<void> {
	return new Promise((resolve) => {
		setImmediate(resolve);
	});
}

function crumbled(): AppError {
	return new AppError(
		'INVALID_BODY',
		`The body comes in too many small pieces; send it in chunks of at least ${SMALL_CHUNK_BYTES} bytes.`,
	);
}

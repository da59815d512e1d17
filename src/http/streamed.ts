/** Streamed responses, generated as fast as the client reads them. */

import type { Log } from '../log/log.ts';
import { checked } from '../tasks/checked-chunks.ts';
import { pulled } from '../tasks/pulled-stream.ts';
import { requestInfo } from './request-info.ts';

export interface Streamed {
	chunks: AsyncGenerator<Uint8Array>;
	/** Called once at the end: after the last chunk, an error, or a disconnect. */
	end: () => void;
}

/** Bytes per write: the runtime copies what the client has not read yet, outside of the byte budget. */
const WRITE_BYTES = 64 * 1024;

export type StreamResponse = ReturnType<typeof createStreamResponse>;

/** @param log For errors in the middle of a response, which cannot be reported to the client. */
export function createStreamResponse(log: Log) {
	/**
	 * The body is pulled: no chunk is generated ahead of a slow client, or after it disconnects. An error in the middle
	 * closes the connection, so that the client does not take a part for the whole. So does the end of the key or session that asked for it.
	 */
	return (request: Request, { chunks, end }: Streamed, init: ResponseInit): Response => {
		const { id: requestId, reauthorize } = requestInfo(request);
		const pieces = inWrites(chunks);

		async function* writes() {
			try {
				yield* reauthorize ? checked(pieces, reauthorize) : pieces;
			} catch (cause) {
				log.error('A response broke off.', { requestId, cause });
				throw cause;
			}
		}

		return new Response(pulled(writes(), end), init);
	};
}

/** Generates the next chunk only after the client has read this one. */
async function* inWrites(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
	for await (const chunk of chunks) {
		for (let at = 0; at < chunk.length; at += WRITE_BYTES) yield chunk.subarray(at, at + WRITE_BYTES);
	}
}

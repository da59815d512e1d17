/** Responses that are made piece by piece, as fast as the client takes them. */

import type { Log } from '../log.ts';
import { requestInfo } from './request-info.ts';
import type { EndTurn } from './turns.ts';

export interface Streamed {
	chunks: AsyncGenerator<Uint8Array>;
	/** Called when no more of them are wanted, or there will be none, for whatever reason. */
	end: EndTurn;
}

/** What is handed over at once: the runtime copies what a client has not taken yet, and that counts nowhere. */
const PIECE_BYTES = 64 * 1024;

export type StreamResponse = ReturnType<typeof createStreamResponse>;

/** @param log Told of what fails in the middle, which no response can tell of any more. */
export function createStreamResponse(log: Log) {
	/**
	 * The body is pulled: nothing is made ahead of a slow client, and nothing more once it is gone. What fails in the middle cuts
	 * the connection, so that no client takes a part for the whole.
	 */
	return (request: Request, { chunks, end }: Streamed, headers: Record<string, string>): Response => {
		const { id: requestId } = requestInfo(request);
		const pieces = inPieces(chunks);
		let isWanted = true;
		const body = new ReadableStream<Uint8Array>(
			{
				async pull(controller) {
					try {
						const { value, done } = await pieces.next();
						// The client may have gone while it was made.
						if (!isWanted) return;
						if (!done) return controller.enqueue(value);
						end();
						controller.close();
					} catch (cause) {
						end();
						log.error('A response broke off.', { requestId, cause });
						throw cause;
					}
				},
				async cancel() {
					isWanted = false;
					await pieces.return(undefined);
					end();
				},
			},
			{ highWaterMark: 0 },
		);
		return new Response(body, { headers });
	};
}

/** The next chunk is made once this one has been taken to its end. */
async function* inPieces(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
	for await (const chunk of chunks) {
		for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
	}
}

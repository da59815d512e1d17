/** The body of a webhook request, written in chunks so that a large one is never copied whole. */

import type { ClientRequest } from 'node:http';

/** Bytes per write: the runtime copies what the receiver has not read yet. */
const CHUNK_BYTES = 64 * 1024;

/** The error code for a receiver that stops reading. */
export const STALLED = 'STALLED';

export interface PostBody {
	readonly bytes: number;
	/** Produced as the receiver reads them. */
	chunks(): Iterable<Uint8Array>;
	/** Called once the whole body is written. */
	sent?(): void;
}

export function textBody(text: string): PostBody {
	const bytes = Buffer.from(text);
	return { bytes: bytes.length, chunks: () => [bytes] };
}

/** Writes the body as fast as the receiver reads it. */
export async function sendBody(outgoing: ClientRequest, body: PostBody, stallMs: number): Promise<void> {
	if (body.bytes <= CHUNK_BYTES) outgoing.end(Buffer.concat([...body.chunks()]));
	else {
		for (const chunk of body.chunks()) {
			for (let at = 0; at < chunk.length; at += CHUNK_BYTES) {
				if (outgoing.destroyed) return;
				if (!outgoing.write(chunk.subarray(at, at + CHUNK_BYTES))) await drained(outgoing, stallMs);
			}
		}
		outgoing.end();
	}
	body.sent?.();
}

/** Resolves when more can be written or the request has ended; rejects when the receiver stalls. */
function drained(outgoing: ClientRequest, stallMs: number): Promise<void> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => {
			outgoing.off('drain', finish).off('close', finish);
			reject(Object.assign(new Error(`Read nothing of the body for ${stallMs / 1000} seconds.`), { code: STALLED }));
		}, stallMs);
		function finish(): void {
			clearTimeout(timer);
			outgoing.off('drain', finish).off('close', finish);
			resolve();
		}
		outgoing.once('drain', finish).once('close', finish);
	});
}

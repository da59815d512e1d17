/** What is posted, and how it is handed to the receiver: in pieces, so that a large one is never copied whole. */

import type { ClientRequest } from 'node:http';

/** How much is handed over at once: the runtime copies what a receiver has not taken yet. */
const PIECE_BYTES = 64 * 1024;

/** The code of the error of a receiver that takes nothing. */
export const STALLED = 'STALLED';

/** What is posted: as many bytes, in pieces that are asked for as the receiver takes them. */
export interface PostBody {
	readonly bytes: number;
	pieces(): Iterable<Uint8Array>;
	/** Called once all of it has been taken. */
	sent?(): void;
}

/** A body that is there as a text. */
export function textBody(text: string): PostBody {
	const bytes = Buffer.from(text);
	return { bytes: bytes.length, pieces: () => [bytes] };
}

/** Hands the body over piece by piece, as fast as it is taken. */
export async function sendBody(outgoing: ClientRequest, body: PostBody, stallMs: number): Promise<void> {
	if (body.bytes <= PIECE_BYTES) outgoing.end(Buffer.concat([...body.pieces()]));
	else {
		for (const piece of body.pieces()) {
			for (let at = 0; at < piece.length; at += PIECE_BYTES) {
				if (outgoing.destroyed) return;
				if (!outgoing.write(piece.subarray(at, at + PIECE_BYTES))) await drained(outgoing, stallMs);
			}
		}
		outgoing.end();
	}
	body.sent?.();
}

/** Resolves when more may be written, or when it is over. */
function drained(outgoing: ClientRequest, stallMs: number): Promise<void> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => {
			outgoing.off('drain', finish).off('close', finish);
			reject(Object.assign(new Error(`Took nothing of the body for ${stallMs / 1000} seconds.`), { code: STALLED }));
		}, stallMs);
		function finish(): void {
			clearTimeout(timer);
			outgoing.off('drain', finish).off('close', finish);
			resolve();
		}
		outgoing.once('drain', finish).once('close', finish);
	});
}

/** Chunks of a long response or request, which end early once the client may not have or send them any more. */

import { AppError } from '../errors.ts';

const CHECK_MS = 500;

/**
 * The chunks, for as long as `check` resolves: it is called twice a second while they are read, and at their end, so that a part of what was
 * removed meanwhile is not taken for the whole. A database that is away has taken nothing away.
 * @throws what `check` rejects with
 */
export async function* checked(
	chunks: AsyncIterable<Uint8Array>,
	check: () => Promise<unknown>,
): AsyncGenerator<Uint8Array> {
	let checkedAt = performance.now();
	for await (const chunk of chunks) {
		if (performance.now() - checkedAt >= CHECK_MS) {
			await check().catch(unlessAway);
			checkedAt = performance.now();
		}
		yield chunk;
	}
	await check().catch(unlessAway);
}

function unlessAway(error: unknown): void {
	if (!(error instanceof AppError && error.code === 'UNAVAILABLE')) throw error;
}

/** A body that is made piece by piece, as fast as the client takes it. */

import type { Log } from '../log.ts';
import { requestInfo } from './request-info.ts';

/**
 * Nothing is made ahead of a slow client, and nothing more once it is gone. When a piece cannot be made the connection
 * breaks off, since it is too late for a refusal, and the log says why.
 */
export function pulledBody(
	chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>,
	{ request, log }: { request: Request; log: Log },
): ReadableStream<Uint8Array> {
	const { id: requestId } = requestInfo(request);
	return new ReadableStream(
		{
			async pull(controller) {
				try {
					const { value, done } = await chunks.next();
					if (done) controller.close();
					else controller.enqueue(value);
				} catch (cause) {
					log.error('A response broke off.', { requestId, cause });
					throw cause;
				}
			},
			async cancel() {
				await chunks.return(undefined);
			},
		},
		{ highWaterMark: 0 },
	);
}

/** A stream of chunks that are made when they are read: what is made ahead would lie in memory. */

/** @param end Called once at the end: after the last chunk, an error, or a cancellation. */
export function pulled(chunks: AsyncGenerator<Uint8Array>, end = () => {}): ReadableStream<Uint8Array> {
	let isCancelled = false;
	return new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				const { value, done } = await chunks.next().catch((error) => {
					end();
					throw error;
				});
				// The reader may have gone meanwhile.
				if (isCancelled) return;
				if (!done) return controller.enqueue(value);
				end();
				controller.close();
			},
			async cancel() {
				isCancelled = true;
				await chunks.return(undefined);
				end();
			},
		},
		{ highWaterMark: 0 },
	);
}

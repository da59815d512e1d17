/** A stream of chunks that are made when they are read: what is made ahead would lie in memory. */

export function pulled(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
	return new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				const { value, done } = await chunks.next();
				if (done) controller.close();
				else controller.enqueue(value);
			},
			async cancel() {
				await chunks.return(undefined);
			},
		},
		{ highWaterMark: 0 },
	);
}

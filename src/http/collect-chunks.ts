/** Gathers a streamed body in memory, as far as its reader lets it grow. */

/**
 * @param admit Called with the bytes so far before a chunk is kept; what it throws ends the reading and cancels the
 * stream.
 * @throws whatever the stream does when the client goes away
 */
export async function collectChunks(
	body: ReadableStream<Uint8Array>,
	admit: (total: number) => void,
): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let total = 0;
	for await (const chunk of body) {
		total += chunk.length;
		admit(total);
		chunks.push(chunk);
	}
	return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, total);
}

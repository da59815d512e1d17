/** The SHA-256 of a stream, in hexadecimal. */
export async function sha256Of(stream: AsyncIterable<Uint8Array>): Promise<string> {
	const hash = new Bun.CryptoHasher('sha256');
	for await (const piece of stream) hash.update(piece);
	return hash.digest('hex');
}

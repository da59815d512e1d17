/** Random text that cannot be guessed. */

const BYTE_VALUES = 256;

/** Returns that many characters of an alphabet, each as likely as every other. */
export function randomText(alphabet: string, length: number): string {
	// Higher bytes would favour the beginning of the alphabet.
	const end = BYTE_VALUES - (BYTE_VALUES % alphabet.length);
	let text = '';
	while (text.length < length) {
		for (const byte of crypto.getRandomValues(new Uint8Array(length - text.length))) {
			if (byte < end) text += alphabet[byte % alphabet.length];
		}
	}
	return text;
}

/** A text is not a valid value; the message is the rest of a sentence that starts with the setting's name. */
export class ValueProblem extends Error {}

/** @param names The parts of the address that may be percent-encoded. */
export function decodePart(text: string, names: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return reject(`must have its ${names} percent-encoded: write a % as %25`);
	}
}

/** @param expected Begins with "must". */
export function reject(expected: string): never {
	throw new ValueProblem(expected);
}

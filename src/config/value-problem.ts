/** A text is not a valid value; the message is the rest of a sentence that starts with the setting's name. */
export class ValueProblem extends Error {}

/** @param expected Begins with "must". */
export function reject(expected: string): never {
	throw new ValueProblem(expected);
}

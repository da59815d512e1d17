/** Reads JSON for what shows values: a number that JavaScript would change keeps its digits. */

type Reviver = (name: string, value: unknown, context: { source: string }) => unknown;

/** Written by `JSON.stringify` as it stands: https://tc39.es/proposal-json-parse-with-source/ */
const { rawJSON, isRawJSON } = JSON as unknown as {
	rawJSON(text: string): object;
	isRawJSON(value: unknown): boolean;
};
const MAY_HOLD_NUMBERS = /(?:^|[:[,\s])-?\d/;
const keepDigits: Reviver = (_, value, { source }) =>
	typeof value === 'number' && String(value) !== source ? rawJSON(source) : value;

/** Such a number, as `1e400` or `1.10`, is an object of which only `JSON.stringify` knows the text. */
export function parseExact(json: string): unknown {
	return JSON.parse(json, MAY_HOLD_NUMBERS.test(json) ? (keepDigits as Parameters<typeof JSON.parse>[1]) : undefined);
}

/** Returns whether a value that {@link parseExact} read is a number. */
export const isExactNumber = (value: unknown): boolean => typeof value === 'number' || isRawJSON(value);

/** Returns whether a number that JavaScript has read may be another one than was written. */
export const mayHaveLostDigits = (value: unknown): boolean =>
	typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;

/** A value that {@link parseExact} read: a text as it is, `null` as an empty one, anything else as JSON. */
export function exactText(value: unknown): string {
	if (typeof value === 'string') return value;
	return value === null ? '' : JSON.stringify(value);
}

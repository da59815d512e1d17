/** Reads JSON in which a number that JavaScript would change keeps its digits: for what shows values, and to reject what would be lost. */

import { type Decimal, decimalOf } from './decimal.ts';
import { parseInOrder, type Reviver } from './ordered-json.ts';

/** Written by `JSON.stringify` as it stands: https://tc39.es/proposal-json-parse-with-source/ */
const { rawJSON, isRawJSON } = JSON as unknown as {
	rawJSON(text: string): object;
	isRawJSON(value: unknown): boolean;
};
const MAY_HOLD_NUMBERS = /(?:^|[:[,\s])-?\d/;
const keepDigits: Reviver = (_, value, { source }) =>
	typeof value === 'number' && String(value) !== source ? rawJSON(source) : value;

/** Such a number, as `1e400` or `1.10`, is an object of which only `JSON.stringify` knows the text. Members keep their order. */
export function parseExact(json: string): unknown {
	return parseInOrder(json, MAY_HOLD_NUMBERS.test(json) ? keepDigits : undefined);
}

/** Finds what may lose digits: from sixteen on, or by an exponent. */
const MAY_LOSE_DIGITS = /[\d.]{16}|\d[eE]/;
const keepLost: Reviver = (_, value, { source }) =>
	typeof value === 'number' && !isSame(decimalOf(String(value)), decimalOf(source)) ? rawJSON(source) : value;
const isSame = (one: Decimal, other: Decimal) =>
	one.digits === other.digits && (one.exponent === other.exponent || one.digits === '');

/** As `JSON.parse`, but for a number of which digits would be lost: {@link lostDigitsIn} finds it, and `JSON.stringify` writes it as it was. */
export function parseJson(json: string): unknown {
	return JSON.parse(json, MAY_LOSE_DIGITS.test(json) ? (keepLost as Parameters<typeof JSON.parse>[1]) : undefined);
}

/** The path of such a number in a value that {@link parseJson} read, as `body.prices.0`. */
export function lostDigitsIn(value: unknown, path: readonly string[] = []): string | undefined {
	if (value === null || typeof value !== 'object') return undefined;
	if (isRawJSON(value)) return path.join('.');
	for (const [name, member] of Object.entries(value)) {
		const found = lostDigitsIn(member, [...path, name]);
		if (found !== undefined) return found;
	}
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

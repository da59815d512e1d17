/** Reads JSON without losing digits or the order of members: a number that JavaScript cannot hold keeps its source text. */

import { parseInOrder, type Reviver } from '../../text/ordered-json.ts';

const SOURCE = Symbol('source');

/** A number as it was written, such as `1.10` or `12345678901234567890`. */
interface Numeral {
	[SOURCE]: string;
}

/** Finds numbers that a double may change: of 16 digits and more, with a fraction or an exponent, `-0`. Milliseconds of a timestamp are not one. */
const PERHAPS_INEXACT = /(?:^|[:[,])\s*(?:-0|-?\d{16}|-?\d{1,15}(?:[eE]|\.(?!\d{3}Z)))/;

/** Parses JSON text; numbers whose digits a double would change become {@link Numeral}s. */
export function parseExactJson(text: string): unknown {
	const keepDigits: Reviver = (_, value, context) => {
		if (typeof value !== 'number' || context?.source === undefined) return value;
		return String(value) === context.source ? value : { [SOURCE]: context.source };
	};
	return parseInOrder(text, PERHAPS_INEXACT.test(text) ? keepDigits : undefined);
}

/** The text of a {@link Numeral}; `undefined` for any other value. */
export function numeralText(value: unknown): string | undefined {
	if (typeof value !== 'object' || value === null || !(SOURCE in value)) return undefined;
	return String((value as Numeral)[SOURCE]);
}

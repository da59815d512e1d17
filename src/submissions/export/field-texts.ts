/** Pure: the fields of a submission as texts for table cells. */

type Reviver = (name: string, value: unknown, context: { source: string }) => unknown;

/** Keeps a number's source text: https://tc39.es/proposal-json-parse-with-source/ */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };
const MAY_HOLD_NUMBERS = /[:[,]-?\d/;
const keepDigits: Reviver = (_, value, { source }) => (typeof value === 'number' ? rawJSON(source) : value);

/**
 * Strings as they are, `null` as an empty text, other values as JSON text, numbers with all their digits.
 * @param data The JSON text of the fields.
 */
export function fieldTexts(data: string): Map<string, string> {
	const reviver = MAY_HOLD_NUMBERS.test(data) ? (keepDigits as Parameters<typeof JSON.parse>[1]) : undefined;
	const fields = JSON.parse(data, reviver) as Record<string, unknown>;
	return new Map(Object.entries(fields).map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: unknown): string {
	if (typeof value === 'string') return value;
	return value === null ? '' : JSON.stringify(value);
}

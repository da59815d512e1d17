/** Pure: the fields of a submission as texts for table cells. */

import { exactText, parseExact } from '../../text/exact-json.ts';

/**
 * Strings as they are, `null` as an empty text, other values as JSON text, numbers with all their digits.
 * @param data The JSON text of the fields.
 */
export function fieldTexts(data: string): Map<string, string> {
	const fields = parseExact(data) as Record<string, unknown>;
	return new Map(Object.entries(fields).map(([name, value]) => [name, exactText(value)]));
}

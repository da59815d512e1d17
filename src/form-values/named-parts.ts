/** Pure: lines of parts that have a name, as in `page, address:network`. For browsers too. */

/**
 * The values of the parts by their names. Unknown parts and wrong values are left to a check to reject, and so is a part that is given
 * twice: it is called what it says, as no part is.
 * @param read Is given what stands before the colon, if there is one, and the rest.
 */
export function parseNamedParts<Value>(
	line: string,
	read: (name: string | undefined, rest: string) => [name: string, value: Value],
): Record<string, Value> {
	const parts = new Map<string, Value>();
	for (const text of line.split(',').map((part) => part.trim())) {
		const [, before, rest = ''] = /^(?:([^:]*):)?\s*(.*)$/s.exec(text) ?? [];
		const [name, value] = read(before, rest);
		parts.set(parts.has(name) ? text : name, value);
	}
	return Object.fromEntries(parts);
}

/** Pure: JSON of programs that may respond with anything. */

/** The members of an object; none if the text is anything else. */
export function membersIn(text: string): Record<string, unknown> {
	try {
		return Object(JSON.parse(text));
	} catch {
		return {};
	}
}

/** JSON with the members of objects in the order of the text: an object itself has names that are numbers first. */

import { endOfString, isName } from './json-string.ts';

export type Reviver = (name: string, value: unknown, context: { source: string }) => unknown;

/** A digit may be written as an escape. A repeated group would take long for a text of many digits. */
const NUMBERED_NAME = /"[\d\\u]+"\s*:/;
/** Before each name while a text is parsed, so that none is a number. */
const MARK = '_';

/** As `JSON.parse`. @param revive is called for what is no object */
export function parseInOrder(json: string, revive?: Reviver): unknown {
	if (!NUMBERED_NAME.test(json)) return JSON.parse(json, revive as Parameters<typeof JSON.parse>[1]);
	const reviveInOrder: Reviver = (name, value, context) => {
		if (typeof value !== 'object' || value === null || Array.isArray(value))
			return revive ? revive(name, value, context) : value;
		return inOrder(Object.entries(value).map(([marked, member]) => [marked.slice(MARK.length), member]));
	};
	return JSON.parse(withMarks(json), reviveInOrder as Parameters<typeof JSON.parse>[1]);
}

/** An object of members that are listed in this order; one that is added later is not listed. */
export function inOrder(members: [name: string, value: unknown][]): Record<string, unknown> {
	const names = members.map(([name]) => name);
	return new Proxy(Object.fromEntries(members), { ownKeys: () => names });
}

function withMarks(json: string): string {
	let marked = '';
	let written = 0;
	for (let at = json.indexOf('"'); at !== -1; ) {
		const end = endOfString(json, at);
		if (isName(json, end)) {
			marked += json.slice(written, at + 1) + MARK;
			written = at + 1;
		}
		at = json.indexOf('"', end);
	}
	return marked + json.slice(written);
}

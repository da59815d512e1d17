/** The submitted fields as lines for a person, read from the stored JSON text without changing anything. */

export interface Field {
	name: string;
	/** What was submitted: a string as it is, a list of strings line by line, anything else as its JSON text. */
	text: string;
}

/**
 * The members of a JSON object in the order of the text. `JSON.parse` would not do: it moves names that look
 * like numbers to the front and rounds numbers with many digits.
 *
 * @param json a valid JSON object, as stored
 */
export function readFields(json: string): Field[] {
	return splitTopLevel(json).map((member) => {
		const colon = endOfString(member, 0);
		return {
			name: JSON.parse(member.slice(0, colon)) as string,
			text: displayText(member.slice(member.indexOf(':', colon) + 1).trim()),
		};
	});
}

function displayText(json: string): string {
	if (json.startsWith('"')) return JSON.parse(json) as string;
	if (json === 'null') return '';
	if (!json.startsWith('[')) return json;
	return splitTopLevel(json)
		.map((item) => (item.startsWith('"') ? (JSON.parse(item) as string) : item))
		.join('\n');
}

/** The texts between the commas of a JSON object or array, its own members only. */
function splitTopLevel(json: string): string[] {
	const parts: string[] = [];
	const open = json.search(/[[{]/);
	let start = open + 1;
	let depth = 0;
	for (let at = open; at < json.length; at++) {
		const char = json[at];
		if (char === '"') at = endOfString(json, at) - 1;
		else if (char === '[' || char === '{') depth++;
		else if (char === ']' || char === '}') depth--;
		const isEnd = depth === 0 && char !== '"';
		if (isEnd || (depth === 1 && char === ',')) {
			parts.push(json.slice(start, at).trim());
			start = at + 1;
		}
		if (isEnd) break;
	}
	return parts.length === 1 && parts[0] === '' ? [] : parts;
}

/** The place after the closing quote of the JSON string that begins at `start`. */
function endOfString(json: string, start: number): number {
	for (let at = start + 1; at < json.length; at++) {
		if (json[at] === '\\') at++;
		else if (json[at] === '"') return at + 1;
	}
	return json.length;
}

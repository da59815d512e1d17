/** Pure: strings in JSON texts that may have been cut off anywhere. */

/** The value of a JSON string, or of its beginning if it was cut off; an incomplete escape is dropped. */
export function stringText(json: string): string {
	if (endOfString(json, 0) <= json.length) return JSON.parse(json) as string;
	let end = 1;
	for (;;) {
		const next = json[end] === '\\' ? end + lengthOfEscape(json, end) : end + 1;
		if (next > json.length) break;
		end = next;
	}
	return JSON.parse(`${json.slice(0, end)}"`) as string;
}

function lengthOfEscape(json: string, start: number): number {
	return json[start + 1] === 'u' ? '\\u0000'.length : 2;
}

/** The index after the closing quote of the JSON string that begins at `start`; beyond the end of the text without one. */
export function endOfString(json: string, start: number): number {
	for (let at = start + 1; at < json.length; at++) {
		if (json[at] === '\\') at++;
		else if (json[at] === '"') return at + 1;
	}
	return json.length + 1;
}

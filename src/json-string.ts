/** Pure: strings in JSON texts that may have been cut off anywhere. */

/** What a JSON string says; of one that was cut off, as far as it goes: nothing of an escape that was cut in two. */
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

/** The place after the closing quote of the JSON string that begins at `start`; beyond the end of the text without one. */
export function endOfString(json: string, start: number): number {
	for (let at = start + 1; at < json.length; at++) {
		if (json[at] === '\\') at++;
		else if (json[at] === '"') return at + 1;
	}
	return json.length + 1;
}

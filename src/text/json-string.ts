/** Pure: strings in JSON texts that may have been cut off or damaged anywhere. */

const BACKSLASH = 0x5c;

/** The values of all strings of a JSON text, without the names of members; of one that was cut off, its beginning. */
export function stringValues(json: string): string[] {
	const values: string[] = [];
	for (let at = json.indexOf('"'); at !== -1; ) {
		const end = endOfString(json, at);
		if (!isName(json, end)) values.push(stringText(json.slice(at, end), end <= json.length));
		at = json.indexOf('"', end);
	}
	return values;
}

/** All strings of a whole JSON text, the names of members too, also where an object has a name twice. */
export function allStrings(json: string): string[] {
	const strings: string[] = [];
	for (let at = json.indexOf('"'); at !== -1; ) {
		const end = endOfString(json, at);
		strings.push(stringText(json.slice(at, end), true));
		at = json.indexOf('"', end);
	}
	return strings;
}

/** The values of strings with the name of the member that each is in, however deep. */
export function namedStringValues(json: string): { name: string; value: string }[] {
	const values: { name: string; value: string }[] = [];
	let name = '';
	for (let at = json.indexOf('"'); at !== -1; ) {
		const end = endOfString(json, at);
		const value = stringText(json.slice(at, end));
		if (isName(json, end)) name = value;
		else values.push({ name, value });
		at = json.indexOf('"', end);
	}
	return values;
}

/** The path of a member whose name its object has already, as `fields.0.name`, in a whole JSON text. */
export function repeatedName(json: string): string | undefined {
	const open: { names?: Set<string>; name: string | number }[] = [];
	for (let at = 0; at < json.length; at++) {
		const sign = json[at];
		const inside = open.at(-1);
		if (sign === '{') open.push({ names: new Set(), name: '' });
		else if (sign === '[') open.push({ name: 0 });
		else if (sign === '}' || sign === ']') open.pop();
		else if (sign === ',' && typeof inside?.name === 'number') inside.name++;
		else if (sign === '"') {
			const end = endOfString(json, at);
			if (inside?.names && isName(json, end)) {
				inside.name = stringText(json.slice(at, end));
				if (inside.names.has(inside.name)) return open.map(({ name }) => name).join('.');
				inside.names.add(inside.name);
			}
			at = end - 1;
		}
	}
}

/** Returns whether the string that ends at `end` is the name of a member. */
export function isName(json: string, end: number): boolean {
	let at = end;
	while (json.charCodeAt(at) <= 0x20) at++;
	return json.charCodeAt(at) === 0x3a;
}

/** A JSON text in which the names of attached files are empty strings: as many of a field as it has files. */
export function withoutFileNames(json: string, files: Iterable<{ field: string; name: string }>): string {
	const left = new Map<string, number>();
	for (const file of files) {
		const key = JSON.stringify([file.field, file.name]);
		left.set(key, (left.get(key) ?? 0) + 1);
	}
	if (left.size === 0) return json;
	let text = '';
	let written = 0;
	let name = '';
	for (let at = json.indexOf('"'); at !== -1; ) {
		const end = endOfString(json, at);
		const value = stringText(json.slice(at, end));
		const isOfMember = isName(json, end);
		if (isOfMember) name = value;
		const key = JSON.stringify([name, value]);
		const count = isOfMember ? 0 : (left.get(key) ?? 0);
		if (count > 0) {
			left.set(key, count - 1);
			text += `${json.slice(written, at)}""`;
			written = end;
		}
		at = json.indexOf('"', end);
	}
	return text + json.slice(written);
}

/** The value of a JSON string, or of its beginning if it was cut off; an incomplete escape is dropped. A damaged one is left as it is. */
export function stringText(json: string, isWhole = endOfString(json, 0) <= json.length): string {
	if (!json.includes('\\')) return json.slice(1, isWhole ? -1 : undefined);
	if (isWhole) return parsed(json);
	let end = 1;
	for (;;) {
		const next = json[end] === '\\' ? end + lengthOfEscape(json, end) : end + 1;
		if (next > json.length) break;
		end = next;
	}
	return parsed(`${json.slice(0, end)}"`);
}

function parsed(json: string): string {
	try {
		return JSON.parse(json) as string;
	} catch {
		return json.slice(1, -1);
	}
}

function lengthOfEscape(json: string, start: number): number {
	return json[start + 1] === 'u' ? '\\u0000'.length : 2;
}

/** The index after the closing quote of the JSON string that begins at `start`; beyond the end of the text without one. */
export function endOfString(json: string, start: number): number {
	let quote = json.indexOf('"', start + 1);
	while (quote !== -1 && isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
	return quote === -1 ? json.length + 1 : quote + 1;
}

function isEscaped(json: string, at: number): boolean {
	let start = at;
	while (json.charCodeAt(start - 1) === BACKSLASH) start--;
	return (at - start) % 2 === 1;
}

/** Reads the submitted fields from the stored JSON text for display, with every character as it was submitted. */

import { isJson } from '../storage/damage.ts';
import { withoutHalf } from '../text/cut-text.ts';
import { endOfString, stringText } from '../text/json-string.ts';

/** In place of a name that cannot be read any more. */
export const DAMAGED = '(damaged)';

export interface NamedText {
	name: string;
	/** A string as it was submitted, a list of strings line by line, any other value as its JSON text. */
	text: string;
}

export interface FieldText extends NamedText {
	/** True if `text` is only the beginning. */
	isCut: boolean;
}

/** Bounds in characters of the stored text, whose size untrusted clients determine. */
export interface ReadingBounds {
	textMax?: number;
	valueMax?: number;
}

/**
 * The members of a JSON object in the order of the text. `JSON.parse` would move names that look like numbers to the
 * front, and round numbers with many digits.
 *
 * @param json a valid JSON object or the beginning of one; then the last field is cut, and has no name if the text ends
 * before its value
 */
export function readFields(
	json: string,
	{ textMax = Number.POSITIVE_INFINITY, valueMax = Number.POSITIVE_INFINITY }: ReadingBounds = {},
): FieldText[] {
	const { parts, isCut } = splitTopLevel(json.slice(0, textMax));
	return parts.map((member, index) => readMember(member, { valueMax, isCut: isCut && index === parts.length - 1 }));
}

/** The members of a whole JSON object in the order of the text, each as it stands there. */
export function membersOf(json: string): NamedText[] {
	return splitTopLevel(json).parts.map((text) => ({ name: JSON.parse(text.slice(0, endOfString(text, 0))), text }));
}

function readMember(member: string, { valueMax, isCut }: { valueMax: number; isCut: boolean }): FieldText {
	const nameEnd = endOfString(member, 0);
	const colon = member.indexOf(':', nameEnd);
	if (colon < 0) return { name: '', text: '', isCut };
	const text = member.slice(0, nameEnd);
	if (!isJson(text)) return { name: DAMAGED, text: '', isCut };
	const name = JSON.parse(text) as string;
	const value = member.slice(colon + 1).trim();
	if (!isCut && value.length <= valueMax) return { name, text: displayText(value), isCut };
	return { name, text: withoutHalf(displayText(value.slice(0, valueMax))), isCut: true };
}

function displayText(json: string): string {
	if (json.startsWith('"')) return stringText(json);
	if ('null'.startsWith(json)) return '';
	if (!json.startsWith('[')) return json;
	return splitTopLevel(json)
		.parts.map((item) => (item.startsWith('"') ? stringText(item) : item))
		.join('\n');
}

/**
 * Splits a JSON object or array at its own commas.
 * @returns `isCut` if the text ends before the closing bracket: then the last part is cut too
 */
function splitTopLevel(json: string): { parts: string[]; isCut: boolean } {
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
		if (isEnd) return { parts: parts.length === 1 && parts[0] === '' ? [] : parts, isCut: false };
	}
	return { parts: [...parts, json.slice(start).trim()], isCut: true };
}

/** Text of unknown origin as a line of the log may hold it: nothing in it acts on a terminal or begins another line. */

/** DEL, C1 controls, line and paragraph separators, and what changes the direction of text or is invisible. */
const HIDDEN = '\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff';
const HIDDEN_CHARACTERS = new RegExp(`[${HIDDEN}]`, 'g');
/** ASCII without controls, quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/;
const UNPRINTABLE = new RegExp(`[\\u0000-\\u001f${HIDDEN}]`, 'g');

/** Text of unknown origin as it may appear on a terminal: what would act on the terminal is spelled out. */
export function printable(text: string): string {
	return text.replace(UNPRINTABLE, (character) =>
		character < ' ' ? JSON.stringify(character).slice(1, -1) : escapeCharacter(character),
	);
}

/** JSON text as it may appear on a terminal; it means the same. */
export function printableJson(json: string): string {
	return json.replace(HIDDEN_CHARACTERS, escapeCharacter);
}

/** A text as JSON. Most are plain, and then quotes around them are enough. */
export function jsonText(text: string): string {
	if (PLAIN.test(text)) return `"${text}"`;
	return printableJson(JSON.stringify(text));
}

function escapeCharacter(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

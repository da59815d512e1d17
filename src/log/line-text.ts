/** Escapes untrusted text for the log, so that it neither controls a terminal nor begins another line. */

/** DEL, C1 controls, line and paragraph separators, and characters that are invisible or change the direction of text. */
const HIDDEN = '\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff';
const HIDDEN_CHARACTERS = new RegExp(`[${HIDDEN}]`, 'g');
const UNPRINTABLE = new RegExp(`[\\u0000-\\u001f${HIDDEN}]`, 'g');

/** Escapes untrusted text for a terminal. */
export function printable(text: string): string {
	return text.replace(UNPRINTABLE, (character) =>
		character < ' ' ? JSON.stringify(character).slice(1, -1) : escapeCharacter(character),
	);
}

/** Escapes JSON text for a terminal; its value stays the same. */
export function printableJson(json: string): string {
	return json.replace(HIDDEN_CHARACTERS, escapeCharacter);
}

function escapeCharacter(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

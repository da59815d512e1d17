/** Pure: a submission as the rules of its text read it. */

import { stringValues } from '../../text/json-string.ts';

/** Maximum part of a submission that is read. */
export const MAX_CHARACTERS = 8192;

export interface Message {
	/** The texts that were sent, without the names of their fields, one after the other. */
	text: string;
	/** The longest of them. */
	longest: string;
	/** In lower case, without those of addresses; an empty one where a sentence or a text ends. */
	words: readonly string[];
	/** How many words it has. */
	count: number;
}

/**
 * Web and mail addresses. A mail address is looked for from its
 * beginning only: else a long word would be read again from each of its characters.
 */
const NO_WORDS = /(?:https?:\/\/|www\.)\S+|(?<![^\s@])[^\s@]+@[\w.-]+/gi;
const TOKEN = /[\p{L}\p{M}]+|[^\p{L}\p{M}\s'’,-]|\n/gu;
const WORD = /^[\p{L}\p{M}]/u;
/** The same for texts in ASCII, several times as fast. */
const ASCII_TOKEN = /[a-z]+|[^a-z\s',-]|\n/g;
const ASCII_WORD = /^[a-z]/;

/** @param data The JSON text of the fields. */
export function readMessage(data: string): Message {
	const texts = textsOf(data.slice(0, MAX_CHARACTERS));
	const text = texts.join('\n');
	const words = wordsOf(text);
	let count = 0;
	for (const word of words) if (word !== '') count++;
	const longest = texts.reduce((found, one) => (one.length > found.length ? one : found), '');
	return { text, longest, words, count };
}

/** The texts that were sent, without the names of their fields. @param data JSON text, or the beginning of one. */
export function textsOf(data: string): string[] {
	return [...stringValues(data)].filter((text) => text !== '');
}

/** The words of a text, as `Message.words`. */
export function wordsOf(text: string): string[] {
	const [token, word] = isAscii(text) ? [ASCII_TOKEN, ASCII_WORD] : [TOKEN, WORD];
	const tokens = text.toLowerCase().replace(NO_WORDS, '.').match(token) ?? [];
	return tokens.map((found) => (word.test(found) ? found : ''));
}

/** The divisor of counts that grow with the text by chance: the hundreds of its words. */
export function divisorOf(count: number): number {
	return Math.max(1, Math.round(count / 10) / 10);
}

/** How the detail of a reason says so. */
export function describeDivisor(count: number): string {
	const divisor = divisorOf(count);
	return divisor > 1 ? `; divided by ${divisor}, for ${count} words` : '';
}

export function isAscii(text: string): boolean {
	return Buffer.byteLength(text) === text.length;
}

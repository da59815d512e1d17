/** Pure: which words of a submission the index holds, and how it is asked for words. */

import { endOfString, stringText } from '../text/json-string.ts';
import { fold } from './search-words.ts';

/** Text of one submission beyond this is stored but not searched, so that one client cannot swell the index. */
const MAX_SEARCHED_CHARACTERS = 100_000;
/** How much of a submission's JSON text is looked at, in which escapes take room. */
export const SEARCHED_JSON_CHARACTERS = 2 * MAX_SEARCHED_CHARACTERS;
const NUMBER = /-?\d[\d.eE+-]*/y;
const COLON = /\s*:/y;
/** The index knows runs of three characters; shorter words have an index of their own. */
const GRAM_LENGTH = 3;

interface SearchText {
	/** The values, folded, one per line. */
	text: string;
	/** Words of one or two characters, and all such pieces of scripts that put no spaces between words. */
	shortWords: string[];
}

/** All of it has to be found, each in one of its spellings. */
interface SearchTerms {
	/** To be found anywhere, inside of words too. */
	parts: string[][];
	/** To be found among {@link SearchText.shortWords}. */
	shortWords: string[][];
}

/** Apostrophes and hyphens: phones and word processors write others than keyboards. The index has them as they came. */
const ALIKE = ["'’", '-‐–'];

/** Letters without an accent of their own in Unicode, by what a keyboard without them is used to write. */
const PLAIN_LETTERS: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ı: 'i', ß: 'ss', æ: 'ae', œ: 'oe' };
/** Such a letter, or what is there to be read by, not to be typed: soft hyphens, joiners, the vowel signs of Hebrew and Arabic. */
const DECORATED =
	/[øłđıßæœ\u00ad\u200b-\u200d\u2060\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]/g;

const ASCII_ONLY = /^[\0-\x7f]*$/;
const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/g;
const SPACE = 0x20;
const LINE_END = 0x0a;
const PRIVATE_USE = 0xf000;
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts without spaces between words, and pictures. */
const UNSPACED =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Extended_Pictographic}ー々]/u;

/**
 * @param data The JSON text of a submission's fields, or as much of its beginning as {@link SEARCHED_JSON_CHARACTERS}. Their names
 * are not searched, only what was filled in; numbers as they were written.
 */
export function searchText(data: string): SearchText {
	const values: string[] = [];
	let length = 0;
	let at = 0;
	while (at < data.length && length < MAX_SEARCHED_CHARACTERS) {
		const isString = data[at] === '"';
		const end = isString ? endOfString(data, at) : endOf(NUMBER, data, at);
		if (end > at && !(isString && endOf(COLON, data, end) > end)) {
			const token = data.slice(at, end);
			const value = isString ? stringText(token) : token;
			values.push(undecorated(fold(value.slice(0, MAX_SEARCHED_CHARACTERS))));
			length += value.length;
		}
		at = Math.max(end, at + 1);
	}
	const text = values.join('\n').slice(0, MAX_SEARCHED_CHARACTERS);
	return { text, shortWords: shortWordsOf(text) };
}

/** Where a match at `start` ends; `start` without one. */
function endOf(sticky: RegExp, text: string, start: number): number {
	sticky.lastIndex = start;
	return sticky.test(text) ? sticky.lastIndex : start;
}

function undecorated(text: string): string {
	return text.replace(DECORATED, (character) => PLAIN_LETTERS[character] ?? '');
}

/** How the index is asked for words, which are folded. */
export function searchTerms(words: readonly string[]): SearchTerms {
	const isShort = (word: string) => [...(undecorated(word) || word)].length < GRAM_LENGTH;
	const parts = words.filter((word) => !isShort(word));
	return { parts: parts.map(spellingsOf), shortWords: words.filter(isShort).map(spellingsOf) };
}

/** The word without its decorations, and as it is, which earlier versions have indexed; each with one kind of each sign throughout. */
function spellingsOf(word: string): string[] {
	let spellings = [undecorated(word) || word, word];
	for (const signs of ALIKE) {
		const any = new RegExp(`[${signs}]`, 'g');
		const others = [...signs].flatMap((sign) => spellings.map((spelling) => spelling.replace(any, sign)));
		spellings = [...new Set([...spellings, ...others])];
	}
	return spellings;
}

/** A short word as the index spells it: its tokenizer would leave punctuation out. */
export function wordToken(word: string): string {
	return word.replace(ASCII_PUNCTUATION, (sign) => String.fromCharCode(PRIVATE_USE + sign.charCodeAt(0)));
}

function shortWordsOf(text: string): string[] {
	const found = new Set<string>();
	if (ASCII_ONLY.test(text)) {
		addShortAscii(text, found);
		return [...found];
	}
	const addShort = (word: string) => {
		if (word.length <= 2 * (GRAM_LENGTH - 1) && [...word].length < GRAM_LENGTH) found.add(word);
	};
	for (const run of text.split(/[ \n]/)) addShort(run);
	for (const [word] of text.matchAll(WORDS)) addShort(word);
	addUnspaced(text, found);
	found.delete('');
	return [...found];
}

/** Most texts are plain, and then one pass over their characters finds what the expressions would, in a tenth of the time. */
function addShortAscii(text: string, found: Set<string>): void {
	const add = (start: number, end: number) => {
		if (end > start && end - start < GRAM_LENGTH) found.add(text.slice(start, end));
	};
	let run = 0;
	let word = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === SPACE || code === LINE_END) {
			add(run, at);
			run = at + 1;
		}
		const isLetterOrDigit = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
		if (isLetterOrDigit) continue;
		add(word, at);
		word = at + 1;
	}
	add(run, text.length);
	add(word, text.length);
}

function addUnspaced(text: string, found: Set<string>): void {
	let previous = '';
	for (const character of text) {
		const isGap = character === ' ' || character === '\n';
		if (!isGap && (UNSPACED.test(character) || (previous !== '' && UNSPACED.test(previous)))) {
			if (UNSPACED.test(character)) found.add(character);
			if (previous !== '') found.add(previous + character);
		}
		previous = isGap ? '' : character;
	}
}

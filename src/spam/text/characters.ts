/** Pure: the known facts of each character, in one number that is made when a text first has it. */

/** Kinds: letters, capitals and marks make words. */
export const LETTER = 1;
export const CAPITAL = 2;
export const MARK = 3;
export const SPACE = 4;
export const DIGIT = 5;
export const EXCLAMATION = 6;
/** Between or within words, without an end of a sentence. */
export const JOINER = 7;
export const CURRENCY = 8;
export const AT = 9;
/** These begin markup. */
export const BRACKET = 10;
export const SLASH = 11;
const KINDS: readonly (readonly [kind: number, characters: RegExp])[] = [
	[CAPITAL, /\p{Lu}/u],
	[LETTER, /\p{L}/u],
	[MARK, /\p{M}/u],
	[SPACE, /\s/],
	[DIGIT, /[0-9]/],
	[EXCLAMATION, /!/],
	[JOINER, /['’,-]/],
	[CURRENCY, /[$£€¥₹]/],
	[AT, /@/],
	[BRACKET, /[<[]/],
	[SLASH, /\//],
];

/** The scripts that are distinguished; Japanese and Korean are written with Chinese characters too. */
const SCRIPTS: readonly (readonly [name: string, characters: RegExp])[] = [
	['none', /^/],
	['Latin', /\p{Script=Latin}/u],
	['Cyrillic', /\p{Script=Cyrillic}/u],
	['Greek', /\p{Script=Greek}/u],
	['Arabic', /\p{Script=Arabic}/u],
	['Hebrew', /\p{Script=Hebrew}/u],
	['Thai', /\p{Script=Thai}/u],
	['Chinese, Japanese or Korean', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u],
	['an Indic script', /[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Gujarati}]/u],
];
export const SCRIPT_NAMES: readonly string[] = SCRIPTS.map(([name]) => name);
export const [LATIN, CYRILLIC, GREEK] = [1, 2, 3];

/** The lower bits of the facts are the character in lower case, the bits above are its class: the kind, and the number of its script. */
export const LOWER = 0xffff;
export const CLASS_SHIFT = 16;
export const CLASSES = 256;
export const KIND = 15;
export const SCRIPT_SHIFT = 4;
/** A letter, a capital or a mark. */
export const OF_WORD = 1 << 24;
/** One that is not all of a character, or whose lower case follows from those around it. */
export const RARE = 1 << 25;
export const NUMBER = 1 << 26;
export const DECIMAL = 1 << 27;
/** A character of a script without spaces between words. */
export const UNSPACED = 1 << 28;
/** A letter without accent, a digit, or one of `_.-`. */
export const OF_HOST = 1 << 29;
const MADE = 1 << 30;
const FLAGS: readonly (readonly [flag: number, characters: RegExp])[] = [
	[OF_WORD, /[\p{L}\p{M}]/u],
	[RARE, /[\ud800-\udfffΣ]/],
	[OF_HOST, /[\w.-]/],
	[NUMBER, /\p{N}/u],
	[DECIMAL, /\p{Nd}/u],
	[
		UNSPACED,
		/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u,
	],
];

/** By code point; only what texts have had takes memory. */
const facts = new Int32Array(0x110000);

export const factsOf = (codePoint: number): number => facts[codePoint] || make(codePoint);
export const classOf = (codePoint: number): number => (factsOf(codePoint) >>> CLASS_SHIFT) & (CLASSES - 1);

export function factsAt(text: string, at: number): number {
	const facts = factsOf(text.charCodeAt(at));
	return facts & RARE ? factsOf(text.codePointAt(at) as number) : facts;
}

/** The index behind the character at a place. */
export function after(text: string, at: number): number {
	const isOne = (text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.codePointAt(at) as number) <= 0xffff;
	return isOne ? at + 1 : at + 2;
}

function make(codePoint: number): number {
	const text = String.fromCodePoint(codePoint);
	const kind = KINDS.find(([, characters]) => characters.test(text))?.[0] ?? 0;
	const script = SCRIPTS.findLastIndex(([, characters]) => characters.test(text));
	const flags = FLAGS.reduce((all, [flag, characters]) => all | (characters.test(text) ? flag : 0), MADE);
	facts[codePoint] = flags | (((script << SCRIPT_SHIFT) | kind) << CLASS_SHIFT) | text.toLowerCase().charCodeAt(0);
	return facts[codePoint] as number;
}

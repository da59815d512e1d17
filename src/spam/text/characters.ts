/** Pure: the kinds of all characters, in tables that are made page by page, as texts need them. */

/** The lower four bits of a kind. Letters, capitals and marks make words. */
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
export const CATEGORY = 15;
/** The bits above: the number of a script in {@link SCRIPTS}, or 0. */
export const SCRIPT_SHIFT = 4;
export const KINDS = 256;

/** The scripts that are distinguished; Japanese and Korean are written with Chinese characters too. */
export const SCRIPTS = [
	'none',
	'Latin',
	'Cyrillic',
	'Greek',
	'Arabic',
	'Hebrew',
	'Thai',
	'Chinese, Japanese or Korean',
	'an Indic script',
] as const;
export const [LATIN, CYRILLIC, GREEK] = [1, 2, 3];

const CATEGORIES: readonly (readonly [category: number, characters: RegExp])[] = [
	[LETTER, /\p{L}/gu],
	[CAPITAL, /\p{Lu}/gu],
	[MARK, /\p{M}/gu],
	[SPACE, /\s/gu],
	[DIGIT, /[0-9]/gu],
	[EXCLAMATION, /!/gu],
	[JOINER, /['’,-]/gu],
	[CURRENCY, /[$£€¥₹]/gu],
	[AT, /@/gu],
];
/** In the order of their names. */
const LETTERS: readonly RegExp[] = [
	/\p{Script=Latin}/gu,
	/\p{Script=Cyrillic}/gu,
	/\p{Script=Greek}/gu,
	/\p{Script=Arabic}/gu,
	/\p{Script=Hebrew}/gu,
	/\p{Script=Thai}/gu,
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu,
	/[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Gujarati}]/gu,
];
const PAGE_BITS = 8;
const PAGE = 1 << PAGE_BITS;

const pages: (Uint8Array | undefined)[] = new Array(0x110000 >> PAGE_BITS);

export function kindOf(codePoint: number): number {
	const page = pages[codePoint >> PAGE_BITS] ?? makePage(codePoint >> PAGE_BITS);
	return page[codePoint & (PAGE - 1)] as number;
}

function makePage(number: number): Uint8Array {
	const page = new Uint8Array(PAGE);
	const first = number << PAGE_BITS;
	const text = String.fromCodePoint(...page.keys().map((at) => first + at));
	const step = text.length / PAGE;
	for (const [category, characters] of CATEGORIES)
		for (const { index } of text.matchAll(characters)) page[index / step] = category;
	for (const [script, letters] of LETTERS.entries())
		for (const { index } of text.matchAll(letters)) (page[index / step] as number) |= (script + 1) << SCRIPT_SHIFT;
	pages[number] = page;
	return page;
}

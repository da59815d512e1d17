/** The columns that owners write on submissions, each once, from which everything else follows. Pure, for browsers too. */

import { capitalised } from '../text/capitalised.ts';
import { mapNames } from '../text/map-names.ts';

/** Yes or no, with the words for a submission that has it, and for one that has not. */
export const FLAGS = {
	isRead: ['read', 'unread'],
	isStarred: ['starred', 'unstarred'],
	isSpam: ['spam', 'genuine'],
	isArchived: ['archived', 'unarchived'],
} as const;

/**
 * Lists of up to `most` words, each one line of up to `max` characters, shown to owners alone; see `word-lists.ts`. `one` is the noun for a
 * word, and with that the name of the criterion for submissions that have it; `adding` and `removing` are members of bulk changes.
 */
export const WORD_LISTS = [
	{ name: 'labels', one: 'label', adding: 'addLabels', removing: 'removeLabels', most: 10, max: 40 },
] as const;

/** Texts of up to so many characters, or `null`, shown to owners alone. */
export const TEXTS = {
	note: { max: 4000 },
} as const;

export type FlagName = keyof typeof FLAGS;
export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];
export type WordList = (typeof WORD_LISTS)[number];
export type WordListName = WordList['name'];
export type WordCriterion = WordList['one'];
export const WORD_CRITERIA = WORD_LISTS.map(({ one }) => one);
export type TextName = keyof typeof TEXTS;
export const TEXT_NAMES = Object.keys(TEXTS) as TextName[];
/** The columns that owners alone see. */
export const OWN_WORDS = [...WORD_LISTS.map(({ name }) => name), ...TEXT_NAMES];
export type OwnedName = FlagName | WordListName | TextName;
export const OWNED: readonly OwnedName[] = [...FLAG_NAMES, ...OWN_WORDS];

export const mapFlags = <T>(of: (name: FlagName) => T) => mapNames(FLAG_NAMES, of);
export const mapTexts = <T>(of: (name: TextName) => T) => mapNames(TEXT_NAMES, of);
/** @param by Which of their names the members have */
export const mapWordLists = <By extends 'name' | 'one' | 'adding' | 'removing', T>(by: By, of: (list: WordList) => T) =>
	Object.fromEntries(WORD_LISTS.map((list) => [list[by], of(list)])) as Record<WordList[By], T>;

/** The name of a column in SQL. */
export const columnOf = (name: OwnedName): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** The column of words in an export, where fields may well be called as they are: `ownerNote`. */
export const columnOfWords = (name: WordListName | TextName): string => `owner${capitalised(name)}`;

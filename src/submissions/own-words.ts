/** Pure: what owners set of a submission, as it is checked and stored. */

import { invalidField } from '../errors.ts';
import { TEXT_NAMES, TEXTS, type TextName, WORD_LISTS, type WordList, type WordListName } from '../storage/owned.ts';
import { foldWord, joinWords } from '../storage/word-lists.ts';
import { characterCount } from '../text/character-count.ts';

/** A line without control characters, and without blanks around it. */
const LINE = /^[^\p{C}\p{Z}](?:[^\p{Cc}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u;

type OwnWords = Partial<Record<TextName, string | null> & Record<WordListName, readonly string[]>>;
type Stored<Sent> = Omit<Sent, WordListName> & Partial<Record<WordListName, string | null>>;

/** @throws AppError VALIDATION_ERROR */
export function checkedWord<Word extends string | undefined>(word: Word, field: string, { one, max }: WordList): Word {
	const length = characterCount(`${word}`);
	if (word === undefined || (length >= 1 && length <= max && LINE.test(word))) return word;
	const message = `${field} must be one line of 1 to ${max} characters, without blanks around it.`;
	throw invalidField(field, `INVALID_${one.toUpperCase()}`, message);
}

/** @throws AppError VALIDATION_ERROR */
export function checkWords(words: readonly string[], field: string, list: WordList): void {
	if (words.length > list.most)
		throw invalidField(field, 'TOO_MANY', `${field} must be at most ${list.most}; these are ${words.length}.`);
	for (const [i, word] of words.entries()) {
		checkedWord(word, `${field}.${i}`, list);
		const other = words.slice(0, i).find((before) => foldWord(before) === foldWord(word));
		if (other !== undefined) {
			const message = `${field} has ${JSON.stringify(other)} and ${JSON.stringify(word)}, which are the same ${list.one}: leave one out.`;
			throw invalidField(`${field}.${i}`, 'DUPLICATE', message);
		}
	}
}

/** The changes of an owner, as they are stored. @param within What a body has before the names, such as `set.` @throws AppError VALIDATION_ERROR */
export function storedOwned<Sent extends OwnWords>(sent: Sent, within = ''): Stored<Sent> {
	const lists: Partial<Record<WordListName, string | null>> = {};
	for (const list of WORD_LISTS) {
		const words = sent[list.name];
		if (words === undefined) continue;
		checkWords(words, within + list.name, list);
		lists[list.name] = joinWords(words);
	}
	for (const name of TEXT_NAMES) {
		const [{ max }, length] = [TEXTS[name], characterCount(sent[name] ?? '')];
		const message = `${within}${name} must have at most ${max} characters; this one has ${length}.`;
		if (length > max) throw invalidField(within + name, 'TOO_LONG', message);
	}
	return { ...sent, ...lists };
}

/** The translations by their codes. English is at hand; the others are loaded with the first sentence in one of them. */

import type { Catalogue, Key } from './catalogue.ts';
import { catalogue as english } from './catalogues/en.ts';
import { createTranslation, type Sentence, type SentenceValues, type Translation } from './translation.ts';

const made = new Map<string, Translation>();

function translation(language: string, catalogue: Catalogue): Translation {
	const known = made.get(language) ?? createTranslation(language, catalogue);
	made.set(language, known);
	return known;
}

export const inEnglish = (): Translation => translation('en', english);

/** A sentence for programs and logs. */
export const say = (key: Key, values?: SentenceValues): string => inEnglish().say(key, values);

/** English for a language without a catalogue. */
export async function translationOf(language: string): Promise<Translation> {
	if (language === 'en') return inEnglish();
	const catalogues = await (await import('./all.ts')).all();
	const catalogue = Object.hasOwn(catalogues, language) ? catalogues[language] : undefined;
	return catalogue ? translation(language, catalogue) : inEnglish();
}

/** A sentence as people read it; the owner's words as they are. */
export function spoken({ say, apart }: Translation, says: Sentence | string): string {
	return typeof says === 'string' ? apart(says) : say(...says);
}

/** Every catalogue says the same with the same values, in the forms that its language has for numbers. */

import { expect, test } from 'bun:test';
import type { Catalogue, Key, Plural } from '../../src/languages/catalogue.ts';
import { catalogue as english } from '../../src/languages/catalogues/en.ts';
import { catalogues } from '../../src/languages/from-folder.ts';
import { LANGUAGES } from '../../src/languages/languages.ts';
import { createTranslation } from '../../src/languages/translation.ts';
import { inEnglish, translationOf } from '../../src/languages/translations.ts';

const ALL = Object.entries(await catalogues());
const KEYS = Object.keys(english) as Key[];
const textsOf = (entry: string | Plural) => (typeof entry === 'string' ? [entry] : Object.values(entry));
const placeholders = (text: string) => [...text.matchAll(/\{[^}]*\}/g)].map(([found]) => found).sort();
const expected = (key: Key) => placeholders(textsOf(english[key])[0] ?? '');

test('there are at least twelve languages', () => {
	const wanted = ['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt', 'tr', 'zh'];
	expect(LANGUAGES).toEqual(expect.arrayContaining(wanted));
});

for (const [language, catalogue] of ALL) {
	test(`${language} has every sentence, with the same placeholders`, () => {
		for (const key of KEYS) {
			for (const text of textsOf(catalogue[key])) {
				expect(text.trim()).not.toBe('');
				expect(text).toBe(text.normalize('NFC'));
				const found = placeholders(text).filter((name) => name !== '{count}');
				expect([key, found]).toEqual([key, expected(key).filter((name) => name !== '{count}')]);
			}
		}
	});

	test(`${language} has a form for every number`, () => {
		const rules = new Intl.PluralRules(language);
		const categories = [...rules.resolvedOptions().pluralCategories].sort();
		for (const key of KEYS) {
			const entry = catalogue[key];
			if (typeof entry !== 'string') expect([key, Object.keys(entry).sort()]).toEqual([key, categories]);
		}
	});
}

test('no two languages share their thanks, and a sentence is not left in English', () => {
	const titles = ALL.map(([, { thanksTitle }]) => thanksTitle);
	expect(new Set(titles).size).toBe(ALL.length);
	/** Names, and words that languages share. */
	const shared = new Set<string>(['JavaScript', 'Message', 'documents', '{title}: {form}', '{name} ({size})']);
	for (const [language, catalogue] of ALL) {
		if (language === 'en') continue;
		const same = KEYS.filter((key) => catalogue[key] === english[key] && !shared.has(english[key] as string));
		expect([language, same.filter((key) => key !== 'videos')]).toEqual([language, []]);
	}
});

test('numbers, sizes, days, moments and lists are written as the language does', async () => {
	const german = await translationOf('de');
	expect(german.say('tooLarge', { label: 'Preis', bound: 1234.5 })).toBe('„Preis“ darf höchstens 1.234,5 sein.');
	expect(german.say('fileSize', { name: 'a', size: { bytes: 1536 * 1024 } })).toContain('1,5 MiB');
	expect(german.say('tooEarly', { label: 'Tag', bound: { day: '2026-01-31' } })).toContain('31. Januar 2026');
	expect(german.show({ list: ['PDF', { says: ['pictures'] }] })).toBe('PDF und Bilder');
	expect((await translationOf('ja')).show({ at: new Date('2027-02-01T09:30:00Z'), timeZone: 'UTC' })).toContain(
		'2027年2月1日',
	);
	const english = inEnglish();
	expect(english.say('tooSmall', { label: 'x', bound: 0.1 })).toBe('“x” must be 0.1 or more.');
	expect(english.say('wait', { count: 1 })).toEndWith('in 1 second.');
	expect(english.say('tooLate', { label: 'x', bound: { day: '12345-01-31' } })).toContain('12345-01-31');
});

test('Polish and Arabic count by their own rules', async () => {
	const polish = await translationOf('pl');
	const words = [1, 2, 5, 22].map((count) => polish.say('wait', { count }).split(' ').at(-1));
	expect(words).toEqual(['sekundę.', 'sekundy.', 'sekund.', 'sekundy.']);
	const arabic = await translationOf('ar');
	expect(arabic.direction).toBe('rtl');
	expect(new Set([0, 1, 2, 3, 11, 100].map((count) => arabic.say('manyFiles', { count, name: 'a' }))).size).toBe(6);
	// A name from left to right stays by itself.
	expect(arabic.say('required', { label: 'E-mail (work)' })).toContain('\u2068E-mail (work)\u2069');
	const url = 'https://forms.example.com/f/a/confirm/b';
	expect(arabic.say('mailOpen', { url })).toEndWith(` ${url}`);
});

test('French punctuation stays on the line of its word', () => {
	const { fr } = Object.fromEntries(ALL);
	const texts = Object.values(fr as Catalogue).flatMap(textsOf);
	expect(texts.filter((text) => /« | [»:;?!]/.test(text))).toEqual([]);
	expect(texts.filter((text) => text.includes('«\u00a0{label}\u00a0»')).length).toBeGreaterThan(10);
});

test('a value is put in once, whatever it contains', () => {
	const says = createTranslation('en', english as Catalogue);
	expect(says.say('required', { label: '{label} $& {count}' })).toBe('Please fill in “{label} $& {count}”.');
	expect(says.say('required')).toBe('Please fill in “”.');
});

test('a language without a catalogue is English', async () => {
	for (const language of ['xx', 'constructor', '__proto__', '']) {
		expect((await translationOf(language)).language).toBe('en');
	}
});

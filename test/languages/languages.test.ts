/** Which language a visitor gets, whatever the header says. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { LANGUAGES, languageFor, preferredLanguage } from '../../src/languages/languages.ts';

describe('Accept-Language', () => {
	test.each([
		['de', 'de'],
		['de-AT', 'de'],
		['DE-at,en;q=0.9', 'de'],
		['xx, pl;q=0.3, en;q=0.2', 'pl'],
		['en;q=0.5, fr;q=0.9', 'fr'],
		['en;q=0.5,fr;q=0.5', 'en'],
		['zh-Hant-TW, ja;q=0.8', 'zh'],
		[' pt-BR ; q=0.7 , es ; q=0.6', 'pt'],
		['de;q=0, nl', 'nl'],
		['de;q=0', undefined],
		['*', undefined],
		['', undefined],
		[null, undefined],
		['de;q=2', undefined],
		['de_AT', undefined],
		['<script>, tr', 'tr'],
		['constructor, __proto__, it', 'it'],
		[`${'xx,'.repeat(19)}de`, 'de'],
		[`${'xx,'.repeat(30)}de`, undefined],
		[`${'x'.repeat(600)},de`, undefined],
	])('%p asks for %p', (header, language) => {
		expect(preferredLanguage(header)).toBe(language);
	});

	test('anything else is harmless', () => {
		fc.assert(
			fc.property(fc.string({ maxLength: 2000, unit: 'grapheme' }), (header) => {
				const language = preferredLanguage(header);
				return language === undefined || LANGUAGES.includes(language);
			}),
		);
		const started = performance.now();
		preferredLanguage(`${'de-'.repeat(100_000)};q=`);
		preferredLanguage(' '.repeat(1_000_000));
		expect(performance.now() - started).toBeLessThan(1000);
	});
});

test('a form with a language of its own speaks it to everyone', () => {
	const headers = new Headers({ 'Accept-Language': 'fr' });
	expect(languageFor({ language: 'de' }, { headers, fallback: 'en' })).toBe('de');
	expect(languageFor({ language: 'auto' }, { headers, fallback: 'en' })).toBe('fr');
	expect(languageFor({ language: 'auto' }, { headers: new Headers(), fallback: 'es' })).toBe('es');
});

/** Every sentence of every language in a real browser: readable by all, on narrow and wide screens, by day and by night. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser, Page as Tab } from 'playwright-core';
import { atOnce, createFieldCheck } from '../../../src/field-rules/check.ts';
import type { FieldRule } from '../../../src/field-rules/rules.ts';
import { FieldsRejected } from '../../../src/intake/checks/field-rules.ts';
import { correctionPage } from '../../../src/intake/pages/correction-page.ts';
import { helpPage } from '../../../src/intake/pages/help-page.ts';
import { type Page, renderPage } from '../../../src/intake/pages/page-frame.ts';
import { thankYouPage } from '../../../src/intake/pages/pages.ts';
import { inLanguage } from '../../../src/intake/spoken-error.ts';
import type { Key } from '../../../src/languages/catalogue.ts';
import { catalogue as english } from '../../../src/languages/catalogues/en.ts';
import { LANGUAGES } from '../../../src/languages/languages.ts';
import type { Translation, Value, Values } from '../../../src/languages/translation.ts';
import { translationOf } from '../../../src/languages/translations.ts';
import { html } from '../../../src/text/html.ts';
import { findAccessibilityFaults, openBrowser } from '../../browser.ts';

setDefaultTimeout(300_000);

/** A value for each placeholder, long enough to show what breaks. */
const VALUES: Values = {
	host: 'www.bakery.example',
	id: 'mwqbg3kelif-4',
	name: 'Lebenslauf (final) 2026.pdf',
	vendor: 'hCaptcha',
	label: 'E-mail (work)',
	bound: { day: '2026-01-31' },
	length: 12_345,
	field: '"e-mail"',
	size: { bytes: 1_572_864 },
	moment: { at: new Date('2027-02-01T09:30:00Z'), timeZone: 'Europe/Berlin' },
	types: { list: ['PDF', { says: ['pictures'] }] },
	reason: { says: ['droppedType'] },
	title: 'Title',
	form: 'Contact',
	file: 'a.pdf (1 KiB)',
	url: 'https://example.com',
	addresses: 'ada@example.com',
	address: 'ada@example.com',
} satisfies Record<string, Value>;

const RULES: FieldRule[] = [
	{ name: 'email', type: 'email', label: 'E-mail', required: true },
	{ name: 'age', type: 'number', min: 18 },
	{ name: 'day', type: 'date', max: '2026-01-31' },
	{ name: 'topic', type: 'select', options: ['Sales', 'Help'], required: true },
	{ name: 'terms', type: 'checkbox', required: true },
	{ name: 'note', type: 'text', minLength: 20, message: 'We would like to know more.' },
];
const SENT = { email: 'x', age: '7', day: '2027-01-01', topic: '', note: 'Hi' };

let browser: Browser;
beforeAll(async () => {
	browser = await openBrowser();
});
afterAll(() => browser.close());

const pagesIn = (translation: Translation): Page[] => {
	const { say } = translation;
	const lines = (Object.keys(english) as Key[]).flatMap((key) =>
		typeof english[key] === 'string'
			? [say(key, VALUES)]
			: [0, 1, 2, 3, 11, 100].map((count) => say(key, { ...VALUES, count })),
	);
	const fields = atOnce(createFieldCheck(RULES)({ values: SENT, files: new Set() }));
	const content = { data: JSON.stringify(SENT), special: { captchaTokens: {} } } as never;
	const rejected = inLanguage(new FieldsRejected(fields, content), translation);
	const correction = {
		...rejected,
		content,
		rules: RULES,
		next: undefined,
		targets: [],
		requestId: 'r1',
		backUrl: null,
	};
	const droppedFiles = [{ field: 'cv', name: 'a.exe', bytes: 1536, reason: 'FILE_TYPE_NOT_ALLOWED' }] as const;
	const pages = { thanks: null, accent: '#1d4ed8' };
	return [
		renderPage({
			translation,
			status: 200,
			title: say('thanksTitle'),
			mark: 'letter',
			body: html`${lines.map((line) => html`<p>${line}</p>`)}`,
		}),
		thankYouPage(translation, { backUrl: 'https://www.bakery.example/', droppedFiles, moreDroppedFiles: 3, pages }),
		correctionPage(translation, correction),
		helpPage(translation, {
			endpoint: 'https://forms.bakery.example/f/contact',
			captcha: 'hcaptcha',
			honeypot: '_gotcha',
		}),
	];
};

async function facts(tab: Tab) {
	return tab.evaluate(() => ({
		isTooWide: document.documentElement.scrollWidth > innerWidth,
		language: document.documentElement.lang,
		direction: getComputedStyle(document.querySelector('h1') as Element).direction,
		text: document.body.textContent,
	}));
}

for (const language of LANGUAGES) {
	test(`${language} is shown whole, and axe finds nothing`, async () => {
		const translation = await translationOf(language);
		const pages = pagesIn(translation);
		for (const [colorScheme, width] of [
			['light', 320],
			['dark', 1280],
		] as const) {
			const tab = await browser.newPage({ colorScheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' });
			for (const [at, page] of pages.entries()) {
				await tab.setContent(page.html);
				const { text, ...shown } = await facts(tab);
				expect([at, shown]).toEqual([at, { isTooWide: false, language, direction: translation.direction }]);
				expect(text).not.toMatch(/\{[a-z]+\}/);
				// The colours of day and night are the same in all languages.
				if (width === 320 || language === 'ar') expect(await findAccessibilityFaults(tab)).toEqual([]);
				if (process.env.SCREENSHOTS)
					await tab.screenshot({
						path: `${process.env.SCREENSHOTS}/${language}-${at}-${colorScheme}.png`,
						fullPage: true,
					});
			}
			await tab.close();
		}
	});
}

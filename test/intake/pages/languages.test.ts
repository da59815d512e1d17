/** Every sentence of every language in a real browser: readable by all, on narrow and wide screens, by day and by night. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser, Page as Tab } from 'playwright-core';
import { ERROR_CODES, type ErrorCode, type FieldError } from '../../../src/errors.ts';
import { atOnce, createFieldCheck, notUnique } from '../../../src/field-rules/check.ts';
import type { FieldRule } from '../../../src/field-rules/rules.ts';
import { FieldsRejected, unknownField } from '../../../src/intake/checks/field-rules.ts';
import { correctionPage } from '../../../src/intake/pages/correction-page.ts';
import { helpPage } from '../../../src/intake/pages/help-page.ts';
import { CONFIRM_PAGES, linkPage, STOP, STOPPED } from '../../../src/intake/pages/link-page.ts';
import { type Page, renderPage } from '../../../src/intake/pages/page-frame.ts';
import { errorPage, smallPage, thankYouPage, titleOf } from '../../../src/intake/pages/pages.ts';
import { inLanguage } from '../../../src/intake/spoken-error.ts';
import type { Key } from '../../../src/languages/catalogue.ts';
import { catalogue as english } from '../../../src/languages/catalogues/en.ts';
import { LANGUAGES } from '../../../src/languages/languages.ts';
import type { SentenceValues, Translation, Value } from '../../../src/languages/translation.ts';
import { translationOf } from '../../../src/languages/translations.ts';
import { html } from '../../../src/text/html.ts';
import { findAccessibilityFaults, openBrowser } from '../../browser.ts';

setDefaultTimeout(300_000);

/** A value for each placeholder, long enough to show what breaks. */
const VALUES: SentenceValues = {
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

/** A rule for each fault that visitors can correct, and the value that has it. */
const FAULTS: [rule: Omit<FieldRule, 'name'>, value: unknown, code: string][] = [
	[{ type: 'text', required: true, label: 'Your name' }, '', 'REQUIRED'],
	[{ type: 'file', required: true }, undefined, 'REQUIRED'],
	[{ type: 'select', required: true, options: ['Sales', 'Help'] }, '', 'REQUIRED'],
	[{ type: 'checkbox', required: true }, undefined, 'REQUIRED'],
	[{ type: 'email', label: 'E-mail' }, 'x', 'INVALID_EMAIL'],
	[{ type: 'url' }, 'x', 'INVALID_URL'],
	[{ type: 'number' }, 'x', 'INVALID_NUMBER'],
	[{ type: 'date' }, 'x', 'INVALID_DATE'],
	[{ type: 'select', options: ['Sales', 'Help'] }, 'x', 'NOT_AN_OPTION'],
	[{ type: 'number', min: 18.5 }, '7', 'TOO_SMALL'],
	[{ type: 'number', max: 120_000 }, '999999', 'TOO_LARGE'],
	[{ type: 'date', min: '2026-01-31' }, '2025-01-01', 'TOO_SMALL'],
	[{ type: 'date', max: '2026-01-31' }, '2027-01-01', 'TOO_LARGE'],
	[{ type: 'text', minLength: 20 }, 'Hi', 'TOO_SHORT'],
	[{ type: 'text', maxLength: 5 }, 'More than that', 'TOO_LONG'],
	[{ type: 'text', pattern: '\\d{5}' }, 'x', 'PATTERN_MISMATCH'],
	[{ type: 'text', message: 'We would like to know more.', minLength: 20 }, 'Hi', 'TOO_SHORT'],
];
const RULES = FAULTS.map(([rule], i): FieldRule => ({ name: `field${i}`, ...rule }));
const TAKEN: FieldRule = { name: 'taken', type: 'text', unique: true };
const SENT = { ...Object.fromEntries(FAULTS.map(([, value], i) => [`field${i}`, value])), taken: 'A-17' };

let browser: Browser;
beforeAll(async () => {
	browser = await openBrowser();
});
afterAll(() => browser.close());

const REQUEST = { requestId: 'r1', backUrl: 'https://www.bakery.example/contact' };

/** The page for a submission with these faults. */
function correctionOf(translation: Translation, fields: FieldError[]): Page {
	const content = { data: JSON.stringify(SENT), special: { captchaTokens: {} } } as never;
	const rejected = inLanguage(new FieldsRejected(fields, content), translation);
	return correctionPage(translation, {
		...REQUEST,
		...rejected,
		content,
		rules: [...RULES, TAKEN],
		next: undefined,
	});
}

const pagesIn = (translation: Translation): Record<string, Page> => {
	const { say } = translation;
	const lines = (Object.keys(english) as Key[]).flatMap((key) =>
		typeof english[key] === 'string'
			? [say(key, VALUES)]
			: [0, 1, 2, 3, 11, 100].map((count) => say(key, { ...VALUES, count })),
	);
	const faults = atOnce(createFieldCheck(RULES)({ values: SENT, files: new Set() }));
	expect(faults.map(({ code }) => code)).toEqual(FAULTS.map(([, , code]) => code));
	const unknown = unknownField('telefono');
	const droppedFiles = [{ field: 'cv', name: 'a.exe', bytes: 1536, reason: 'FILE_TYPE_NOT_ALLOWED' }] as const;
	const pages = { thanks: null, accent: '#1d4ed8' };
	return {
		sentences: renderPage({
			translation,
			status: 200,
			title: say('thanksTitle'),
			mark: 'letter',
			body: html`${lines.map((line) => html`<p>${line}</p>`)}`,
		}),
		thanks: thankYouPage(translation, { ...REQUEST, droppedFiles, moreDroppedFiles: 3, pages }),
		'thanks-to-confirm': thankYouPage(translation, { ...REQUEST, isPending: true }),
		correction: correctionOf(translation, [...faults, notUnique(TAKEN)]),
		'correction-there': correctionOf(translation, [...faults, unknown]),
		help: helpPage(translation, {
			endpoint: 'https://forms.bakery.example/f/contact',
			captcha: 'hcaptcha',
			honeypot: '_gotcha',
		}),
		confirm: linkPage(translation, { ...CONFIRM_PAGES.waiting, accent: pages.accent }),
		full: errorOf(translation, 'FORM_FULL', say('full')),
	};
};

const errorOf = (translation: Translation, code: ErrorCode, message: string) =>
	errorPage(translation, { ...REQUEST, status: 400, code, message, fields: [], isOwners: false });

/** Others, whose elements are those of the pages above. */
const morePagesIn = (translation: Translation): Page[] => [
	...ERROR_CODES.map((code) => errorOf(translation, code, titleOf(translation, code))),
	...[400, 404, 405, 429, 500, 503].map((status) => smallPage(translation, { status, requestId: 'r1' })),
	...[STOP, STOPPED, ...Object.values(CONFIRM_PAGES)].map((page) => linkPage(translation, page)),
];

async function facts(tab: Tab) {
	return tab.evaluate(() => ({
		isTooWide: document.documentElement.scrollWidth > innerWidth,
		language: document.documentElement.lang,
		direction: getComputedStyle(document.querySelector('h1') as Element).direction,
		isFooterAside: [...document.querySelectorAll('footer')].some(
			(footer) => getComputedStyle(footer).textAlign === (document.dir === 'rtl' ? 'start' : 'right'),
		),
		text: document.body.textContent,
	}));
}

const WIDTHS = [320, 1280] as const;
const SCHEMES = ['light', 'dark'] as const;

for (const language of LANGUAGES) {
	test(`${language} is shown whole, and axe finds nothing`, async () => {
		const translation = await translationOf(language);
		const { direction } = translation;
		const tab = await browser.newPage({ reducedMotion: 'reduce' });
		const widths = WIDTHS.map((width) => ({ width, height: 800 }));
		for (const [name, page] of Object.entries(pagesIn(translation))) {
			await tab.setContent(page.html);
			for (const size of widths) {
				await tab.setViewportSize(size);
				const { text, ...shown } = await facts(tab);
				expect([name, shown]).toEqual([name, { isTooWide: false, isFooterAside: false, language, direction }]);
				expect(text).not.toMatch(/\{[a-z]+\}/);
				for (const colorScheme of SCHEMES) {
					await tab.emulateMedia({ colorScheme });
					// The colours of day and night are the same in all languages, and the order of elements at all widths.
					const isTried = (colorScheme === 'light' && size.width === 320) || language === 'ar';
					if (isTried) expect([name, await findAccessibilityFaults(tab)]).toEqual([name, []]);
					// The packaged browser lacks Chinese and Japanese letters; those of the machine count too.
					if (process.env.SCREENSHOTS)
						await tab.screenshot({
							path: `${process.env.SCREENSHOTS}/${language}-${name}-${colorScheme}-${size.width}.png`,
							fullPage: true,
						});
				}
			}
		}
		for (const size of widths) {
			await tab.setViewportSize(size);
			for (const page of morePagesIn(translation)) {
				await tab.setContent(page.html);
				const { text, ...shown } = await facts(tab);
				expect([text, shown]).toEqual([text, { isTooWide: false, isFooterAside: false, language, direction }]);
			}
		}
		await tab.close();
	});
}

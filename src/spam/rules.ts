/**
 * Every rule of the spam score once: its name and words for people, from which the API, the dashboard, mails and docs follow.
 * Pure, for browsers too.
 */

interface RuleWords {
	/** A few words in lists. */
	label: string;
	/** A sentence on what it means, for people who know nothing of spam filters. */
	meaning: string;
	/** It makes a submission spam by itself, whatever the threshold: the spam reason is its name, or that and the detail. */
	verdict?: 'name' | 'detail';
}

export const RULES = {
	honeypot: {
		label: 'Honeypot',
		meaning: 'A hidden field was filled in. People do not see it, bots do.',
		verdict: 'name',
	},
	'captcha-score': {
		label: 'Captcha score',
		meaning: 'The captcha took the sender for a bot.',
		verdict: 'detail',
	},
	'captcha-unavailable': {
		label: 'Captcha unavailable',
		meaning: 'The captcha could not be checked, so the submission was set aside instead of being lost.',
		verdict: 'detail',
	},
	block: {
		label: 'Block list',
		meaning: 'It matches an entry of a block list, of this form or of all forms.',
		verdict: 'detail',
	},
	allow: {
		label: 'Allow list',
		meaning:
			'It matches an entry of an allow list, of this form or of all forms, so that no other rule counts but the honeypot.',
	},
	words: {
		label: 'Words of advertising',
		meaning: 'It has words that spam has far more often than genuine messages, or phrases of unsolicited offers.',
	},
	links: {
		label: 'Links',
		meaning: 'It has links to other websites.',
	},
	'link-host': {
		label: 'Where a link leads',
		meaning:
			'A link leads to a bare address, through a service that hides its target, or to a very cheap top-level domain.',
	},
	markup: {
		label: 'Markup for links',
		meaning: 'It has links in the markup of websites or forums, as programs post them and people do not.',
	},
	capitals: {
		label: 'Capitals',
		meaning: 'More than 30 of 100 letters are capitals.',
	},
	exclamations: {
		label: 'Exclamation marks',
		meaning: 'It has four exclamation marks or more.',
	},
	amounts: {
		label: 'Sums of money',
		meaning: 'It names sums of money.',
	},
	number: {
		label: 'Telephone number',
		meaning:
			'The longest of its texts has a telephone number among at least eight words, other than one to call the sender at.',
	},
	'mixed-scripts': {
		label: 'Mixed scripts',
		meaning: 'A word has letters of two scripts that look alike, which hides it from filters.',
	},
	'other-script': {
		label: 'Unusual script',
		meaning: 'It is written in a script that fewer than 5 of 100 messages of this form have, after the first 30.',
	},
	repeated: {
		label: 'Repeated text',
		meaning: 'The same text of ten words or more, or nearly the same, was sent before within a day.',
	},
	haste: {
		label: 'Haste',
		meaning:
			'It was sent within moments after the page had loaded. Only /formsrv.js knows; without it there are no points.',
	},
	'disposable-mail': {
		label: 'Disposable mail address',
		meaning: 'A mail address in it belongs to a service for disposable addresses.',
	},
	flood: {
		label: 'Flood',
		meaning:
			'The form got more submissions in a minute than its limit allows, so this one was set aside instead of being lost.',
		verdict: 'name',
	},
	'words-form': {
		label: 'Words in this form',
		meaning: 'The words are like those of submissions of this form that you marked as spam, or as genuine.',
	},
	'words-server': {
		label: 'Words in all forms',
		meaning: 'The words are like those of submissions of any form that you marked as spam, or as genuine.',
	},
} as const satisfies Record<string, RuleWords>;

export type RuleName = keyof typeof RULES;

/** In the table of the docs: the points of each, or from how many to how many. Apart, so that no browser fetches them. */
export const POINTS: Record<RuleName, string> = {
	honeypot: '+10',
	'captcha-score': '+10',
	'captcha-unavailable': '+10',
	block: '+10',
	allow: '−20',
	words:
		'+0.5 to +2 for each word, pair of words or phrase of an offer, the strongest 15; divided by the hundreds of words of a longer text; at most +6',
	links:
		'+0.5 for each, divided by the hundreds of words of a longer text; at most +2.5; none for the allowed domains of the form',
	'link-host': '+1.5',
	markup: '+4.5 among fewer than 20 words; else +2.5, divided by the hundreds of words of a longer text',
	capitals: '+1',
	exclamations: '+0.5',
	amounts: '+0.5 for each, divided by the hundreds of words of a longer text; at most +1.5',
	number: '+1',
	'mixed-scripts': '+2',
	'other-script': '+1.5',
	repeated: '+1 for each time before, at most +2, and never the whole threshold',
	haste: '+2 within two seconds, +1 within four',
	'disposable-mail': '+2',
	flood: '+10',
	'words-form': '−3 to +3',
	'words-server': '−3 to +3',
};

/** By any name, also one that a later version stored. */
export function ruleOf(name: string): RuleWords | undefined {
	return Object.hasOwn(RULES, name) ? RULES[name as RuleName] : undefined;
}

/**
 * Every rule of the spam score once: its name and words for people, from which the API, the dashboard, mails and docs follow.
 * Pure, for browsers too.
 */

interface Rule {
	/** A few words in lists. */
	label: string;
	/** A sentence on what it means, for people who know nothing of spam filters. */
	meaning: string;
	/** In the table of the docs: the points, or from how many to how many. */
	points: string;
	/** Of a decisive rule, which makes a submission spam by itself, whatever the threshold: the spam reason in a few words. */
	verdict?: (detail: string) => string;
}

export const RULES = {
	honeypot: {
		label: 'Honeypot',
		meaning: 'A hidden field was filled in. People do not see it, robots do.',
		points: '+10',
		verdict: () => 'honeypot',
	},
	'captcha-score': {
		label: 'Captcha score',
		meaning: 'The captcha took the sender for a robot.',
		points: '+10',
		verdict: (detail) => `captcha-score: ${detail}`,
	},
	'captcha-unavailable': {
		label: 'Captcha unavailable',
		meaning: 'The captcha could not be checked, so the submission was set aside instead of being lost.',
		points: '+10',
		verdict: (detail) => `captcha-unavailable: ${detail}`,
	},
	flood: {
		label: 'Flood',
		meaning: 'The form got more submissions in a minute than it may, so this one was set aside instead of being lost.',
		points: '+10',
		verdict: () => 'flood',
	},
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof RULES;

/** By any name, also one that a later version stored. */
export function ruleOf(name: string): Rule | undefined {
	return Object.hasOwn(RULES, name) ? RULES[name as RuleName] : undefined;
}

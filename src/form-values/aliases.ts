/**
 * The control fields of other form services, and what each does here in a form that has the service among its `aliases`: the one
 * record, from which the table of docs/migrating.md follows (`bun run tables`). Pure, for browsers too.
 */

import { SPECIAL_NAMES, type SpecialRole } from './special-names.ts';

interface Service {
	label: string;
	fields: Readonly<Record<string, SpecialRole>>;
	/** Members of the JSON response to a success that the documented scripts of its pages read, besides `success` and `message`. */
	success?: Readonly<Record<string, unknown>>;
}

/** Pages for these services ask visitors for their address under the name `_replyto`, so it is stored. */
const NATIVE = { _next: 'next', _subject: 'subject', _replyto: 'keptReplyTo', _gotcha: 'honeypot' } as const;

export const ALIASES = {
	formspree: {
		label: 'Formspree',
		fields: { ...NATIVE, subject: 'keptSubject', _cc: 'dropped', _format: 'dropped', _language: 'dropped' },
	},
	formsubmit: {
		label: 'FormSubmit',
		fields: {
			_next: 'next',
			_subject: 'subject',
			_replyto: 'keptReplyTo',
			_honey: 'honeypot',
			_cc: 'dropped',
			_blacklist: 'dropped',
			_captcha: 'dropped',
			_autoresponse: 'dropped',
			_template: 'dropped',
			_webhook: 'dropped',
			_url: 'dropped',
		},
	},
	web3forms: {
		label: 'Web3Forms',
		fields: {
			redirect: 'next',
			subject: 'keptSubject',
			replyto: 'keptReplyTo',
			botcheck: 'honeypotBox',
			recaptcha_response: 'recaptcha',
			access_key: 'dropped',
			apikey: 'dropped',
			from_name: 'dropped',
			ccemail: 'dropped',
			webhook: 'dropped',
		},
	},
	netlify: {
		label: 'Netlify Forms',
		fields: { 'bot-field': 'honeypot', subject: 'keptSubject', 'form-name': 'dropped' },
	},
	basin: {
		label: 'Basin',
		fields: { ...NATIVE, _redirect: 'next', _honeypot: 'honeypot', _captcha: 'dropped', _cc: 'dropped' },
	},
	formcarry: {
		label: 'Formcarry',
		fields: { ...NATIVE, _redirect: 'next', _cc: 'dropped' },
		success: { code: 200, status: 'success' },
	},
	getform: {
		label: 'Getform',
		fields: { ...NATIVE, _redirect: 'next', _cc: 'dropped' },
	},
} as const satisfies Record<string, Service>;

export type AliasName = keyof typeof ALIASES;
export const ALIAS_NAMES = Object.keys(ALIASES) as AliasName[];

/** The special fields of a form: what each name stands for. Names are compared exactly. */
export type SpecialNames = ReadonlyMap<string, SpecialRole>;

export function specialNamesWith(honeypots: readonly string[], aliases: readonly AliasName[] = []): SpecialNames {
	return new Map([...SPECIAL_NAMES, ...aliasRoles(aliases), ...honeypots.map((name) => [name, 'honeypot'] as const)]);
}

/** Returns whether a field is stored. @param role Absent for an ordinary one. */
export function isStored(role: SpecialRole | undefined): boolean {
	return role === undefined || role === 'keptSubject' || role === 'keptReplyTo';
}

/** The roles of the names of some services. */
function aliasRoles(aliases: readonly AliasName[]): [string, SpecialRole][] {
	return aliases.flatMap((name) => Object.entries<SpecialRole>(ALIASES[name].fields));
}

/** The members that some services add to the JSON response to a success. */
export function aliasSuccess(aliases: readonly AliasName[]): Record<string, unknown> {
	return Object.assign({}, ...aliases.map((name) => (ALIASES[name] as Service).success));
}

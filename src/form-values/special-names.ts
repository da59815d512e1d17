/** The names of special fields, and what each stands for. */

import { CAPTCHA_NAMES, CAPTCHAS, type Captcha } from './captchas.ts';

/**
 * Some roles, which only other services have, are special: the value is stored too (`kept…`), or `false`, also as a text, fills nothing in (`honeypotBox`), or
 * nothing is done (`dropped`); see `aliases.ts`.
 */
export type SpecialRole =
	| 'next'
	| 'subject'
	| 'keptSubject'
	| 'replyTo'
	| 'keptReplyTo'
	| 'honeypot'
	| 'honeypotBox'
	| 'dropped'
	| 'stamp'
	| 'page'
	| Captcha;

/** Those of every form, besides the honeypots that it names. */
export const SPECIAL_NAMES: ReadonlyMap<string, SpecialRole> = new Map<string, SpecialRole>([
	['_next', 'next'],
	['_subject', 'subject'],
	['_replyto', 'replyTo'],
	// Sent by `formsrv.js`.
	['_formsrv_stamp', 'stamp'],
	// Sent by the page on which visitors correct fields.
	['_formsrv_page', 'page'],
	...CAPTCHA_NAMES.map((name) => [CAPTCHAS[name].field, name] as const),
]);

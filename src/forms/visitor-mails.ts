/** Pure: the settings of mails to visitors, held against the other settings of their form. */

import { invalidField } from '../errors.ts';
import { type FieldType, isClosed } from '../field-rules/rules.ts';
import { isStored, specialNamesWith } from '../form-values/aliases.ts';
import { DEFAULT_SPAM_SETTINGS } from '../form-values/spam-settings.ts';
import type { VisitorMail } from '../form-values/visitor-mails.ts';
import { placeholdersIn } from '../text/placeholders.ts';
import type { FormSettings } from './settings.ts';

const FORM_NAME = 'form.name';
const CODES = { confirm: 'INVALID_CONFIRMATION', autoresponder: 'INVALID_AUTORESPONDER' } as const;

/** Types of rules by which no value is an address. */
const NO_ADDRESS: ReadonlySet<FieldType> = new Set(['file', 'number', 'date']);

type Settings = Partial<FormSettings>;

/**
 * @param before Its settings before a change. A field without an address that they have already stays until it is mended.
 * @throws AppError VALIDATION_ERROR if robots could have mails sent, or words of their own in them, or no submission could have the address
 */
export function checkVisitorMails(settings: Settings, before: Settings = {}): void {
	const { autoresponder, confirm, captcha, fields } = settings;
	for (const name of ['confirm', 'autoresponder'] as const) {
		const problem = fieldProblem(name, settings);
		if (problem !== undefined && problem !== fieldProblem(name, before))
			throw invalidField(`${name}.field`, CODES[name], `${name}.field ${problem}`);
	}
	if (confirm) {
		checkPlaceholders(confirm, {
			name: 'confirm',
			known: [FORM_NAME],
			rest: 'the only placeholder is {{form.name}}, because the mail goes to an address that is not confirmed yet.',
		});
	}
	if (!autoresponder) return;
	if (!captcha && confirm?.field !== autoresponder.field) {
		throw invalidField(
			'autoresponder',
			'NEEDS_CAPTCHA',
			'autoresponder needs a captcha, or confirm with the same field: without one, robots could have this form send mails to anyone. Set captcha or confirm, or set autoresponder to null.',
		);
	}
	checkPlaceholders(autoresponder, {
		name: 'autoresponder',
		known: [FORM_NAME, ...(fields ?? []).filter(isClosed).map(({ name }) => name)],
		rest: 'a placeholder stands for a field whose rule is a select with options, a number or a date, or is {{form.name}}. Anything else could carry the words of a robot to others.',
	});
}

/** Returns why no submission could have the address in the field of a mail, and what would be right. */
function fieldProblem(name: keyof typeof CODES, settings: Settings): string | undefined {
	const field = settings[name]?.field;
	if (field === undefined) return undefined;
	const { fields, unknownFields = 'keep', spam, aliases } = settings;
	if (!isStored(specialNamesWith(spam?.honeypot ?? DEFAULT_SPAM_SETTINGS.honeypot, aliases).get(field)))
		return `must not be ${field}: that is a special field, which is not stored. Take one such as email.`;
	const rule = fields?.find((one) => one.name === field);
	if (rule && NO_ADDRESS.has(rule.type))
		return `must not be ${field}: its rule in fields has the type "${rule.type}", and a ${rule.type} is no address. Take a field such as email, or give the rule the type "email".`;
	if (!fields || unknownFields === 'keep' || rule) return undefined;
	return `is ${field}, which has no rule in fields, and with unknownFields "${unknownFields}" no submission could have it. Add a rule for it, or set unknownFields to "keep".`;
}

interface Placeholders {
	/** That of the setting. */
	name: string;
	known: readonly string[];
	/** The end of the sentence about another one. */
	rest: string;
}

function checkPlaceholders(mail: VisitorMail, { name, known, rest }: Placeholders): void {
	for (const member of ['subject', 'text'] as const) {
		const open = placeholdersIn(mail[member] ?? '').find((placeholder) => !known.includes(placeholder));
		if (open === undefined) continue;
		throw invalidField(
			`${name}.${member}`,
			'INVALID_PLACEHOLDER',
			`${name}.${member} must not have {{${open}}}: ${rest}`,
		);
	}
}

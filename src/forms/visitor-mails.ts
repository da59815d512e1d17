/** Pure: the settings of mails to visitors, held against the other settings of their form. */

import { invalidField } from '../errors.ts';
import { isClosed } from '../field-rules/rules.ts';
import { placeholdersIn } from '../text/placeholders.ts';
import type { FormSettings } from './settings.ts';

/** @throws AppError VALIDATION_ERROR if robots could have mails sent, or words of their own in them */
export function checkVisitorMails({ autoresponder, captcha, fields }: Partial<FormSettings>): void {
	if (!autoresponder) return;
	if (!captcha) {
		throw invalidField(
			'autoresponder',
			'NEEDS_CAPTCHA',
			'autoresponder needs a captcha: without one, robots could have this form send mails to anyone. Set captcha, or set autoresponder to null.',
		);
	}
	const known = new Set(['form.name', ...(fields ?? []).filter(isClosed).map(({ name }) => name)]);
	for (const member of ['subject', 'text'] as const) {
		const open = placeholdersIn(autoresponder[member] ?? '').find((name) => !known.has(name));
		if (open === undefined) continue;
		throw invalidField(
			`autoresponder.${member}`,
			'INVALID_PLACEHOLDER',
			`autoresponder.${member} must not have {{${open}}}: a placeholder stands for a field whose rule is a select with options, a number or a date, or is {{form.name}}. Anything else could carry the words of a robot to others.`,
		);
	}
}

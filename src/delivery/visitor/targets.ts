/** Pure: where the mails to the visitor of a submission go. On the hot path of submissions. */

import { addressIn } from '../../form-values/visitor-mails.ts';
import type { FormRow } from '../../storage/tables.ts';
import { MINUTE_MS } from '../../tasks/durations.ts';
import type { About, Target } from '../channel.ts';
import { CONFIRMATION_ASKED, SUBMISSION_CREATED } from '../events.ts';

export function visitorTargets(
	{ autoresponder, confirm }: FormRow,
	{ event, data, language: spoken, isConfirmed }: About,
): readonly Target[] {
	const language = spoken ?? null;
	// Spam that turns out to be genuine was never confirmed.
	const mayRespond = confirm === null || isConfirmed;
	if (event === SUBMISSION_CREATED && autoresponder !== null && mayRespond) {
		const to = addressIn(data, autoresponder.field);
		const delayMs = autoresponder.delayMinutes * MINUTE_MS;
		return to === undefined ? [] : [{ destination: to, language, delayMs }];
	}
	if (event === CONFIRMATION_ASKED && confirm !== null) {
		const to = addressIn(data, confirm.field);
		return to === undefined ? [] : [{ destination: to, language }];
	}
	return [];
}

/** Pure: where the mails to the visitor of a submission go. On the hot path of submissions. */

import { addressIn } from '../../form-values/visitor-mails.ts';
import type { FormRow } from '../../storage/tables.ts';
import { MINUTE_MS } from '../../tasks/durations.ts';
import type { About, Target } from '../channel.ts';
import { SUBMISSION_CREATED } from '../events.ts';

const NOWHERE: readonly Target[] = [];

export function visitorTargets({ autoresponder }: FormRow, { event, data, language }: About): readonly Target[] {
	const mail = event === SUBMISSION_CREATED ? autoresponder : null;
	const to = mail ? addressIn(data, mail.field) : undefined;
	if (!mail || to === undefined) return NOWHERE;
	return [{ destination: to, language: language ?? null, delayMs: mail.delayMinutes * MINUTE_MS }];
}

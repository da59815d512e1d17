/** Judges a submission by all rules. On the hot path: synchronous, and next to nothing for a plain message. */

import type { RateLimiter } from '../http/rate-limit.ts';
import type { FormRow } from '../storage/tables.ts';
import { decisive, type SpamReason, verdictOf } from './verdict.ts';

/** What is known of a submission when it is judged. */
export interface Sent {
	form: FormRow;
	/** The JSON text to store. */
	data: string;
	/** The address that the sender asked to reply to. */
	replyTo?: string | undefined;
	clientAddress: string;
	/** Whether a server sent it, with a key that may submit. */
	hasKey: boolean;
	honeypotFilled: boolean;
	/** What the captcha had against it. */
	captcha: SpamReason | null;
}

/** A rule that judges what was sent. `null`: it has nothing to say. */
export type Rule = (sent: Sent) => SpamReason | null;

export type Judge = ReturnType<typeof createJudge>;

export interface JudgeOptions {
	rules: readonly Rule[];
	/** Of all networks to one form: what comes beyond it is spam. */
	formRate: Pick<RateLimiter, 'isOver'>;
}

const HONEYPOT = decisive('honeypot', 'A hidden field was filled in.');
const FLOOD = decisive('flood', 'The form got more submissions than it may in a minute.');

export function createJudge({ rules, formRate }: JudgeOptions) {
	/** The reasons for which it may be spam, in the order of the rules; `null` if there are none, which is the usual case. */
	return (sent: Sent): SpamReason[] | null => {
		// A robot: what it wrote is of no interest.
		if (sent.honeypotFilled) return [HONEYPOT];
		let reasons = sent.captcha ? [sent.captcha] : null;
		for (const rule of rules) {
			const reason = rule(sent);
			if (!reason) continue;
			reasons ??= [];
			reasons.push(reason);
		}
		// What is spam anyway does not count towards a flood.
		const { form, hasKey } = sent;
		const isSpam = reasons !== null && verdictOf(reasons, form.spam.threshold) !== null;
		return isSpam || hasKey || !formRate.isOver(form.id) ? reasons : [...(reasons ?? []), FLOOD];
	};
}

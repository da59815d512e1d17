/** Judges a submission by all rules. On the hot path: synchronous, and next to nothing for a plain message. */

import type { RateLimiter } from '../http/rate-limit.ts';
import type { FormRow } from '../storage/tables.ts';
import { createQuickLook } from './quick-look.ts';
import type { Stamps } from './sender/stamps.ts';
import { judgeEmphasis } from './text/emphasis.ts';
import { judgeLinks } from './text/links.ts';
import { readMessage } from './text/message.ts';
import { createRecentTexts } from './text/recent-texts.ts';
import { createScriptHistory, judgeScripts, scriptOf } from './text/scripts.ts';
import { judgeWords } from './text/words.ts';
import { decisive, type SpamReason, verdictOf } from './verdict.ts';

/** What is known of a submission when it is judged. */
export interface Sent {
	form: FormRow;
	/** The JSON text to store. */
	data: string;
	/** The address that the sender asked to reply to. */
	replyTo?: string | undefined;
	/** When the form was loaded; see `sender/stamps.ts`. */
	stamp?: string | undefined;
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
	/** Rules that stand by themselves. */
	rules: readonly Rule[];
	stamps: Pick<Stamps, 'judge'>;
	/** The domain of a disposable mail address in the data. */
	judgeMail: (data: string) => SpamReason | null;
	/** Of all networks to one form: what comes beyond it is spam. */
	formRate: Pick<RateLimiter, 'isOver'>;
	now?: () => number;
}

const HONEYPOT = decisive('honeypot', 'A hidden field was filled in.');
const FLOOD = decisive('flood', 'The form got more submissions than it may in a minute.');
/** What a repeated text leaves of the threshold. */
const LEFT = 0.1;

export function createJudge({ rules, stamps, judgeMail, formRate, now = Date.now }: JudgeOptions) {
	const recent = createRecentTexts(now);
	const look = createQuickLook(recent);
	const history = createScriptHistory();

	/** What the rules of the text have to say, and its script. */
	function readText({ form, data }: Sent, isRepeated: boolean): { reasons: SpamReason[]; script: string } {
		const message = readMessage(data);
		const { threshold } = form.spam;
		const most = threshold === null ? Number.POSITIVE_INFINITY : Math.round((threshold - LEFT) * 10) / 10;
		const found = [
			judgeWords(message),
			...judgeLinks(message, form),
			...judgeEmphasis(message),
			...judgeScripts(message, { formId: form.id, history }),
			recent.judge(message, { isRepeated, most }),
		];
		return { reasons: found.filter((reason) => reason !== null), script: scriptOf(message).script };
	}

	/** The reasons for which it may be spam, in the order of the rules; `null` if there are none, which is the usual case. */
	return (sent: Sent): SpamReason[] | null => {
		// A robot: what it wrote is of no interest.
		if (sent.honeypotFilled) return [HONEYPOT];
		const { form, data, hasKey } = sent;
		let reasons: SpamReason[] | null = sent.captcha ? [sent.captcha] : null;
		const add = (reason: SpamReason | null) => {
			if (!reason) return;
			reasons ??= [];
			reasons.push(reason);
		};
		add(judgeMail(data));
		if (!hasKey) add(stamps.judge(sent.stamp, form.id));
		const { isWorthIt, isRepeated } = look(data);
		let script = 'Latin';
		if (isWorthIt) {
			const text = readText(sent, isRepeated);
			script = text.script;
			for (const reason of text.reasons) add(reason);
		}
		for (const rule of rules) add(rule(sent));
		// What is spam anyway does not count towards a flood.
		if (reasons !== null && verdictOf(reasons, form.spam.threshold) !== null) return reasons;
		history.count(form.id, script);
		if (!hasKey && formRate.isOver(form.id)) add(FLOOD);
		return reasons;
	};
}

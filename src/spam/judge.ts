/** Judges a submission by all rules. On the hot path: synchronous, and very cheap for a plain message. */

import type { RateLimiter } from '../http/rate-limit.ts';
import type { FormRow } from '../storage/tables.ts';
import { lazy } from '../tasks/lazy.ts';
import type { Matchers, SpamLists } from './lists/lists.ts';
import { mayHaveSigns } from './quick-look.ts';
import { createRecentData, type Reading } from './recent-data.ts';
import type { LoadTimeTokens } from './sender/load-time-tokens.ts';
import { judgeEmphasis } from './text/emphasis.ts';
import { judgeLinks } from './text/links.ts';
import { Message } from './text/message.ts';
import { createRecentTexts, judgeRepetition } from './text/recent-texts.ts';
import { createScriptHistory, judgeScripts, scriptOf } from './text/scripts.ts';
import { judgeWords } from './text/words.ts';
import { allowed, decisive, type SpamReason, verdictOf } from './verdict.ts';

/** The known facts of a submission when it is judged. */
export interface Sent {
	form: FormRow;
	/** The JSON text to store, without the names of files. */
	data: string;
	/** The address that the sender asked to reply to. */
	replyTo: string | undefined;
	/** When the form was loaded; see `sender/load-time-tokens.ts`. */
	stamp?: string | undefined;
	clientAddress: string;
	/** True if a server sent it, with a key that may submit. */
	hasKey: boolean;
	honeypotFilled: boolean;
	/** The captcha's objection to it. */
	captcha: SpamReason | null;
}

/** A rule that judges what was sent. `null`: it has nothing to say. */
export type Rule = (sent: Sent) => SpamReason | null;

export type Judge = ReturnType<typeof createJudge>;

export interface JudgeOptions {
	/** Rules that stand by themselves. */
	rules: readonly Rule[];
	lists: Pick<SpamLists, 'of'>;
	stamps: Pick<LoadTimeTokens, 'judge'>;
	/** The domain of a disposable mail address in the data. */
	judgeMail: (data: string) => SpamReason | null;
	/** Rate of all networks to one form: submissions beyond it are spam. */
	formRate: Pick<RateLimiter, 'isOver'>;
	now?: () => number;
}

const HONEYPOT = decisive('honeypot', 'A hidden field was filled in.');
const FLOOD = decisive('flood', 'The form got more submissions than it may in a minute.');
/** Share of the threshold that a repeated text leaves. */
const LEFT = 0.1;

export function createJudge({ rules, lists, stamps, judgeMail, formRate, now = Date.now }: JudgeOptions) {
	/** Recent texts of each mode: test forms know nothing of live forms. */
	const recent = { live: lazy(createRecent), test: lazy(createRecent) };
	const history = createScriptHistory();

	function createRecent() {
		return { data: createRecentData(), texts: createRecentTexts(now) };
	}

	/** Returns the findings of the text rules. @param before How often the same data came before. */
	function read({ form, data }: Sent, before: number): Reading {
		const message = new Message(data);
		const words = judgeWords(message);
		const reasons = [
			...(words ? [words] : []),
			...judgeLinks(message, form),
			...judgeEmphasis(message),
			...judgeScripts(message, { formId: form.id, history }),
		];
		const { times, isSame } = recent[form.mode]().texts.count(message, before);
		return { formId: form.id, reasons, script: scriptOf(message).script, times, isSame };
	}

	/** The reading of a text that has signs of spam or came before; `undefined` for every other. */
	function readingOf(sent: Sent, at: number): Reading | undefined {
		const known = recent[sent.form.mode]().data(sent.data, at);
		if (!known) return mayHaveSigns(sent.data) ? read(sent, 0) : undefined;
		const before = known.reading;
		if (before?.formId === sent.form.id) {
			if (before.times > 0) before.times++;
			return before;
		}
		known.reading = read(sent, before?.times || 1);
		return known.reading;
	}

	/** Judges mail address, load-time token and text, after the earlier findings. */
	function judgeContent(before: SpamReason[] | null, sent: Sent, reading: Reading | undefined): SpamReason[] | null {
		const { form, hasKey, stamp } = sent;
		let reasons = append(before, judgeMail(sent.data));
		if (stamp !== undefined && !hasKey) reasons = append(reasons, stamps.judge(stamp, form.id));
		if (reading) {
			for (const reason of reading.reasons) reasons = append(reasons, reason);
			reasons = append(reasons, judgeRepetition(reading, mostFor(form)));
		}
		for (const rule of rules) reasons = append(reasons, rule(sent));
		return reasons;
	}

	/** The reasons for which it may be spam, in the order of the rules; `null` if there are none, which is the usual case. */
	return (sent: Sent): SpamReason[] | null => {
		// A robot: what it wrote is of no interest.
		if (sent.honeypotFilled) return [HONEYPOT];
		const { form, hasKey, captcha } = sent;
		const listed = judgeByLists(sent, lists.of(form));
		const before = append(append(null, captcha), listed);
		if (listed?.rule === 'allow') return before;
		const at = now();
		const reading = readingOf(sent, at);
		const reasons = judgeContent(before, sent, reading);
		// Submissions that are spam anyway do not count towards a flood.
		if (reasons !== null && verdictOf(reasons, form.spam.threshold) !== null) return reasons;
		history.count(form.id, reading?.script);
		return hasKey || !formRate.isOver(form.id, at) ? reasons : append(reasons, FLOOD);
	};
}

/** The most points for a repeated text: it never makes spam by itself. */
function mostFor({ spam: { threshold } }: FormRow): number {
	return threshold === null ? Number.POSITIVE_INFINITY : Math.round((threshold - LEFT) * 10) / 10;
}

function judgeByLists(sent: Sent, matchers: Matchers | null): SpamReason | null {
	if (matchers === null) return null;
	const allowedBy = matchers.allow?.(sent);
	if (allowedBy !== undefined) return allowed(allowedBy);
	const blockedBy = matchers.block?.(sent);
	return blockedBy === undefined ? null : decisive('block', blockedBy);
}

/** With one more reason, if there is one. */
function append(reasons: SpamReason[] | null, reason: SpamReason | null): SpamReason[] | null {
	if (!reason) return reasons;
	if (!reasons) return [reason];
	reasons.push(reason);
	return reasons;
}

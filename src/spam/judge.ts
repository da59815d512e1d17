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
	/** Those that the owner's marks taught. */
	wordRules: readonly Rule[];
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

export function createJudge({ wordRules, lists, stamps, judgeMail, formRate, now = Date.now }: JudgeOptions) {
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

	/** The reasons for which it may be spam, in the order of the rules; usually none. */
	return (sent: Sent): SpamReason[] => {
		// A robot: what it wrote is of no interest.
		if (sent.honeypotFilled) return [HONEYPOT];
		const { form, data, hasKey, captcha, stamp } = sent;
		const reasons: SpamReason[] = [];
		const add = (reason: SpamReason | null) => void (reason && reasons.push(reason));
		add(captcha);
		const listed = judgeByLists(sent, lists.of(form));
		add(listed);
		if (listed?.rule === 'allow') return reasons;
		const at = now();
		const reading = readingOf(sent, at);
		add(judgeMail(data));
		if (stamp !== undefined && !hasKey) add(stamps.judge(stamp, form.id));
		if (reading) {
			reasons.push(...reading.reasons);
			add(judgeRepetition(reading, mostFor(form)));
		}
		for (const rule of wordRules) add(rule(sent));
		// Submissions that are spam anyway do not count towards a flood.
		if (verdictOf(reasons, form.spam.threshold) !== null) return reasons;
		history.count(form.id, reading?.script);
		if (!hasKey && formRate.isOver(`${form.id}`, at)) reasons.push(FLOOD);
		return reasons;
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

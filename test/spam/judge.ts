/** A judge for tests: what it says of fields, with what a test changes of the usual. */

import type { SpamSettings } from '../../src/form-values/spam-settings.ts';
import { createJudge, type JudgeOptions, type Sent } from '../../src/spam/judge.ts';
import { createDisposableCheck } from '../../src/spam/sender/disposable.ts';
import { scoreOf, verdictOf } from '../../src/spam/verdict.ts';
import type { FormRow, Mode } from '../../src/storage/tables.ts';

export interface Posted extends Partial<Omit<Sent, 'form' | 'data'>> {
	formId?: number;
	mode?: Mode;
	allowedDomains?: string[];
	spam?: Partial<SpamSettings>;
}

/** One for all, because its list is long. */
const judgeMail = createDisposableCheck(null);

export function openJudge(options: Partial<JudgeOptions> = {}) {
	const judge = createJudge({
		wordRules: [],
		lists: { of: () => null },
		stamps: { judge: () => null },
		judgeMail,
		formRate: { isOver: () => false },
		...options,
	});
	/** The reasons, score and verdict for a submission. */
	return (fields: object, { formId = 1, mode = 'live', allowedDomains = [], spam = {}, ...sent }: Posted = {}) => {
		const settings: SpamSettings = { threshold: 5, honeypot: ['_gotcha'], ...spam };
		const form = { id: formId, mode, allowedDomains, spam: settings } as Partial<FormRow> as FormRow;
		const reasons = judge({
			form,
			data: JSON.stringify(fields),
			replyTo: undefined,
			clientAddress: '192.0.2.1',
			hasKey: false,
			honeypotFilled: false,
			captcha: null,
			...sent,
		});
		return { reasons, score: scoreOf(reasons), verdict: verdictOf(reasons, settings.threshold) };
	};
}

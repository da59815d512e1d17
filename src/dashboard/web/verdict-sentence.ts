/** One sentence that says what made a submission spam, or kept it from being spam. */

import { ruleOf } from '../../spam/rules.ts';
import { scoreOf } from '../../spam/verdict.ts';
import type { Submission } from './api-types.ts';

/** Returns whether a rule makes spam by itself. */
const isDecisive = (rule: string) => ruleOf(rule)?.verdict !== undefined;

/** @param threshold The form's now, which may have been another when the submission came. */
export function verdictSentence(
	{ isSpam, spamReason = 'marked', spamReasons }: Pick<Submission, 'isSpam' | 'spamReason' | 'spamReasons'>,
	threshold: number | null,
): string {
	const score = scoreOf(spamReasons);
	const reaches = threshold !== null && score >= threshold;
	if (isSpam) {
		if (spamReason === 'marked') return 'It was marked as spam by hand.';
		const [rule = '', detail] = spamReason.split(':');
		if (isDecisive(rule)) {
			// Older submissions without reasons have their detail nowhere else.
			const found = detail && spamReasons.length === 0 ? ` (${spamReason})` : '';
			return `${ruleOf(rule)?.meaning} That alone makes it spam${found}.`;
		}
		return reaches
			? `It has ${score} points. This form treats ${threshold} points or more as spam.`
			: `It has ${score} points, which made it spam by the form’s threshold at that time.`;
	}
	if (spamReasons.some(({ rule }) => rule === 'allow'))
		return 'It matches an entry of your allow list, so it is not spam.';
	if (spamReasons.some(({ rule }) => isDecisive(rule))) return 'It was marked as genuine by hand.';
	if (reaches)
		return `It has ${score} points. It was marked as genuine by hand, or the form had a higher threshold when it came.`;
	return threshold === null
		? `It has ${score} points, and this form treats nothing as spam because of its points.`
		: `It has ${score} points. This form treats ${threshold} points or more as spam.`;
}

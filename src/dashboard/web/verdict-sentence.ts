/** One sentence that says what made a submission spam, or kept it from being spam. */

import { ruleOf } from '../../spam/rules.ts';
import { scoreOf } from '../../spam/verdict.ts';
import type { Submission } from './api-types.ts';
import * as words from './sentences/words.ts';

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
		if (spamReason === 'marked') return words.submission.markedSpam;
		const [rule = '', detail] = spamReason.split(':');
		if (isDecisive(rule)) {
			// Older submissions without reasons have their detail nowhere else.
			const found = detail && spamReasons.length === 0 ? spamReason : undefined;
			return words.submission.decided(ruleOf(rule)?.meaning, found);
		}
		return reaches ? words.submission.reachesThreshold(score, threshold) : words.submission.reachedThreshold(score);
	}
	if (spamReasons.some(({ rule }) => rule === 'allow')) return words.submission.allowed;
	if (spamReasons.some(({ rule }) => isDecisive(rule))) return words.submission.markedGenuine;
	if (reaches) return words.submission.genuineDespiteScore(score);
	return threshold === null ? words.submission.noThreshold(score) : words.submission.reachesThreshold(score, threshold);
}

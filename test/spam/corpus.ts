/** How much spam the score finds in a set of marked submissions, before it has learnt and after it has learnt one half of them. */

import { addRow, createCounts, createLesson, encodeLesson, learn } from '../../src/spam/bayes/counts.ts';
import { createKeyedHash } from '../../src/spam/bayes/keyed-hash.ts';
import type { WordModels } from '../../src/spam/bayes/models.ts';
import { tokensOf } from '../../src/spam/bayes/tokens.ts';
import { createWordRules } from '../../src/spam/bayes/word-rules.ts';
import type { RuleName } from '../../src/spam/rules.ts';
import { DAY_MS } from '../../src/tasks/durations.ts';
import { openJudge } from './judge.ts';

export interface Marked {
	spam: boolean;
	data: Record<string, string>;
}

/** How many submissions of a kind were found to be spam. */
interface Found {
	found: number;
	of: number;
}

interface Verdicts {
	spam: Found;
	ham: Found;
}

interface Share {
	/** In how many it spoke. */
	spam: number;
	ham: number;
	/** How many more are found with it than without it. */
	spamDecided: number;
	hamDecided: number;
}

export interface Measured {
	before: Verdicts;
	after: Verdicts;
	/** The share that each rule adds, before and after. */
	rules: { before: Map<RuleName, Share>; after: Map<RuleName, Share> };
}

const hash = createKeyedHash('0123456789abcdef');

/** The rules of words, for a form that is the only one of its server and learnt these. */
function taughtBy(marked: readonly Marked[]) {
	const lesson = createLesson();
	for (const { spam, data } of marked) {
		learn(lesson, tokensOf(JSON.stringify(data), hash).buckets, { isSpam: spam, times: 1 });
	}
	const counts = createCounts();
	addRow(counts, { ...lesson, counts: encodeLesson(lesson) });
	return createWordRules({
		isSilent: () => false,
		of: () => ({ form: counts, mode: counts }),
		tokensOf: (data: string) => tokensOf(data, hash),
	} as unknown as WordModels);
}

/** Each half is judged by what the other has taught. */
export function measure(marked: readonly Marked[]): Measured {
	const middle = marked.length >> 1;
	const [first, second] = [marked.slice(0, middle), marked.slice(middle)];
	const noVerdicts = (): Verdicts => ({ spam: { found: 0, of: 0 }, ham: { found: 0, of: 0 } });
	const measured: Measured = {
		before: noVerdicts(),
		after: noVerdicts(),
		rules: { before: new Map(), after: new Map() },
	};
	for (const [taught, judged] of [
		[first, second],
		[second, first],
	] as const) {
		judgeAll(judged, { rules: [], verdicts: measured.before, shares: measured.rules.before });
		judgeAll(judged, { rules: taughtBy(taught), verdicts: measured.after, shares: measured.rules.after });
	}
	return measured;
}

interface Into {
	rules: ReturnType<typeof taughtBy>;
	verdicts: Verdicts;
	shares: Map<RuleName, Share>;
}

function judgeAll(marked: readonly Marked[], { rules, verdicts, shares }: Into): void {
	let now = 0;
	// Far apart, so that no text is taken for a repetition of another.
	const judge = openJudge({ wordRules: rules, now: () => (now += 2 * DAY_MS) });
	for (const { spam, data } of marked) {
		const { reasons, verdict } = judge(data);
		const kind = spam ? 'spam' : 'ham';
		verdicts[kind].of++;
		if (verdict !== null) verdicts[kind].found++;
		const score = reasons.reduce((sum, { points }) => sum + points, 0);
		for (const { rule, points } of reasons) {
			const share = shares.get(rule) ?? { spam: 0, ham: 0, spamDecided: 0, hamDecided: 0 };
			shares.set(rule, share);
			share[kind]++;
			const without = Math.round(10 * (score - points)) / 10 >= 5;
			if ((verdict !== null) !== without) share[`${kind}Decided`] += without ? -1 : 1;
		}
	}
}

export const percent = ({ found, of }: Found): number => (100 * found) / of;

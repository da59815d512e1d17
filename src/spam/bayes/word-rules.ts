/** The rules of the spam score that the owner's marks taught: what the words of a submission say, in its form and in all. */

import type { Rule, Sent } from '../judge.ts';
import type { RuleName } from '../rules.ts';
import type { SpamReason } from '../verdict.ts';
import type { Model } from './counts.ts';
import type { WordModels } from './models.ts';
import { tokensOf } from './tokens.ts';
import { type WordVerdict, wordVerdict } from './verdict.ts';

/** Named in the reason, at most. */
const NAMED_WORDS = 3;
const MAX_NAMED_LENGTH = 40;
const NAMED_PARTS = 6;
/** Tokens that a person would not recognise as a word of the text, or that are there without the name of their field too. */
const NAMELESS = /[[\]#/]|: /;

const WHERE = { form: 'this form', mode: 'all forms' } as const;
const RULE_OF = { form: 'words-form', mode: 'words-server' } as const satisfies Record<string, RuleName>;

export interface WordJudgement extends WordVerdict {
	/** In the order of the weights. */
	tokens: string[];
	/** The part of each token. */
	partOf: string[];
	/** Submissions that the model has learnt. */
	learnt: { spam: number; ham: number };
}

const NO_JUDGEMENT = { form: null, mode: null };

/** Returns the verdict of the models on a text, as JSON of its fields; to be called after `models.prepare`. */
export function judgeWords(models: WordModels, { form, data }: Pick<Sent, 'form' | 'data'>) {
	const counts = models.of(form);
	if (!counts.form && !counts.mode) return NO_JUDGEMENT;
	const found = tokensOf(data);
	const [tokens, partOf] = [[...found.keys()], [...found.values()]];
	const buckets = models.bucketsOf(tokens);
	const judge = (model: Model | undefined): WordJudgement | null => {
		const verdict = model && wordVerdict(model, buckets, partOf);
		return verdict ? { ...verdict, tokens, partOf, learnt: { spam: model.spam, ham: model.ham } } : null;
	};
	return { form: judge(counts.form), mode: judge(counts.mode) };
}

export function createWordRules(models: WordModels): Rule[] {
	let last: { sent: Sent; judged: ReturnType<typeof judgeWords> } | undefined;

	/** Both rules look at the same submission, one after the other. */
	function judgeOnce(sent: Sent) {
		if (last?.sent !== sent) last = { sent, judged: judgeWords(models, sent) };
		return last.judged;
	}

	return (['form', 'mode'] as const).map((scope) => (sent) => {
		if (models.isSilent()) return null;
		const judged = judgeOnce(sent)[scope];
		if (scope === 'mode') last = undefined;
		return judged && toReason(judged, scope);
	});
}

function toReason(judged: WordJudgement, scope: 'form' | 'mode'): SpamReason | null {
	const { points } = judged;
	if (points === 0) return null;
	const kind = points > 0 ? 'marked as spam' : 'marked as genuine';
	const words = strongest(judged).filter((word) => !NAMELESS.test(word));
	const named = words.slice(0, NAMED_WORDS).map((word) => `“${word.slice(0, MAX_NAMED_LENGTH)}”`);
	const detail = `Words as in what was ${kind} in ${WHERE[scope]}${named.length > 0 ? `, such as ${named.join(', ')}` : ''} (${describeEvidence(judged)})`;
	return { rule: RULE_OF[scope], points, detail };
}

/** The evidence with the parts that say most, as in `evidence 2.1: text 2.4, “subject” -0.3`. */
function describeEvidence({ evidence, parts }: WordVerdict): string {
	const said = [...parts].filter(([, of]) => of !== 0).sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
	const named = said.slice(0, NAMED_PARTS).map(([part, of]) => `${part} ${of}`);
	return `evidence ${evidence}: ${named.join(', ')}${said.length > NAMED_PARTS ? ', …' : ''}`;
}

/** The tokens that speak for the verdict, those that say most first. */
export function strongest({ tokens, weights, points }: WordJudgement): string[] {
	const side = Math.sign(points);
	return tokens
		.map((token, at) => ({ token, weight: (weights[at] as number) * side }))
		.filter(({ weight }) => weight > 0)
		.sort((a, b) => b.weight - a.weight)
		.map(({ token }) => token);
}

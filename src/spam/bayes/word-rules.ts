/** The rules of the spam score that the owner's marks taught: what the words of a submission say, in its form and in all. */

import type { Rule, Sent } from '../judge.ts';
import type { RuleName } from '../rules.ts';
import type { SpamReason } from '../verdict.ts';
import type { Model } from './counts.ts';
import type { WordModels } from './models.ts';
import type { Tokens } from './tokens.ts';
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
	tokens: Tokens;
	/** Submissions that the model has learnt. */
	learnt: { spam: number; ham: number };
}

const NO_JUDGEMENT = { form: null, mode: null };

/** Returns the verdict of the models on a text, as JSON of its fields; to be called after `models.prepare`. */
export function weighWords(models: WordModels, { form, data }: Pick<Sent, 'form' | 'data'>) {
	const counts = models.of(form);
	if (!counts.form && !counts.mode) return NO_JUDGEMENT;
	const tokens = models.tokensOf(data);
	const judge = (model: Model | undefined): WordJudgement | null => {
		const verdict = model && wordVerdict(model, tokens.buckets, tokens.partOf);
		return verdict ? { ...verdict, tokens, learnt: { spam: model.spam, ham: model.ham } } : null;
	};
	return { form: judge(counts.form), mode: judge(counts.mode) };
}

export function createWordRules(models: WordModels): Rule[] {
	let last: { sent: Sent; judged: ReturnType<typeof weighWords> } | undefined;

	/** Both rules look at the same submission, one after the other. */
	function judgeOnce(sent: Sent) {
		if (last?.sent !== sent) last = { sent, judged: weighWords(models, sent) };
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
	const named = strongest(judged).map((word) => `“${word.slice(0, MAX_NAMED_LENGTH)}”`);
	const detail = `Words as in what was ${kind} in ${WHERE[scope]}${named.length > 0 ? `, such as ${named.join(', ')}` : ''} (${describeEvidence(judged)})`;
	return { rule: RULE_OF[scope], points, detail };
}

/** The evidence with the parts that say most, as in `evidence 2.1: text 2.4, “subject” -0.3`. */
function describeEvidence({ evidence, parts }: WordVerdict): string {
	const said = [...parts].filter(([, of]) => of !== 0).sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
	const named = said.slice(0, NAMED_PARTS).map(([part, of]) => `${part} ${of}`);
	return `evidence ${evidence}: ${named.join(', ')}${said.length > NAMED_PARTS ? ', …' : ''}`;
}

/** The tokens to be named: of those that speak for the verdict the ones that say most, the first before others that say as much. */
function strongest({ tokens, weights, points }: WordJudgement): string[] {
	const side = Math.sign(points);
	const found: { word: string; weight: number }[] = [];
	for (let at = 0; at < weights.length; at++) {
		const weight = (weights[at] as number) * side;
		if (weight <= (found[NAMED_WORDS - 1]?.weight ?? 0)) continue;
		const word = tokens.textAt(at);
		if (NAMELESS.test(word)) continue;
		const place = found.findIndex((other) => other.weight < weight);
		found.splice(place === -1 ? found.length : place, 0, { word, weight });
		found.length = Math.min(found.length, NAMED_WORDS);
	}
	return found.map(({ word }) => word);
}

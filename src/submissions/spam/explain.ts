/** Explains why a submission is spam or not: what the rules found when it arrived, and what its words say now. */

import { eq } from 'drizzle-orm';
import { rowId } from '../../ids.ts';
import { TOKENS_JSON_CHARACTERS } from '../../spam/bayes/tokens.ts';
import { type WordJudgement, weighWords } from '../../spam/bayes/word-rules.ts';
import { ruleOf } from '../../spam/rules.ts';
import type { Spam } from '../../spam/spam.ts';
import { parseReasons, reasonsOfForm, type SpamReason, scoreOf, verdictOf } from '../../spam/verdict.ts';
import type { Storage } from '../../storage/contract.ts';
import { SubmissionGone } from '../../storage/errors.ts';
import { spamMarks } from '../../storage/spam-tables.ts';
import type { FormRow, Mode } from '../../storage/tables.ts';
import { withoutFileNames } from '../../text/json-string.ts';
import type { SpamExplanation } from './schema.ts';

/** The most words of a word model that are shown. */
export const WORDS_MAX = 100;

export type Explain = ReturnType<typeof createExplain>;

export function createExplain(storage: Storage, { models, prepare, judge }: Spam) {
	const { db, submissions } = storage;

	async function words(form: FormRow, data: string): Promise<SpamExplanation['words']> {
		await models.follow();
		for (let preparing = prepare(form); preparing; preparing = prepare(form)) await preparing;
		const said = weighWords(models, { form, data });
		return {
			form: present(models.learnt(form.id), said.form),
			server: present(models.learnt(form.mode), said.mode),
		};
	}

	const filesOf = async (id: number) => (await submissions.files([id])).get(id) ?? [];

	async function markOf(submissionId: number): Promise<SpamExplanation['mark']> {
		const [mark] = await db
			.select({ isSpam: spamMarks.isSpam })
			.from(spamMarks)
			.where(eq(spamMarks.submissionId, submissionId));
		if (!mark) return null;
		return mark.isSpam ? 'spam' : 'genuine';
	}

	return {
		/**
		 * @param isFormLevel Whether to leave out what other forms taught.
		 * @throws AppError FORM_NOT_FOUND, NOT_FOUND
		 */
		async submission(
			formId: string,
			{ mode, isFormLevel, id }: { mode?: Mode; isFormLevel?: boolean; id: string },
		): Promise<SpamExplanation> {
			const form = await storage.findForm(formId, mode);
			const [found] = await submissions.entries(form.id, [rowId(id)]);
			// Only the beginning of a large text is read.
			const bytes = found && (await submissions.text({ formId: form.id, id: found.id }, 3 * TOKENS_JSON_CHARACTERS));
			if (!found || !bytes) throw new SubmissionGone();
			const reasons = parseReasons(isFormLevel ? reasonsOfForm(found.spamReasons) : found.spamReasons);
			const said = await words(form, withoutFileNames(new TextDecoder().decode(bytes), await filesOf(found.id)));
			return {
				isSpam: found.isSpam,
				...(found.isSpam && { spamReason: found.spamReason ?? 'marked' }),
				spamScore: scoreOf(reasons),
				threshold: form.spam.threshold,
				spamReasons: reasons.map(explain),
				mark: await markOf(found.id),
				words: isFormLevel ? { ...said, server: pointsOnly(said.server) } : said,
			};
		},
		/** A text, as if it were the message of a submission that comes now, from nowhere. @throws AppError FORM_NOT_FOUND */
		async text(formId: string, text: string): Promise<SpamExplanation> {
			const form = await storage.findForm(formId);
			const data = JSON.stringify({ message: text });
			const said = await words(form, data);
			const sent = {
				form,
				data,
				replyTo: undefined,
				clientAddress: '',
				hasKey: true,
				honeypotFilled: false,
				captcha: null,
			};
			const reasons = judge(sent);
			const spamReason = verdictOf(reasons, form.spam.threshold);
			return {
				isSpam: spamReason !== null,
				...(spamReason !== null && { spamReason }),
				spamScore: scoreOf(reasons),
				threshold: form.spam.threshold,
				spamReasons: reasons.map(explain),
				mark: null,
				words: said,
			};
		},
	};
}

function explain(reason: SpamReason): SpamExplanation['spamReasons'][number] {
	const { label = reason.rule, meaning = '' } = ruleOf(reason.rule) ?? {};
	return { ...reason, label, meaning };
}

/** Reduces a model that others taught to the part that a key for one form may see. */
function pointsOnly({ points }: SpamExplanation['words']['server']): SpamExplanation['words']['server'] {
	return { learnt: null, points, evidence: null, parts: [], known: 0, words: [] };
}

function present(learnt: { spam: number; ham: number }, said: WordJudgement | null): SpamExplanation['words']['form'] {
	const { tokens, weights = [] } = said ?? {};
	const all = weights
		.map((weight, at) => ({
			word: tokens?.textAt(at) ?? '',
			part: tokens?.partOf[at] ?? '',
			weight: Math.round(100 * weight) / 100,
		}))
		.filter(({ weight }) => weight !== 0)
		.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
	return {
		learnt: { spam: learnt.spam, genuine: learnt.ham },
		points: said?.points ?? null,
		evidence: said?.evidence ?? null,
		parts: [...(said?.parts ?? [])].map(([part, evidence]) => ({ part, evidence })),
		known: all.length,
		words: all.slice(0, WORDS_MAX),
	};
}

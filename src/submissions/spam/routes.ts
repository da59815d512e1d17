/** The route that explains a verdict. */

import { Elysia } from 'elysia';
import { jsonResponse, operation } from '../../http/openapi.ts';
import type { Auth } from '../../keys/auth.ts';
import { isFormLevel } from '../../keys/permissions.ts';
import { formId, submissionId } from '../openapi-parts.ts';
import type { Explain } from './explain.ts';
import { SpamExplanation } from './schema.ts';

const EXAMPLE: SpamExplanation = {
	isSpam: true,
	spamReason: 'score',
	spamScore: 3.6,
	threshold: 3.5,
	spamReasons: [
		{
			rule: 'links',
			points: 1.5,
			detail: '3 links',
			label: 'Links',
			meaning: 'It has links to other websites.',
		},
		{
			rule: 'words-form',
			points: 2.1,
			detail:
				'Words as in what was marked as spam in this form, such as “cheap” (evidence 1.76: text 1.26, “subject” 0.5)',
			label: 'Words in this form',
			meaning: 'The words are like those of submissions of this form that you marked as spam, or as genuine.',
		},
	],
	mark: 'spam',
	words: {
		form: {
			learnt: { spam: 41, genuine: 63 },
			points: 2.1,
			evidence: 1.76,
			parts: [
				{ part: 'text', evidence: 1.26 },
				{ part: '“subject”', evidence: 0.5 },
			],
			known: 19,
			words: [{ word: 'cheap', part: 'text', weight: 2.61 }],
		},
		server: { learnt: { spam: 12, genuine: 3 }, points: null, evidence: null, parts: [], known: 0, words: [] },
	},
};

export const spamRoutes = (explain: Explain, auth: Auth) =>
	new Elysia({ tags: ['Submissions'] }).use(auth).get(
		'/api/forms/:id/submissions/:submissionId/spam',
		({ principal, params }) =>
			explain.submission(params.id, {
				mode: principal.mode,
				isFormLevel: isFormLevel(principal),
				id: params.submissionId,
			}),
		{
			access: { permission: 'read', form: 'id' },
			detail: operation('explainSpam', 'Explain a verdict', {
				description:
					'Why a submission is spam, or is not: what the rules found when it arrived, its mark, and what its words say by what ' +
					'was learnt until now. A form-level key sees of `words.server` the points alone.',
				parameters: [formId, submissionId],
				returns: jsonResponse('The explanation.', { schema: SpamExplanation, example: EXAMPLE }),
				errors: ['FORM_NOT_FOUND', 'NOT_FOUND'],
			}),
		},
	);

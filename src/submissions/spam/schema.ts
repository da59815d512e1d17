/** The wire shapes of the explanation of a verdict. */

import { type Static, Type } from '@sinclair/typebox';
import { nullable, stringEnum } from '../../http/schema-types.ts';
import { WORDS_MAX } from './explain.ts';

const ExplainedReason = Type.Object(
	{
		rule: Type.String(),
		points: Type.Number(),
		detail: Type.String(),
		label: Type.String({ description: 'The rule in a few words.' }),
		meaning: Type.String({ description: 'A sentence on what it means.' }),
	},
	{ $id: 'ExplainedReason' },
);

const WordsOfModel = Type.Object(
	{
		learnt: nullable(
			Type.Object(
				{ spam: Type.Integer(), genuine: Type.Integer() },
				{ description: 'Marks that it has learnt. It says nothing before there are 20 of each.' },
			),
		),
		points: nullable(Type.Number({ description: '−3 to 3; `null` before it has learnt enough.' })),
		evidence: nullable(Type.Number({ description: 'The sum of the parts; six fifths of it are the points.' })),
		parts: Type.Array(
			Type.Object({
				part: Type.String({
					description:
						'`text`, `links`, `addresses`, which `fields` are filled in, or in quotes the name of a field with a short value.',
				}),
				evidence: Type.Number({
					description:
						'−6 to 6: the weights of its known words, each times its certainty, added up and divided by the square root of all ' +
						'certainty, or of 0.5 if that is more.',
				}),
			}),
		),
		known: Type.Integer({ description: 'How many of its words and other traits the model knows.' }),
		words: Type.Array(
			Type.Object({
				word: Type.String({
					description: 'A word of the submission, a pair of them, or in brackets a trait of the text.',
				}),
				part: Type.String(),
				weight: Type.Number({
					description: 'Above zero it speaks for spam, below against it. Its certainty is tanh(|weight| / 2).',
				}),
			}),
			{ description: `Those that say most, up to ${WORDS_MAX}.` },
		),
	},
	{ $id: 'WordsOfModel' },
);

export const SpamExplanation = Type.Object(
	{
		isSpam: Type.Boolean(),
		spamReason: Type.Optional(Type.String()),
		spamScore: Type.Number(),
		threshold: Type.Union([Type.Number(), Type.Null()], { description: 'Of the form, now.' }),
		spamReasons: Type.Array(ExplainedReason, { description: 'What the rules found when it arrived.' }),
		mark: nullable(stringEnum(['spam', 'genuine'], { description: 'What its owner marked it as; `null`: nothing.' })),
		words: Type.Object(
			{ form: WordsOfModel, server: WordsOfModel },
			{ description: 'What its words say now, by the marks of its form, and by those of all forms of the mode.' },
		),
	},
	{ $id: 'SpamExplanation' },
);
export type SpamExplanation = Static<typeof SpamExplanation>;

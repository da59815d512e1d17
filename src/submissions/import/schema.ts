/** The wire shapes of an import. */

import { type Static, Type } from '@sinclair/typebox';
import { stringMap } from '../../http/schema-types.ts';
import { SpamReason, Submission, SubmittedFile, settable } from '../schema.ts';

const { id, data, spamScore, damaged, isPending } = Submission.properties;
/** A time that is wrong gets a sentence of its own. */
const createdAt = Type.String({ description: 'RFC 3339; without a zone: UTC. Required unless `timeNow` is `true`.' });

/** Far from any that rules give. Their sum has to be a number, too, which JSON can hold. */
const MOST_POINTS = 1000;
const points = Type.Number({ minimum: -MOST_POINTS, maximum: MOST_POINTS });

/** A line of an import: a submission as an export has it. */
export const OwnRow = Type.Object(
	{
		...Type.Partial(Type.Object({ id, createdAt, isPending, spamScore, damaged })).properties,
		...settable,
		confirmedAt: Type.Optional(Type.Union([Type.String(), Type.Null()])),
		data,
		spamReason: Type.Optional(Type.String({ maxLength: 400 })),
		spamReasons: Type.Optional(Type.Array(Type.Object({ ...SpamReason.properties, points }), { maxItems: 100 })),
		meta: Type.Optional(Type.Union([stringMap(Type.Any()), Type.Null()])),
		files: Type.Optional(Type.Array(SubmittedFile, { maxItems: 100 })),
	},
	{ $id: 'ImportedSubmission', additionalProperties: false },
);
export type OwnRow = Static<typeof OwnRow>;

const MissingFiles = Type.Object({
	line: Type.Integer(),
	submissionId: Type.String(),
	files: Type.Array(SubmittedFile, {
		description: 'All of its files, in the order sent; `isKept` is `false` of those without bytes.',
	}),
});
export type MissingFiles = Static<typeof MissingFiles>;

export const ImportReport = Type.Object(
	{
		imported: Type.Integer({ description: 'Stored; in a dry run those that can be.' }),
		known: Type.Integer({
			description: 'There already: the same time and fields, and id if any, were imported before.',
		}),
		bad: Type.Integer({ description: 'Left out.' }),
		problems: Type.Array(Type.Object({ line: Type.Integer(), problem: Type.String() }), {
			description: 'What was wrong, by line; the first hundred.',
		}),
		missingFiles: Type.Array(MissingFiles, {
			description:
				'Submissions with files of which the bytes are not here, the first thousand: `POST …/files/{fileId}/content` brings them.',
		}),
	},
	{ $id: 'ImportReport' },
);
export type ImportReport = Static<typeof ImportReport>;

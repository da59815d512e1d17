/** The wire shapes of submissions for their owner. */

import { type Static, Type } from '@sinclair/typebox';
import { paginationSchema } from '../http/paging.ts';
import { ignoredMembers, stringMap } from '../http/schema-types.ts';

const flags = {
	isRead: Type.Boolean(),
	isStarred: Type.Boolean(),
	isSpam: Type.Boolean(),
};

export const settableFlags = Type.Partial(Type.Object(flags)).properties;

export const withheld = {
	sendWithheld: Type.Optional(
		Type.Boolean({ description: 'With `isSpam: false`: sends the mails and webhook requests that were withheld.' }),
	),
};

export const Submission = Type.Object(
	{
		id: Type.String(),
		data: stringMap(Type.Any(), {
			description: 'The submitted fields, exactly as they were sent: numbers with all their digits, members in order.',
		}),
		createdAt: Type.String({ format: 'date-time' }),
		...flags,
		spamReason: Type.Optional(Type.String({ description: 'Why it is spam; only on spam.' })),
	},
	{ $id: 'Submission' },
);

/** With `data` only for callers with the permission to read. */
export const FlaggedSubmission = Type.Object(
	{ ...Submission.properties, data: Type.Optional(Submission.properties.data) },
	{ $id: 'FlaggedSubmission' },
);

export const SubmissionList = Type.Object(
	{
		submissions: Type.Array(Submission),
		fields: Type.Array(Type.String(), {
			description:
				'The field names of all submissions of the form (of its spam with `filter=spam`), in the order first seen. ' +
				'At most 2,000: those that the most submissions have.',
		}),
		pagination: paginationSchema('Number of all matching submissions.'),
	},
	{ $id: 'SubmissionList' },
);

export const UpdateSubmission = Type.Object(
	{ ...settableFlags, ...withheld, ...ignoredMembers(Submission, settableFlags) },
	{ $id: 'UpdateSubmission', additionalProperties: false },
);
export type UpdateSubmission = Static<typeof UpdateSubmission>;

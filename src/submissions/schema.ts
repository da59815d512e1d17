/** The wire shapes of submissions for their owner. */

import { type Static, Type } from '@sinclair/typebox';
import { stringMap } from '../http/schema-types.ts';

export const flags = {
	isRead: Type.Boolean(),
	isStarred: Type.Boolean(),
	isSpam: Type.Boolean(),
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
		pagination: Type.Object({
			limit: Type.Integer({ description: 'The applied limit.' }),
			offset: Type.Integer(),
			total: Type.Integer({ description: 'Number of all matching submissions.' }),
			hasMore: Type.Boolean(),
		}),
	},
	{ $id: 'SubmissionList' },
);

/** Accepts and ignores read-only members, so that a submission can be sent back as it was read. */
export const UpdateSubmission = Type.Object(
	{
		isRead: Type.Optional(flags.isRead),
		isStarred: Type.Optional(flags.isStarred),
		isSpam: Type.Optional(flags.isSpam),
		sendWithheld: Type.Optional(
			Type.Boolean({
				description: 'With `isSpam: false`: sends the mails and webhook requests that were withheld.',
			}),
		),
		id: Type.Optional(Type.Any({ description: 'Read-only; ignored.' })),
		data: Type.Optional(Type.Any({ description: 'Read-only; ignored.' })),
		createdAt: Type.Optional(Type.Any({ description: 'Read-only; ignored.' })),
		spamReason: Type.Optional(Type.Any({ description: 'Read-only; ignored.' })),
	},
	{ $id: 'UpdateSubmission', additionalProperties: false },
);
export type UpdateSubmission = Pick<
	Static<typeof UpdateSubmission>,
	'isRead' | 'isStarred' | 'isSpam' | 'sendWithheld'
>;

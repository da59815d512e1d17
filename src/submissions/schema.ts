/** The wire shapes of submissions as their owner reads them. */

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
		spamReason: Type.Optional(Type.String({ description: 'Why it counts as spam; only on spam.' })),
	},
	{ $id: 'Submission' },
);

/** Its `data` only goes to those who may read. */
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
			total: Type.Integer({ description: 'How many match in all.' }),
			hasMore: Type.Boolean(),
		}),
	},
	{ $id: 'SubmissionList' },
);

/** Members that only the server sets are taken and left unread, so that a submission that was read can be sent back. */
export const UpdateSubmission = Type.Object(
	{
		isRead: Type.Optional(flags.isRead),
		isStarred: Type.Optional(flags.isStarred),
		isSpam: Type.Optional(flags.isSpam),
		sendWithheld: Type.Optional(
			Type.Boolean({
				description: 'With `isSpam: false`: sends the mails and webhook events that were withheld, after all.',
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

/** The wire shapes of submissions for their owner. */

import { type Static, Type } from '@sinclair/typebox';
import { DISCLOSING } from '../delivery/present-submission.ts';
import { paginationSchema } from '../http/paging.ts';
import { ignoredMembers, nullable, omissible, stringEnum, stringMap } from '../http/schema-types.ts';
import { RULES } from '../spam/rules.ts';
import { FLAGS, mapFlags, mapTexts, mapWordLists, TEXTS } from '../storage/owned.ts';
import { SCAN_VERDICTS } from '../storage/tables.ts';

const flags = mapFlags((name) => Type.Boolean({ description: `Whether it is ${FLAGS[name][0]}.` }));
const ownWords = {
	...mapWordLists('name', ({ name, most, max }) =>
		Type.Array(Type.String(), {
			description: `The owner’s ${name}, at most ${most}, each 1 to ${max} characters in one line; no two that differ in upper and lower case alone.`,
		}),
	),
	...mapTexts((name) =>
		Type.Union([Type.String(), Type.Null()], {
			description: `The owner’s ${name}, at most ${TEXTS[name].max} characters; \`null\`: none. It is shown to owners alone, as labels are.`,
		}),
	),
};
/** The members that an owner sets. */
export const settable = Type.Partial(Type.Object({ ...flags, ...ownWords })).properties;

export const withheld = {
	sendWithheld: omissible(
		Type.Boolean({ description: 'With `isSpam: false`: sends the mails and webhook requests that were withheld.' }),
	),
};

export const SubmittedFile = Type.Object(
	{
		id: Type.String(),
		field: Type.String({ description: 'The name of its form field.' }),
		name: Type.String({ description: 'As the visitor called it, without path and control characters.' }),
		type: Type.String({ description: 'The media type that its content shows, whatever the browser claimed.' }),
		size: Type.Integer({ description: 'In bytes.' }),
		sha256: Type.String({ description: 'Of its bytes, hexadecimal.' }),
		scan: Type.Optional(
			stringEnum(SCAN_VERDICTS, {
				description: 'What the virus scanner found; `unchecked`: it did not look yet. Absent without a scanner.',
			}),
		),
		isKept: Type.Optional(
			Type.Literal(false, {
				description:
					'Only where no bytes are kept: the file came with a filled honeypot, its time of retention is over, or it was imported alone.',
			}),
		),
	},
	{ $id: 'SubmittedFile' },
);
export type SubmittedFile = Static<typeof SubmittedFile>;

export const SpamReason = Type.Object(
	{
		rule: Type.String({ description: `One of ${Object.keys(RULES).join(', ')}; later versions may have more.` }),
		points: Type.Number({ description: 'In tenths; below zero if it speaks against spam.' }),
		detail: Type.String({ description: 'What the rule found, from which the points can be recomputed.' }),
	},
	{ $id: 'SpamReason' },
);

export const Submission = Type.Object(
	{
		id: Type.String(),
		data: stringMap(Type.Any(), {
			description: 'The submitted fields, exactly as they were sent: numbers with all their digits, members in order.',
		}),
		createdAt: Type.String({ format: 'date-time' }),
		...flags,
		isPending: Type.Boolean({
			description: 'Whether it waits until its visitor confirms an address; see the setting `confirm` of forms.',
		}),
		confirmedAt: nullable(Type.String({ format: 'date-time' }), {
			description: 'When its visitor confirmed the address; `null`: not, or not asked to.',
		}),
		spamReason: Type.Optional(
			Type.String({
				description:
					'Why it is spam; only on spam: `honeypot`, `captcha-score: …`, `captcha-unavailable: …`, `block: …` with the entry that it ' +
					'meets, `flood`, `score` if its points reached the threshold of the form, or `marked` by its owner.',
			}),
		),
		spamScore: Type.Number({
			description:
				'The sum of the points of `spamReasons`. From the form’s `spam.threshold` on, a new submission is spam.',
		}),
		spamReasons: Type.Array(SpamReason, {
			description: 'What the rules found when it arrived; see docs/spam.md. A mark of the owner does not change it.',
		}),
		meta: Type.Union([stringMap(Type.Any()), Type.Null()], {
			description:
				'What is kept apart from the submitted fields; `null`: nothing. `droppedFiles` are files that were not accepted, as ' +
				'`{field, name, bytes, reason}`, `dropped` names of fields.',
		}),
		files: Type.Array(SubmittedFile, {
			description:
				'The attached files, in the order sent. Of files that came with a filled honeypot only this is kept.',
		}),
		damaged: Type.Optional(
			Type.Literal(true, {
				description: 'The disk lost its content, so that it cannot be read: `data` is empty. Restore a backup.',
			}),
		),
		...ownWords,
	},
	{ $id: 'Submission' },
);

const disclosing = ['data', ...DISCLOSING.map(({ name }) => name)] as (keyof typeof Submission.properties)[];

/** With what discloses content only for callers with the permission to read. */
export const FlaggedSubmission = Type.Object(
	{ ...Submission.properties, ...Type.Partial(Type.Pick(Submission, disclosing)).properties },
	{ $id: 'FlaggedSubmission' },
);

export const SubmissionList = Type.Object(
	{
		submissions: Type.Array(Submission),
		fields: Type.Array(Type.String(), {
			description:
				'The field names of all submissions of the form (of its spam with `filter=spam`, of those that wait with `filter=pending`), in the order first seen. ' +
				'At most 2,000: those first seen.',
		}),
		pagination: Type.Intersect([
			paginationSchema('Number of all matching submissions.'),
			Type.Object({
				cursor: Type.Optional(
					Type.String({
						description:
							'With `order=asc` and `after` or `since`: where this page ends, for `after` in the next request. On an empty page ' +
							'it is where the request began.',
					}),
				),
			}),
		]),
	},
	{ $id: 'SubmissionList' },
);
export type SubmissionList = Static<typeof SubmissionList>;

const changes = { ...settable, ...withheld };

export const UpdateSubmission = Type.Object(
	{ ...changes, ...ignoredMembers(Submission, settable) },
	{ $id: 'UpdateSubmission', additionalProperties: false },
);

export type SubmissionChange = Partial<{ [Name in keyof typeof changes]: Static<(typeof changes)[Name]> }>;

/** Without what is read-only, which clients may send along. */
export function changeOf(read: Static<typeof UpdateSubmission>): SubmissionChange {
	return Object.fromEntries(Object.entries(read).filter(([name, value]) => name in changes && value !== undefined));
}

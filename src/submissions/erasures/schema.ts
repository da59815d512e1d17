/** The wire shapes of erasures. */

import { type Static, Type } from '@sinclair/typebox';
import { nullable, omissible, stringEnum } from '../../http/schema-types.ts';

const count = (description: string) => Type.Integer({ description });
const moment = (description: string) => nullable(Type.String({ format: 'date-time' }), { description });

const counts = {
	submissions: count('Submissions, spam included; with each go its files, mails and webhook requests.'),
	files: count('Files of these submissions.'),
	deliveries: count('Besides: digests, and other mails and webhook requests that are kept and name the address.'),
	listEntries: count('Entries of block and allow lists.'),
};

export const EraseRequest = Type.Object(
	{
		email: Type.String({ description: 'One mail address.' }),
		dryRun: omissible(
			Type.Boolean({ description: 'Whether only to count what would go; `true` unless it is `false`.', default: true }),
		),
	},
	{ $id: 'EraseRequest', additionalProperties: false },
);

export const Erasure = Type.Object(
	{
		id: Type.String(),
		hash: Type.String({
			description: 'HMAC-SHA-256 of the address by a secret of the server: the address itself is not kept.',
		}),
		by: Type.String({
			description:
				'Who asked for it, as in the audit log: `key:ID`, `session:ID` of a setup link, or `user:NAME` of the command line.',
		}),
		createdAt: Type.String({ format: 'date-time' }),
		state: stringEnum(['running', 'done'], {
			description: '`done`: nothing of the address is left; after a kill it goes on.',
		}),
		finishedAt: moment('When it was done first.'),
		againAt: moment('When it was done again, because a backup was restored.'),
		...counts,
	},
	{ $id: 'Erasure' },
);
export type Erasure = Static<typeof Erasure>;

export const ErasureList = Type.Object({ erasures: Type.Array(Erasure) }, { $id: 'ErasureList' });

export const KeptSetting = Type.Object({
	form: nullable(Type.String(), { description: 'The form; `null` for an API key.' }),
	setting: Type.String({ description: 'Such as `notificationEmail`, `webhooks` or `keys`.' }),
});
export type KeptSetting = Static<typeof KeptSetting>;

export const ErasureOutcome = Type.Object(
	{
		dryRun: Type.Boolean(),
		...counts,
		settings: Type.Array(KeptSetting, {
			description: 'Settings of yours that hold the address. They stay: change them yourself.',
		}),
		erasure: Type.Optional(Erasure),
	},
	{ $id: 'ErasureOutcome' },
);
export type ErasureOutcome = Static<typeof ErasureOutcome>;

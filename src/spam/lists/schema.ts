/** The wire shapes of block and allow lists. */

import { type Static, Type } from '@sinclair/typebox';
import { nullable } from '../../http/schema-types.ts';

const entries = Type.Array(Type.String());

export const Lists = Type.Object(
	{
		block: Type.Array(Type.String(), {
			description: 'Submissions that match an entry are spam, with the entry as the reason.',
		}),
		allow: Type.Array(Type.String(), {
			description: 'Submissions that match an entry are not spam, unless they fill in the honeypot.',
		}),
	},
	{ $id: 'SpamLists' },
);
export type Lists = Static<typeof Lists>;

const some = Type.Optional(nullable(entries));
const change = Type.Optional(
	Type.Union([entries, Type.Object({ add: some, remove: some }, { additionalProperties: false }), Type.Null()], {
		description:
			'An array takes the place of the list; an object adds entries to it, and removes some. `null`: the list is empty, as at first.',
	}),
);

export const ChangeLists = Type.Object(
	{ block: change, allow: change },
	{ $id: 'ChangeSpamLists', additionalProperties: false },
);
export type ChangeLists = Static<typeof ChangeLists>;

export const ListCounts = Type.Object({ block: Type.Integer(), allow: Type.Integer() }, { $id: 'SpamListCounts' });
export type ListCounts = Static<typeof ListCounts>;

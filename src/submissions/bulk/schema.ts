/** The wire shapes of changes to many submissions at once. */

import { type Static, Type } from '@sinclair/typebox';
import { omissible, stringEnum } from '../../http/schema-types.ts';
import { FILTERS } from '../../storage/filters.ts';
import { mapWordLists } from '../../storage/owned.ts';
import { mapSwitches, mapTexts } from '../criteria.ts';
import { settable, withheld } from '../schema.ts';

/** Ids in one request. */
const IDS_MAX = 1000;

const words = (description: string) => omissible(Type.Array(Type.String(), { description }));
const asInTheList = { description: 'With `filter`, as in the list.' };
const target = {
	ids: omissible(
		Type.Array(Type.String(), {
			maxItems: IDS_MAX,
			description: 'These submissions; unknown ids are named in the response.',
		}),
	),
	filter: omissible(
		stringEnum(FILTERS, {
			description: 'Instead of `ids`: all submissions that the list returns with this filter, on all pages.',
		}),
	),
	...mapTexts(() => omissible(Type.String(asInTheList))),
	...mapSwitches(() => omissible(Type.Boolean(asInTheList))),
};

/** Submissions by id, or all that a list would return. */
export const BulkTarget = Type.Object(target, { $id: 'BulkTarget', additionalProperties: false });
export type BulkTarget = Static<typeof BulkTarget>;

export const BulkDeletion = Type.Object(
	{
		...target,
		dryRun: omissible(
			Type.Boolean({
				description:
					'Whether only to say how many it would remove; `true` by default with `search`, which also finds parts of words, `false` otherwise.',
			}),
		),
	},
	{ $id: 'BulkDeletion', additionalProperties: false },
);
export type BulkDeletion = Static<typeof BulkDeletion>;

export const BulkUpdate = Type.Object(
	{
		...target,
		set: omissible(Type.Object(settable, { additionalProperties: false, description: 'What to set of all of them.' })),
		...mapWordLists('adding', () => words('Those that each gets beside those it has.')),
		...mapWordLists('removing', () => words('Those that each loses, if it has them.')),
		...withheld,
	},
	{ $id: 'BulkUpdate', additionalProperties: false },
);
export type BulkUpdate = Static<typeof BulkUpdate>;

const unknown = Type.Optional(
	Type.Array(Type.String(), {
		description: 'Those of `ids` that no submission of the form has; absent if there are none.',
	}),
);

export const Updated = Type.Object({ updated: Type.Integer(), unknown }, { $id: 'Updated' });
export type Updated = Static<typeof Updated>;

export const Deleted = Type.Object(
	{
		deleted: Type.Integer(),
		unknown,
		matched: Type.Optional(Type.Integer({ description: 'Of a dry run: how many it would have removed.' })),
		dryRun: Type.Optional(Type.Literal(true)),
	},
	{ $id: 'Deleted' },
);
export type Deleted = Static<typeof Deleted>;

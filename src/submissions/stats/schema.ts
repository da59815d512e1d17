/** The wire shapes of the counts per day. */

import { type Static, Type } from '@sinclair/typebox';
import { stringMap } from '../../http/schema-types.ts';
import { FAILED_MAX } from './bounds.ts';

const DayCount = Type.Object(
	{
		date: Type.String({ format: 'date', description: 'A day in UTC.' }),
		count: Type.Integer({ description: 'Submissions that are not spam.' }),
		spam: Type.Integer(),
	},
	{ $id: 'DayCount' },
);
export type DayCount = Static<typeof DayCount>;

export const FormStats = Type.Object(
	{ days: Type.Array(DayCount, { description: 'Oldest first; the last one is today.' }) },
	{ $id: 'FormStats' },
);

export const AllStats = Type.Object(
	{
		forms: stringMap(Type.Array(Type.Integer()), {
			description: 'By the id of the form: submissions that are not spam on each day in UTC, oldest first.',
		}),
		failedDeliveries: stringMap(Type.Integer({ maximum: FAILED_MAX }), {
			description: `By the id of the form: how many deliveries have failed, counted up to ${FAILED_MAX}; absent: none. Only with the permission \`admin\`, as deliveries themselves.`,
		}),
	},
	{ $id: 'AllStats' },
);
export type AllStats = Static<typeof AllStats>;

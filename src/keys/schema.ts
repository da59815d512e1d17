/** The wire shapes of API keys. */

import { type Static, Type } from '@sinclair/typebox';
import { MODES, PERMISSIONS } from '../storage/tables.ts';

export const KEY_NAME_MAX = 200;

const literals = <T extends string>(values: readonly T[]) => Type.Union(values.map((value) => Type.Literal(value)));
const Time = Type.String({ format: 'date-time' });

/** An API key as it can be seen after its creation. */
export const ApiKey = Type.Object(
	{
		id: Type.String(),
		name: Type.String(),
		display: Type.String({ description: 'Prefix and last four characters.' }),
		mode: literals(MODES),
		form: Type.Union([Type.String(), Type.Null()], { description: 'The form a form-level key is confined to.' }),
		permissions: Type.Array(literals(PERMISSIONS)),
		createdAt: Time,
		expiresAt: Type.Union([Time, Type.Null()]),
		lastUsedAt: Type.Union([Time, Type.Null()], { description: 'To the minute.' }),
		revokedAt: Type.Union([Time, Type.Null()]),
	},
	{ $id: 'ApiKey' },
);
export type ApiKey = Static<typeof ApiKey>;

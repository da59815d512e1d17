/** The wire shapes of API keys. */

import { type Static, Type } from '@sinclair/typebox';
import { nullable, stringEnum } from '../http/schema-types.ts';
import { MODES, PERMISSIONS } from '../storage/tables.ts';

const Time = Type.String({ format: 'date-time' });

/** An API key without its token. */
export const ApiKey = Type.Object(
	{
		id: Type.String(),
		name: Type.String(),
		display: Type.String({ description: 'Prefix and last four characters.' }),
		mode: stringEnum(MODES),
		form: nullable(Type.String(), { description: 'The form a form-level key is confined to.' }),
		permissions: Type.Array(stringEnum(PERMISSIONS)),
		createdAt: Time,
		expiresAt: nullable(Time),
		lastUsedAt: nullable(Time, { description: 'To the minute.' }),
		revokedAt: nullable(Time),
	},
	{ $id: 'ApiKey' },
);
export type ApiKey = Static<typeof ApiKey>;

export const ApiKeyList = Type.Object({ keys: Type.Array(ApiKey) }, { $id: 'ApiKeyList' });

/** The only response that contains the token. */
export const NewApiKey = Type.Object(
	{ ...ApiKey.properties, key: Type.String({ description: 'The key itself. It is shown this once and never again.' }) },
	{ $id: 'NewApiKey' },
);

export const CreateApiKey = Type.Object(
	{
		name: Type.Optional(Type.String({ description: 'What it is for.' })),
		permissions: Type.Optional(
			Type.Array(stringEnum(PERMISSIONS), {
				description:
					'None implies another but `admin`. Required unless `form` is given; then `read`, `submit` or both, `read` by default.',
			}),
		),
		form: Type.Optional(
			nullable(Type.String(), {
				description: 'The id or slug of a form makes a form-level key, which is for the submissions of this form only.',
			}),
		),
		expiresAt: Type.Optional(nullable(Type.String(), { description: 'When it ends, RFC 3339; never if absent.' })),
		mode: Type.Optional(
			stringEnum(MODES, { description: 'Can only be the mode of the key that asks, which is the default.' }),
		),
	},
	{ $id: 'CreateApiKey', additionalProperties: false },
);
export type CreateApiKey = Static<typeof CreateApiKey>;

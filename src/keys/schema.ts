/** The wire shapes of API keys. */

import { type Static, Type } from '@sinclair/typebox';
import { nullable, omissible, stringEnum } from '../http/schema-types.ts';
import { MODES, PERMISSIONS } from '../storage/tables.ts';
import { KEY_FORMS_MAX, KEY_NAME_MAX, OVERLAP_MAX_SECONDS } from './bounds.ts';

const Time = Type.String({ format: 'date-time' });

export const ApiKey = Type.Object(
	{
		id: Type.String(),
		name: Type.String(),
		display: Type.String({ description: 'Prefix and last four characters; the address of a member.' }),
		email: nullable(Type.String(), {
			description: 'Set for a member: a person who signs in to the dashboard as this address, and has no key.',
		}),
		mode: stringEnum(MODES),
		form: nullable(Type.String(), {
			description: 'The form that a form-level key is confined to, or the first of them.',
		}),
		forms: nullable(Type.Array(Type.String()), {
			description: 'All forms that a form-level key is confined to; `null`: it is for all forms of its mode.',
		}),
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

const token = { description: 'The key itself. It is shown this once and never again.' };

/** The only responses that contain the token. */
export const NewApiKey = Type.Object(
	{
		...ApiKey.properties,
		key: nullable(Type.String(), { description: `${token.description} \`null\`: a member has none.` }),
	},
	{ $id: 'NewApiKey' },
);

export const RotatedApiKey = Type.Object({ ...ApiKey.properties, key: Type.String(token) }, { $id: 'RotatedApiKey' });

export const CreateApiKey = Type.Object(
	{
		name: omissible(Type.String({ description: `What it is for, up to ${KEY_NAME_MAX} characters.` })),
		permissions: omissible(
			Type.Array(stringEnum(PERMISSIONS), {
				description:
					'Only `admin` implies the others. Required unless `form` or `forms` is given; then any of `read`, `write` (the flags of submissions) and `submit`, `read` by default.',
			}),
		),
		form: Type.Optional(
			nullable(Type.String(), {
				description: 'The id or slug of a form makes a form-level key, which is for the submissions of this form only.',
			}),
		),
		forms: Type.Optional(
			nullable(Type.Array(Type.String()), {
				description: `The same for 1 to ${KEY_FORMS_MAX} forms. One that is deleted leaves the key; with the last one the key is gone.`,
			}),
		),
		expiresAt: Type.Optional(nullable(Type.String(), { description: 'When it ends, RFC 3339; never if absent.' })),
		email: omissible(
			Type.String({
				description:
					'Makes a member in place of a key: a person whom single sign-on or a trusted proxy knows by this mail address, and who ' +
					'then may do in the dashboard what a key with these permissions may.',
			}),
		),
		mode: omissible(
			stringEnum(MODES, { description: 'Must be the mode of the requesting key, which is the default.' }),
		),
	},
	{ $id: 'CreateApiKey', additionalProperties: false },
);
export type CreateApiKey = Static<typeof CreateApiKey>;

export const RotateApiKey = Type.Object(
	{
		overlapSeconds: omissible(
			Type.Integer({
				minimum: 0,
				maximum: OVERLAP_MAX_SECONDS,
				description:
					'How long the old key stays valid beside the new one, up to 30 days; 0, the default: it is revoked at once.',
			}),
		),
	},
	{ $id: 'RotateApiKey', additionalProperties: false },
);

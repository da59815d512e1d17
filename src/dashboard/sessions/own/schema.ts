/** The wire shapes of a dashboard session. */

import { type Static, Type } from '@sinclair/typebox';
import { nullable, omissible, stringEnum } from '../../../http/schema-types.ts';
import { MODES, PERMISSIONS } from '../../../storage/tables.ts';

const Mode = stringEnum(MODES);

export const SessionView = Type.Object(
	{
		mode: Mode,
		modes: Type.Array(Mode, { description: 'The modes that the session can switch between.' }),
		permissions: Type.Array(stringEnum(PERMISSIONS)),
		form: nullable(Type.String(), { description: 'The form of a form-level key, or the first of them.' }),
		forms: nullable(Type.Array(Type.Object({ id: Type.String(), name: Type.String() })), {
			description: 'All forms of a form-level key; `null`: it is for all forms of the mode.',
		}),
		version: Type.String({ description: 'Version of the server.' }),
		baseUrl: Type.String(),
		submitUrl: Type.String({ description: 'Where forms post to, at `/f/{slug}`.' }),
		expiresAt: Type.String({ format: 'date-time', description: 'When it ends without further use.' }),
	},
	{ $id: 'Session' },
);
export type SessionView = Static<typeof SessionView>;

export const OpenSession = Type.Object(
	{
		key: omissible(Type.String({ description: 'An API key of any kind.' })),
		token: omissible(Type.String({ description: 'The token at the end of a set-up link, which works once.' })),
	},
	{ $id: 'OpenSession', additionalProperties: false },
);
export type OpenSession = Static<typeof OpenSession>;

export const SwitchMode = Type.Object({ mode: Mode }, { $id: 'SwitchMode', additionalProperties: false });

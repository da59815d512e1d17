/** The wire shapes of signing in to the dashboard. */

import { type Static, Type } from '@sinclair/typebox';
import { nullable, stringEnum } from '../../http/schema-types.ts';
import { MODES, PERMISSIONS } from '../../storage/tables.ts';

const Mode = stringEnum(MODES);

export const SessionView = Type.Object(
	{
		mode: Mode,
		modes: Type.Array(Mode, { description: 'The modes it may switch between.' }),
		permissions: Type.Array(stringEnum(PERMISSIONS)),
		form: nullable(Type.String(), { description: 'The only form that a form-level key reads.' }),
		formName: Type.Optional(Type.String({ description: 'That form’s name.' })),
		version: Type.String({ description: 'Of the server.' }),
		baseUrl: Type.String(),
		submitUrl: Type.String({ description: 'Where forms post to, at `/f/{slug}`.' }),
		expiresAt: Type.String({ format: 'date-time', description: 'When it ends unless it is used.' }),
	},
	{ $id: 'Session' },
);
export type SessionView = Static<typeof SessionView>;

export const OpenSession = Type.Object(
	{
		key: Type.Optional(Type.String({ description: 'An API key of any kind.' })),
		token: Type.Optional(Type.String({ description: 'Or what stands at the end of a set-up link, which works once.' })),
	},
	{ $id: 'OpenSession', additionalProperties: false },
);
export type OpenSession = Static<typeof OpenSession>;

export const SwitchMode = Type.Object({ mode: Mode }, { $id: 'SwitchMode', additionalProperties: false });

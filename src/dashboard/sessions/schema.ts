/** The wire shapes of dashboard sessions: one's own, and the list. */

import { type Static, Type } from '@sinclair/typebox';
import { nullable, omissible, stringEnum } from '../../http/schema-types.ts';
import { MODES, PERMISSIONS } from '../../storage/tables.ts';

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
		keyId: nullable(Type.String(), { description: 'The key or member that it was opened with; `null`: a setup link.' }),
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
		token: omissible(
			Type.String({ description: 'The token at the end of a setup link or an invitation, which works once.' }),
		),
		proxy: omissible(
			Type.Literal(true, {
				description: 'Signs in the member whom a trusted proxy names in the header of `FORMSRV_AUTH_HEADER`.',
			}),
		),
	},
	{ $id: 'OpenSession', additionalProperties: false },
);
export type OpenSession = Static<typeof OpenSession>;

export const SignInWays = Type.Object(
	{
		proxy: nullable(Type.String(), { description: 'The mail address of the person whom a trusted proxy names.' }),
		oidc: nullable(Type.String(), { description: 'Where a browser starts to sign in by OpenID Connect.' }),
	},
	{ $id: 'SignInWays' },
);
export type SignInWays = Static<typeof SignInWays>;

export const SwitchMode = Type.Object({ mode: Mode }, { $id: 'SwitchMode', additionalProperties: false });

export const SignedIn = Type.Object(
	{
		id: Type.String({ description: 'The id in the log.' }),
		key: nullable(Type.Object({ id: Type.String(), name: Type.String(), display: Type.String() }), {
			description: 'The key that opened it; it ends with the key. `null`: a setup link.',
		}),
		mode: stringEnum(MODES, { description: 'A session from a setup link can switch.' }),
		createdAt: Type.String({ format: 'date-time', description: 'Time of sign-in.' }),
		lastSeenAt: Type.String({ format: 'date-time', description: 'Time of the last request, to the minute.' }),
		expiresAt: Type.String({ format: 'date-time', description: 'When it ends without further use.' }),
		isCurrent: Type.Boolean({ description: 'Whether this request came with it.' }),
	},
	{ $id: 'SignedIn' },
);
export type SignedIn = Static<typeof SignedIn>;

export const SignedInList = Type.Object({ sessions: Type.Array(SignedIn) }, { $id: 'SignedInList' });

export const Ended = Type.Object({ ended: Type.Integer() }, { $id: 'Ended' });

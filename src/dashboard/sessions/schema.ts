/** The wire shapes of the list of sessions. */

import { type Static, Type } from '@sinclair/typebox';
import { nullable, stringEnum } from '../../http/schema-types.ts';
import { MODES } from '../../storage/tables.ts';

export const SignedIn = Type.Object(
	{
		id: Type.String({ description: 'The id in the log.' }),
		key: nullable(Type.Object({ id: Type.String(), name: Type.String(), display: Type.String() }), {
			description: 'The key that opened it; it ends with the key. `null`: a set-up link.',
		}),
		mode: stringEnum(MODES, { description: 'A session from a set-up link can switch.' }),
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

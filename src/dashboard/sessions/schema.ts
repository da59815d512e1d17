/** The wire shapes of who is signed in. */

import { type Static, Type } from '@sinclair/typebox';
import { nullable, stringEnum } from '../../http/schema-types.ts';
import { MODES } from '../../storage/tables.ts';

export const SignedIn = Type.Object(
	{
		id: Type.String({ description: 'As the log names it.' }),
		key: nullable(Type.Object({ id: Type.String(), name: Type.String(), display: Type.String() }), {
			description: 'The key it was opened with, and ends with; `null`: a set-up link.',
		}),
		mode: stringEnum(MODES, { description: 'One from a set-up link may switch.' }),
		createdAt: Type.String({ format: 'date-time', description: 'When it was opened.' }),
		lastSeenAt: Type.String({ format: 'date-time', description: 'To the minute.' }),
		expiresAt: Type.String({ format: 'date-time', description: 'When it ends unless it is used.' }),
		isCurrent: Type.Boolean({ description: 'Whether it is the one that asks.' }),
	},
	{ $id: 'SignedIn' },
);
export type SignedIn = Static<typeof SignedIn>;

export const SignedInList = Type.Object({ sessions: Type.Array(SignedIn) }, { $id: 'SignedInList' });

export const Ended = Type.Object({ ended: Type.Integer() }, { $id: 'Ended' });

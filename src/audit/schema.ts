/** The wire shapes of the audit log. */

import { type Static, Type } from '@sinclair/typebox';
import { paginationSchema } from '../http/paging.ts';
import { nullable, stringEnum } from '../http/schema-types.ts';
import { MODES } from '../storage/tables.ts';
import { ACTOR_KINDS, TOTAL_MAX } from './bounds.ts';

const orNull = (description: string) => nullable(Type.String(), { description });

export const AuditEntry = Type.Object(
	{
		id: Type.String(),
		createdAt: Type.String({ format: 'date-time' }),
		mode: stringEnum(MODES, { description: '`live` also for what concerns the whole server.' }),
		action: Type.String({
			description:
				'The `operationId` of the API. The same for a command that does the same; another command by a name of its own.',
		}),
		actor: Type.Object({
			kind: stringEnum(ACTOR_KINDS, {
				description:
					'An API `key`; the `session` of a setup link; a `user` of the command line; the holder of a `link` to a file; ' +
					'the `server` itself, for its backups; `unknown`: failed to sign in; `others`: all those for whom there was no entry left.',
			}),
			id: orNull('Id of the key or session, or name of the user.'),
			name: orNull('Name of the key, or how it is shown in lists if it has none.'),
		}),
		session: orNull('The session of the dashboard, if it was one.'),
		form: orNull('The form it is about; it may be deleted.'),
		object: nullable(Type.Object({ kind: Type.String(), id: Type.String() }), {
			description: 'The object it is about, such as a submission; it may be gone.',
		}),
		address: orNull('Address of the client, as far as `FORMSRV_LOG_ADDRESS` lets it be known.'),
		count: Type.Integer({ description: 'How often it happened: repeated downloads and failures are one entry.' }),
		details: Type.Object(
			{
				changes: Type.Optional(
					Type.Any({
						description:
							'Settings by name, `before` and `after`; of a list their numbers, with up to ten that were `added` and ' +
							'`removed`; of a secret only `changed`.',
					}),
				),
				counts: Type.Optional(Type.Any({ description: 'How many objects it changed, by kind.' })),
				facts: Type.Optional(Type.Any({ description: 'Circumstances, such as the format of an export.' })),
			},
			{ description: 'Never anything that visitors submitted.' },
		),
	},
	{ $id: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditLog = Type.Object(
	{
		entries: Type.Array(AuditEntry),
		actions: Type.Array(Type.String(), { description: 'The actions among the latest entries, for a choice.' }),
		pagination: paginationSchema(`How many match; counted up to ${TOTAL_MAX}.`),
	},
	{ $id: 'AuditLog' },
);
export type AuditLog = Static<typeof AuditLog>;

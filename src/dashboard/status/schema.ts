/** The wire shape of the server's status. */

import { type Static, Type } from '@sinclair/typebox';
import { nullable } from '../../http/schema-types.ts';
import { FINDING_NAMES } from '../../storage/findings.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const Status = Type.Object(
	{
		version: Type.String(),
		uptimeSeconds: count('Time since the start.'),
		database: Type.Object({
			sizeBytes: count('Size of the database.'),
			walBytes: count('Size of the write-ahead log; 0 with PostgreSQL.'),
			freeBytes: nullable(count('Free space on the disk; null with PostgreSQL, whose disk is not known.')),
			freeInodes: nullable(
				count('How many more files the disk can hold; null where it has no bound, and with PostgreSQL.'),
			),
		}),
		files: Type.Object(
			{
				usedBytes: count('Bytes of attached files, of all forms in both modes; each counts as 4 KiB at least.'),
				quotaBytes: count('Maximum total size of files: FORMSRV_FILES_QUOTA.'),
				formQuotaBytes: count('Maximum size of the files of one form.'),
				forms: Type.Array(
					Type.Object({ id: Type.String(), slug: Type.String(), usedBytes: count('Bytes of its files.') }),
					{ description: 'The forms with the most, up to ten, in the mode of the key.' },
				),
			},
			{ description: 'Attached files.' },
		),
		settings: Type.Array(
			Type.Object({
				name: Type.String({ description: 'The name in the environment.' }),
				value: Type.String({ description: 'A description if it is not set; secrets are never shown.' }),
				source: Type.String({ description: 'Where it was set: a flag, a variable, a file, or `default`.' }),
			}),
		),
		mail: Type.Object({
			configured: Type.Boolean({ description: 'Whether a mail server is set.' }),
			from: nullable(Type.String(), { description: 'The From of mails.' }),
		}),
		queue: Type.Object(
			{ waiting: count('Not sent yet.'), failed: count('Given up.') },
			{ description: 'Deliveries in the mode of the key; counted up to 10,000.' },
		),
		clock: Type.Object(
			{
				problem: nullable(Type.String(), { description: 'Why the clock is probably wrong now.' }),
				latest: nullable(Type.String(), {
					description: 'The latest clock step of a minute or more, with both times.',
				}),
			},
			{ description: 'Sentences about the clock of the machine.' },
		),
		backup: nullable(
			Type.Object({
				everySeconds: nullable(count('Time between two backups; null if the server makes none by itself.')),
				lastAt: nullable(Type.String({ format: 'date-time' }), {
					description:
						'When the last backup that is there was begun, with PostgreSQL that of attached files or the last dump, whichever is older; ' +
						'null if there is none.',
				}),
				ageSeconds: nullable(count('Time since then.')),
			}),
			{ description: 'Backups in FORMSRV_BACKUP_TO; null if it is not set.' },
		),
		problems: Type.Array(
			Type.Object({
				name: Type.String({
					description: `One of ${FINDING_NAMES.map((name) => `\`${name}\``).join(', ')}.`,
				}),
				problem: Type.String({ description: 'What happened, what it means and what to do.' }),
				detail: nullable(Type.String(), { description: 'The exact observation, if there is one; for live keys.' }),
				since: Type.String({ format: 'date-time' }),
			}),
			{ description: 'The current problems.' },
		),
		health: Type.String({ description: '`ok`, or sentences about what needs attention.' }),
	},
	{ $id: 'Status' },
);
export type Status = Static<typeof Status>;

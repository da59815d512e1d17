/** The wire shape of the server's status. */

import { type Static, Type } from '@sinclair/typebox';
import { nullable } from '../../http/schema-types.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const Status = Type.Object(
	{
		version: Type.String(),
		uptimeSeconds: count('How long the server has been running.'),
		database: Type.Object({
			sizeBytes: count('Of the database file.'),
			walBytes: count('Of what is stored and not yet moved into that file.'),
			freeBytes: count('Left on the disk.'),
		}),
		settings: Type.Array(
			Type.Object({
				name: Type.String({ description: 'As in the environment.' }),
				value: Type.String({ description: 'In words where it is not set; secrets are never shown.' }),
				source: Type.String({ description: 'Who set it: a flag, a variable, a file, or `default`.' }),
			}),
		),
		mail: Type.Object({
			configured: Type.Boolean({ description: 'Whether a mail server is set.' }),
			from: nullable(Type.String(), { description: 'Who mails come from.' }),
		}),
		queue: Type.Object(
			{ waiting: count('To be sent.'), failed: count('Given up.') },
			{ description: 'Deliveries of the mode of the key; counted up to 10,000.' },
		),
		clock: Type.Object(
			{
				problem: nullable(Type.String(), { description: 'Why it seems to be wrong now.' }),
				latest: nullable(Type.String(), {
					description: 'When it was set last by a minute or more, from what to what.',
				}),
			},
			{ description: 'Whether the clock of the machine is right, in sentences.' },
		),
		problems: Type.Array(
			Type.Object({
				name: Type.String({ description: '`file`, `write`, `lock`, `disk` or `damage`.' }),
				problem: Type.String({ description: 'What happened, what it means and what to do.' }),
				since: Type.String({ format: 'date-time' }),
			}),
			{ description: 'What keeps the server from storing everything, at the moment.' },
		),
		health: Type.String({ description: '`ok`, or in words what needs attention.' }),
	},
	{ $id: 'Status' },
);
export type Status = Static<typeof Status>;

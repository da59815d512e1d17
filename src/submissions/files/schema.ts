/** The wire shapes of links to files. */

import { type Static, Type } from '@sinclair/typebox';
import { omissible } from '../../http/schema-types.ts';

const HOUR_SECONDS = 3600;
export const EXPIRES_IN_DEFAULT = HOUR_SECONDS;
const EXPIRES_IN_MAX = 7 * 24 * HOUR_SECONDS;

export const CreateFileLink = Type.Object(
	{
		expiresIn: omissible(
			Type.Integer({
				minimum: 1,
				maximum: EXPIRES_IN_MAX,
				default: EXPIRES_IN_DEFAULT,
				description: 'Seconds until it ends; at most seven days.',
			}),
		),
	},
	{ $id: 'CreateFileLink', additionalProperties: false },
);
export type CreateFileLink = Static<typeof CreateFileLink>;

export const FileLink = Type.Object(
	{
		url: Type.String({ description: 'Everyone who has it can download the file.' }),
		expiresAt: Type.String({ format: 'date-time' }),
	},
	{ $id: 'FileLink' },
);
export type FileLink = Static<typeof FileLink>;

/** Request and response schemas of the suppression list. */

import { Type } from '@sinclair/typebox';

export const Suppressions = Type.Object(
	{
		rejected: Type.Integer({ description: 'Addresses that their mail server rejected for good.' }),
		asked: Type.Integer({ description: 'Addresses that asked for no more mails, by the link in one.' }),
	},
	{ $id: 'Suppressions' },
);
export const SuppressedAddress = Type.Object(
	{ email: Type.String({ description: 'One mail address.' }) },
	{ $id: 'SuppressedAddress', additionalProperties: false },
);

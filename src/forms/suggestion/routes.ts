/** The route of the suggestion of field rules. */

import { type TArray, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { jsonResponse, operation, pathParameter } from '../../http/openapi.ts';
import type { Auth } from '../../keys/auth.ts';
import type { Storage } from '../../storage/contract.ts';
import { Form } from '../schema.ts';
import { readFieldSuggestion } from './suggest-fields.ts';

const [rules] = Form.properties.fields.anyOf as [TArray];

const FieldSuggestion = Type.Object(
	{
		fields: Type.Array(rules.items, { description: 'In the shape of the setting `fields`.' }),
		scanned: Type.Integer({ description: 'From how many submissions.' }),
	},
	{ $id: 'FieldSuggestion' },
);

export const suggestionRoutes = (storage: Pick<Storage, 'findFormId' | 'submissions'>, auth: Auth) =>
	new Elysia({ tags: ['Forms'] })
		.use(auth)
		.get(
			'/api/forms/:id/fields/suggestion',
			({ principal, params }) => readFieldSuggestion(storage, params.id, principal.mode),
			{
				access: { permission: 'read' },
				detail: operation('suggestFields', 'Suggest field rules', {
					description:
						'Rules that hold for the newest submissions without spam, up to 1,000 of them. They are not set: look at them, and ' +
						'send them as `fields` of the form.',
					parameters: [pathParameter('id', { description: 'The form.', example: 'cmnrg2x7k8w' })],
					returns: jsonResponse('The rules.', {
						schema: FieldSuggestion,
						example: {
							fields: [{ name: 'email', type: 'email', label: 'Email', required: true }],
							scanned: 812,
						},
					}),
					errors: ['FORM_NOT_FOUND'],
				}),
			},
		);

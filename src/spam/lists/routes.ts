/** The routes of block and allow lists: of one form, and of all forms of the key's mode. */

import { Elysia } from 'elysia';
import { readJson } from '../../http/json-body.ts';
import { jsonBody, jsonResponse, operation, pathParameter } from '../../http/openapi.ts';
import type { Auth } from '../../keys/auth.ts';
import type { SpamLists } from './lists.ts';
import { ChangeLists, ListCounts, Lists } from './schema.ts';

const EXAMPLE = {
	block: ['domain:spam.example', 'cidr:203.0.113.0/24', 'text:buy followers'],
	allow: ['email:ada@example.com'],
};
const formId = pathParameter('id', { description: 'The form.', example: 'cmnrg2x7k8w' });
const ENTRIES =
	'Up to 5,000 entries each: `email:` and `domain:` (with its subdomains) are held against `_replyto` and the fields that are nothing but a ' +
	'mail address, `cidr:` against the address of the sender, `text:` against all that was sent, whatever the case and blanks.';
const CHANGE =
	'An array takes the place of a list; `add` and `remove` change it. It takes the permission to read as well, because what a list ' +
	'meets tells what is in submissions.';
const returns = jsonResponse('The lists.', { schema: Lists, example: EXAMPLE });
const requestBody = jsonBody(ChangeLists, { block: { add: ['domain:spam.example'] } });
const changed = jsonResponse('How many entries the lists have then.', {
	schema: ListCounts,
	example: { block: 3, allow: 1 },
});
const reads = { permission: 'read' } as const;
const writes = { permission: 'write', isTelling: true } as const;

/** Both lists, full of the longest entries, fit into it. */
const MAX_BYTES = 8 * 2 ** 20;

export const listRoutes = (lists: SpamLists, auth: Auth) =>
	new Elysia({ prefix: '/api', tags: ['Spam'] })
		.use(auth)
		.get('/lists', ({ ownMode }) => lists.get({ mode: ownMode }), {
			access: reads,
			detail: operation('getLists', 'Get the lists of all forms', {
				description: `What is blocked and allowed at every form of the mode. ${ENTRIES}`,
				returns,
			}),
		})
		.patch(
			'/lists',
			async ({ ownMode, request }) =>
				lists.change({ mode: ownMode }, await readJson(request, ChangeLists, { maxBytes: MAX_BYTES })),
			{
				access: writes,
				detail: operation('updateLists', 'Change the lists of all forms', {
					description: CHANGE,
					requestBody,
					returns: changed,
				}),
			},
		)
		.get('/forms/:id/lists', ({ principal, params }) => lists.get({ mode: principal.mode, form: params.id }), {
			access: reads,
			detail: operation('getFormLists', 'Get the lists of a form', {
				description: `What is blocked and allowed at this form, besides what is at all forms. ${ENTRIES}`,
				parameters: [formId],
				returns,
				errors: ['FORM_NOT_FOUND'],
			}),
		})
		.patch(
			'/forms/:id/lists',
			async ({ principal, params, request }) => {
				const form = { mode: principal.mode, form: params.id };
				await lists.get(form);
				return lists.change(form, await readJson(request, ChangeLists, { maxBytes: MAX_BYTES }));
			},
			{
				access: writes,
				detail: operation('updateFormLists', 'Change the lists of a form', {
					description: CHANGE,
					parameters: [formId],
					requestBody,
					returns: changed,
					errors: ['FORM_NOT_FOUND'],
				}),
			},
		);

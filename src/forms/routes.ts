/** The management routes of forms. */

import { Elysia } from 'elysia';
import { readJson } from '../http/json-body.ts';
import { jsonBody, jsonResponse, operation, pathParameter } from '../http/openapi.ts';
import { succeed, successResponse } from '../http/success.ts';
import type { Auth } from '../keys/auth.ts';
import { mapOtherCounts } from '../storage/filters.ts';
import { ensureForm } from './ensure.ts';
import type { Forms } from './forms.ts';
import {
	ChangedForm,
	CreateForm,
	changedForm,
	EnsuredForm,
	ensuredForm,
	Form,
	FormList,
	UpdateForm,
} from './schema.ts';
import { mapSettings } from './settings.ts';

const EXAMPLE = {
	id: 'cmnrg2x7k8w',
	...mapSettings(({ example }) => example),
	formerSlugs: [],
	submissionCount: 12,
	createdAt: '2026-01-02T03:04:05.678Z',
	mode: 'live',
	...mapOtherCounts(() => 1),
	nextDeletion: null,
	fileBytes: 1_253_376,
};
const formId = pathParameter('id', { description: 'The form.', example: EXAMPLE.id });
const ensuredResponse = (description: string, outcome: object) =>
	jsonResponse(description, { schema: EnsuredForm, example: { form: EXAMPLE, ...outcome } });

export const formRoutes = (forms: Forms, auth: Auth) =>
	new Elysia({ prefix: '/api/forms', tags: ['Forms'] })
		.use(auth)
		.get('', async ({ principal }) => ({ forms: await forms.list(principal.mode) }), {
			access: { permission: 'read' },
			detail: operation('listForms', 'List forms', {
				description: 'All forms of the mode of the key, newest first.',
				returns: jsonResponse('The forms.', { schema: FormList, example: { forms: [EXAMPLE] } }),
			}),
		})
		.post(
			'',
			async ({ ownMode, mayRead, checkDisclosure, request, set }) => {
				const form = await forms.create(ownMode, await readJson(request, CreateForm), checkDisclosure);
				set.status = 201;
				set.headers.location = `/api/forms/${form.id}`;
				return changedForm(form, mayRead);
			},
			{
				access: { permission: 'write' },
				detail: operation('createForm', 'Create a form', {
					description:
						'The form belongs to the mode of the key: live or test. Members that only the server sets are ignored. A slug may be ' +
						'a former one of another form, which takes the permission to read as well; that of a deleted form is free after 30 days.',
					requestBody: jsonBody(CreateForm, { name: 'Contact', notificationEmail: 'you@example.com' }),
					creates: jsonResponse('The new form.', {
						schema: ChangedForm,
						example: EXAMPLE,
						headers: { Location: 'Its path.' },
					}),
					errors: ['SLUG_TAKEN'],
				}),
			},
		)
		.put(
			'/slug/:slug',
			async ({ ownMode, mayRead, checkDisclosure, params, request, set }) => {
				const input = await readJson(request, UpdateForm);
				const ensured = await ensureForm(forms, params.slug, { mode: ownMode, input, checkDisclosure });
				if (ensured.isNew) set.status = 201;
				else await forms.recordFound(ensured.form);
				return ensuredForm(ensured, mayRead);
			},
			{
				access: { permission: 'write' },
				detail: operation('ensureForm', 'Find a form by its slug, or create it', {
					description:
						'Returns the form with this slug as it is, and which of the settings that were sent it does not have. If there is none, it is ' +
						'created with them; without `name` it is called as its slug.',
					parameters: [pathParameter('slug', { description: 'The slug.', example: 'contact' })],
					requestBody: jsonBody(UpdateForm, { name: 'Contact' }),
					returns: ensuredResponse('The form was there.', { isNew: false, differs: ['name'] }),
					creates: ensuredResponse('The form was created.', { isNew: true, differs: [] }),
					errors: ['SLUG_TAKEN'],
				}),
			},
		)
		.get('/:id', ({ principal, params }) => forms.get(params.id, principal.mode), {
			access: { permission: 'read' },
			detail: operation('getForm', 'Read a form', {
				description: 'One form with its settings and counts.',
				parameters: [formId],
				returns: jsonResponse('The form.', { schema: Form, example: EXAMPLE }),
				errors: ['FORM_NOT_FOUND'],
			}),
		})
		.patch(
			'/:id',
			async ({ principal: { mode }, mayRead, checkDisclosure, params, request }) => {
				await forms.get(params.id, mode);
				const input = await readJson(request, UpdateForm);
				return changedForm(await forms.update(params.id, { mode, checkDisclosure, input }), mayRead);
			},
			{
				access: { permission: 'write' },
				detail: operation('updateForm', 'Update a form', {
					description:
						'Changes the members that are sent; `null` stands for the default. Read-only members are ignored, unknown ones rejected. ' +
						'To change `notificationEmail`, `notification`, `routes` or `spam` a key needs the permission to read as well, for `keptIn` that ' +
						'to delete; the former addresses are notified by mail. After a change of the slug the former one still leads to the form, until ' +
						'another form takes it.',
					parameters: [formId],
					requestBody: jsonBody(UpdateForm, { isActive: false }),
					returns: jsonResponse('The form after the change.', {
						schema: ChangedForm,
						example: { ...EXAMPLE, isActive: false },
					}),
					errors: ['FORM_NOT_FOUND', 'SLUG_TAKEN'],
				}),
			},
		)
		.delete('/:id', ({ principal, params }) => succeed(forms.remove(params.id, principal.mode)), {
			access: { permission: 'delete' },
			detail: operation('deleteForm', 'Delete a form', {
				description: 'Removes the form and all its submissions for good. This cannot be undone.',
				parameters: [formId],
				returns: successResponse('Deleted.'),
				errors: ['FORM_NOT_FOUND'],
			}),
		});

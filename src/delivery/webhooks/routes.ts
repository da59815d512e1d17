/** The management routes of webhooks. All need `admin`: a target's URL often contains a credential. */

import { Elysia } from 'elysia';
import { readJson } from '../../http/json-body.ts';
import { jsonBody, jsonResponse, operation, pathParameter } from '../../http/openapi.ts';
import { succeed, successResponse } from '../../http/success.ts';
import type { Auth } from '../../keys/auth.ts';
import type { Mode } from '../../storage/tables.ts';
import { CreateWebhook, UpdateWebhook, Webhook, WebhookList, WebhookTestResult, WebhookWithSecret } from './schema.ts';
import type { Webhooks } from './webhooks.ts';

const EXAMPLE = {
	id: 'cmnrg2x9b3d',
	url: 'https://hooks.example.com/formsrv',
	name: null,
	format: 'standard',
	include: 'summary',
	headers: {},
	body: null,
	where: [],
	events: ['submission.created'],
	isActive: true,
	disabledReason: null,
	failingSince: null,
	createdAt: '2026-01-02T03:04:05.678Z',
};
const EXAMPLE_WITH_SECRET = { ...EXAMPLE, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD8MR7dTsnbwY=' };
const formId = pathParameter('id', { description: 'The form.', example: 'cmnrg2x7k8w' });
const webhookId = pathParameter('webhookId', { description: 'The webhook.', example: EXAMPLE.id });
const access = { permission: 'admin' } as const;
const missing = ['FORM_NOT_FOUND', 'NOT_FOUND'] as const;

export const webhookRoutes = (webhooks: Webhooks, auth: Auth) =>
	new Elysia({ prefix: '/api/forms/:id/webhooks', tags: ['Webhooks'] })
		.use(auth)
		.get(
			'',
			async ({ principal, params }) => ({ webhooks: await webhooks.list({ form: params.id, mode: principal.mode }) }),
			{
				access,
				detail: operation('listWebhooks', 'List webhooks', {
					description: 'The webhooks of a form, oldest first, without their secrets.',
					parameters: [formId],
					returns: jsonResponse('The webhooks.', { schema: WebhookList, example: { webhooks: [EXAMPLE] } }),
					errors: missing,
				}),
			},
		)
		.post(
			'',
			async ({ principal, params, request, set }) => {
				const form = { form: params.id, mode: principal.mode };
				await webhooks.checkForm(form);
				const webhook = await webhooks.create(form, await readJson(request, CreateWebhook));
				set.status = 201;
				set.headers.location = `/api/forms/${params.id}/webhooks/${webhook.id}`;
				return webhook;
			},
			{
				access,
				detail: operation('createWebhook', 'Create a webhook', {
					description: 'The events that it names are posted to it, signed as standardwebhooks.com specifies.',
					parameters: [formId],
					requestBody: jsonBody(CreateWebhook, { url: EXAMPLE.url }),
					creates: jsonResponse('The new webhook, with its secret.', {
						schema: WebhookWithSecret,
						example: EXAMPLE_WITH_SECRET,
						headers: { Location: 'Its path.' },
					}),
					errors: [...missing, 'CONFLICT'],
				}),
			},
		)
		.get('/:webhookId', ({ principal, params }) => webhooks.get(refOf(principal, params)), {
			access,
			detail: operation('getWebhook', 'Read a webhook', {
				description: 'One webhook and its health, without its secret.',
				parameters: [formId, webhookId],
				returns: jsonResponse('The webhook.', { schema: Webhook, example: EXAMPLE }),
				errors: missing,
			}),
		})
		.patch(
			'/:webhookId',
			async ({ principal, params, request }) => {
				const ref = refOf(principal, params);
				await webhooks.get(ref);
				return webhooks.update(ref, await readJson(request, UpdateWebhook));
			},
			{
				access,
				detail: operation('updateWebhook', 'Update a webhook', {
					description:
						'Changes the given members. `isActive: true` resumes a disabled webhook and clears its failures.',
					parameters: [formId, webhookId],
					requestBody: jsonBody(UpdateWebhook, { isActive: true }),
					returns: jsonResponse('The webhook after the change.', { schema: Webhook, example: EXAMPLE }),
					errors: missing,
				}),
			},
		)
		.delete('/:webhookId', ({ principal, params }) => succeed(webhooks.remove(refOf(principal, params))), {
			access,
			detail: operation('deleteWebhook', 'Delete a webhook', {
				description: 'Removes it and its deliveries.',
				parameters: [formId, webhookId],
				returns: successResponse('Deleted.'),
				errors: missing,
			}),
		})
		.post('/:webhookId/rotate-secret', ({ principal, params }) => webhooks.rotateSecret(refOf(principal, params)), {
			access,
			detail: operation('rotateWebhookSecret', 'Rotate the secret', {
				description:
					'Creates a new secret. For a day deliveries are signed with both, so that receivers can change over. A rotation within ' +
					'that day ends no secret: it begins anew for all. Five can sign at one time; one more is a conflict.',
				parameters: [formId, webhookId],
				returns: jsonResponse('The webhook, with its new secret.', {
					schema: WebhookWithSecret,
					example: EXAMPLE_WITH_SECRET,
				}),
				errors: [...missing, 'CONFLICT'],
			}),
		})
		.post('/:webhookId/test', ({ principal, params }) => webhooks.test(refOf(principal, params)), {
			access,
			detail: operation('testWebhook', 'Send a test event', {
				description: 'Posts a `webhook.test` event once and waits at most 15 seconds for the response.',
				parameters: [formId, webhookId],
				returns: jsonResponse('The result.', {
					schema: WebhookTestResult,
					example: { delivered: true, status: 204, error: null, answer: '' },
				}),
				errors: [...missing, 'CONFLICT'],
			}),
		});

function refOf({ mode }: { mode: Mode | undefined }, { id, webhookId }: { id: string; webhookId: string }) {
	return { form: id, webhook: webhookId, mode };
}

/** The management routes of webhooks. All need `admin`: a target's URL often contains a credential. */

import { Elysia } from 'elysia';
import { readJson } from '../../http/json-body.ts';
import { errorResponses, jsonBody, jsonResponse, operation, pathParameter } from '../../http/openapi.ts';
import { Success } from '../../http/success.ts';
import type { Auth } from '../../keys/auth.ts';
import { CreateWebhook, UpdateWebhook, Webhook, WebhookList, WebhookTestResult, WebhookWithSecret } from './schema.ts';
import type { Webhooks } from './webhooks.ts';

const EXAMPLE = {
	id: 'cmnrg2x9b3d',
	url: 'https://hooks.example.com/formsrv',
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
const accessErrors = () => errorResponses('UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'FORM_NOT_FOUND', 'RATE_LIMITED');
const bodyErrors = () =>
	errorResponses('VALIDATION_ERROR', 'INVALID_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'UNAVAILABLE');

export const webhookRoutes = (webhooks: Webhooks, auth: Auth) =>
	new Elysia({ prefix: '/api/forms/:id/webhooks', tags: ['Webhooks'] })
		.use(auth)
		.get(
			'',
			async ({ principal, params }) => ({ webhooks: await webhooks.list({ form: params.id, mode: principal.mode }) }),
			{
				access,
				detail: {
					...operation('listWebhooks', 'List webhooks', 'The webhooks of a form, oldest first, without their secrets.'),
					parameters: [formId],
					responses: {
						200: jsonResponse('The webhooks.', { schema: WebhookList, example: { webhooks: [EXAMPLE] } }),
						...accessErrors(),
					},
				},
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
				detail: {
					...operation(
						'createWebhook',
						'Create a webhook',
						'Every submission that is not spam is posted to it, signed as standardwebhooks.com specifies.',
					),
					parameters: [formId],
					requestBody: jsonBody(CreateWebhook, { url: EXAMPLE.url }),
					responses: {
						201: jsonResponse('The new webhook, with its secret.', {
							schema: WebhookWithSecret,
							example: EXAMPLE_WITH_SECRET,
							headers: { Location: 'Its path.' },
						}),
						...accessErrors(),
						...bodyErrors(),
						...errorResponses('CONFLICT'),
					},
				},
			},
		)
		.get('/:webhookId', ({ principal, params }) => webhooks.get(refOf(principal, params)), {
			access,
			detail: {
				...operation('getWebhook', 'Read a webhook', 'One webhook and its health, without its secret.'),
				parameters: [formId, webhookId],
				responses: { 200: jsonResponse('The webhook.', { schema: Webhook, example: EXAMPLE }), ...accessErrors() },
			},
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
				detail: {
					...operation(
						'updateWebhook',
						'Update a webhook',
						'Changes the given members. `isActive: true` resumes a disabled webhook and clears its failures.',
					),
					parameters: [formId, webhookId],
					requestBody: jsonBody(UpdateWebhook, { isActive: true }),
					responses: {
						200: jsonResponse('The webhook after the change.', { schema: Webhook, example: EXAMPLE }),
						...accessErrors(),
						...bodyErrors(),
					},
				},
			},
		)
		.delete(
			'/:webhookId',
			async ({ principal, params }) => {
				await webhooks.remove(refOf(principal, params));
				return { success: true as const };
			},
			{
				access,
				detail: {
					...operation('deleteWebhook', 'Delete a webhook', 'Removes it and its deliveries.'),
					parameters: [formId, webhookId],
					responses: {
						200: jsonResponse('Deleted.', { schema: Success, example: { success: true } }),
						...accessErrors(),
						...errorResponses('UNAVAILABLE'),
					},
				},
			},
		)
		.post('/:webhookId/rotate-secret', ({ principal, params }) => webhooks.rotateSecret(refOf(principal, params)), {
			access,
			detail: {
				...operation(
					'rotateWebhookSecret',
					'Rotate the secret',
					'Creates a new secret. For a day deliveries are signed with both, so that receivers can change over.',
				),
				parameters: [formId, webhookId],
				responses: {
					200: jsonResponse('The webhook, with its new secret.', {
						schema: WebhookWithSecret,
						example: EXAMPLE_WITH_SECRET,
					}),
					...accessErrors(),
					...errorResponses('UNAVAILABLE'),
				},
			},
		})
		.post('/:webhookId/test', ({ principal, params }) => webhooks.test(refOf(principal, params)), {
			access,
			detail: {
				...operation(
					'testWebhook',
					'Send a test event',
					'Posts a `webhook.test` event once and waits at most 15 seconds for the response.',
				),
				parameters: [formId, webhookId],
				responses: {
					200: jsonResponse('The result.', {
						schema: WebhookTestResult,
						example: { delivered: true, status: 204, error: null, answer: '' },
					}),
					...accessErrors(),
					...errorResponses('CONFLICT'),
				},
			},
		});

function refOf({ mode }: { mode: 'live' | 'test' }, { id, webhookId }: { id: string; webhookId: string }) {
	return { form: id, webhook: webhookId, mode };
}

/** The management routes of deliveries. All need `admin`: they show submitted content and recipients. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { readJson } from '../http/json-body.ts';
import { jsonBody, jsonResponse, operation, pathParameter, queryParameter, textResponse } from '../http/openapi.ts';
import { pageParameters } from '../http/paging.ts';
import { LIMIT_DEFAULT, queryOf, single } from '../http/query-parameters.ts';
import { stringEnum } from '../http/schema-types.ts';
import type { Auth } from '../keys/auth.ts';
import { CHANNELS, DELIVERY_STATES, type Mode } from '../storage/tables.ts';
import { parseDeliveryQuery } from './deliveries.ts';
import type { Dispatch } from './dispatch.ts';
import { EXAMPLE_CONTENT, PREVIEW_HEADERS } from './mail/preview.ts';
import { DeliveryList, DeliveryWithContent, RetryDeliveries, RetryResult } from './schema.ts';

const EXAMPLE = {
	id: 'cmnrg2x8a2k',
	form: 'cmnrg2x7k8w',
	submission: 'cmnrg2x8a1c',
	channel: 'mail',
	event: 'submission.created',
	state: 'sent',
	destination: 'owner@example.com',
	attempts: 1,
	createdAt: '2026-01-02T03:04:05.678Z',
	nextAttemptAt: null,
	finishedAt: '2026-01-02T03:04:06.012Z',
	lastError: null,
	webhook: null,
	digest: null,
};
const EXAMPLE_LIST = {
	deliveries: [EXAMPLE],
	pagination: { limit: LIMIT_DEFAULT, offset: 0, total: 1, hasMore: false },
	mail: { isSet: true, heldSince: null, heldReason: null, nextProbeAt: null },
	held: 0,
	digests: [],
};
const access = { permission: 'admin' } as const;
const id = pathParameter('id', { description: 'The delivery.', example: EXAMPLE.id });
const formId = pathParameter('id', { description: 'The form.', example: EXAMPLE.form });
const submissionId = pathParameter('submissionId', { description: 'The submission.', example: EXAMPLE.submission });

const filters = [
	queryParameter('state', { schema: stringEnum(DELIVERY_STATES), description: 'Only deliveries in this state.' }),
	queryParameter('channel', { schema: stringEnum(CHANNELS), description: 'Only these.' }),
	...pageParameters,
];
const formFilter = queryParameter('form', { schema: Type.String(), description: 'Only of this form (id).' });
const pageOf = ({ mode }: { mode: Mode | undefined }, request: Request) => ({
	mode,
	readQuery: () => parseDeliveryQuery(queryOf(request)),
});

const page = jsonResponse('The page.', { schema: DeliveryList, example: EXAMPLE_LIST });

function listRoutes({ deliveries }: Dispatch, auth: Auth) {
	return new Elysia()
		.use(auth)
		.get(
			'/api/deliveries',
			({ principal, request }) =>
				deliveries.list({ form: single(queryOf(request), 'form') }, pageOf(principal, request)),
			{
				access,
				detail: operation('listDeliveries', 'List deliveries', {
					description: 'Sent, waiting and failed ones; newest first.',
					parameters: [...filters, formFilter],
					returns: page,
					errors: ['FORM_NOT_FOUND'],
				}),
			},
		)
		.get(
			'/api/forms/:id/deliveries',
			({ principal, params, request }) => deliveries.list({ form: params.id }, pageOf(principal, request)),
			{
				access,
				detail: operation('listFormDeliveries', 'List a form’s deliveries', {
					description: 'The mails and webhook events of one form.',
					parameters: [formId, ...filters],
					returns: page,
					errors: ['FORM_NOT_FOUND'],
				}),
			},
		)
		.get(
			'/api/forms/:id/submissions/:submissionId/deliveries',
			({ principal, params: { id: form, submissionId: submission }, request }) =>
				deliveries.list({ form, submission }, pageOf(principal, request)),
			{
				access,
				detail: operation('listSubmissionDeliveries', 'List a submission’s deliveries', {
					description: 'The mails and webhook events about one submission.',
					parameters: [formId, submissionId, ...filters],
					returns: page,
					errors: ['FORM_NOT_FOUND', 'NOT_FOUND'],
				}),
			},
		);
}

function deliveryRoutes({ deliveries, retries }: Dispatch, auth: Auth) {
	return new Elysia({ prefix: '/api/deliveries' })
		.use(auth)
		.get('/:id', ({ principal, params }) => deliveries.get(params.id, principal.mode), {
			access,
			detail: operation('getDelivery', 'Read a delivery', {
				description: 'One delivery with the content that was sent or would be.',
				parameters: [id],
				returns: jsonResponse('The delivery.', {
					schema: DeliveryWithContent,
					example: { ...EXAMPLE, content: EXAMPLE_CONTENT },
				}),
				errors: ['NOT_FOUND'],
			}),
		})
		.get(
			'/:id/preview',
			async ({ principal, params }) =>
				new Response(await deliveries.preview(params.id, principal.mode), { headers: PREVIEW_HEADERS }),
			{
				access,
				detail: operation('previewDelivery', 'Preview a mail', {
					description: 'The HTML part of a mail, to be shown in a sandboxed frame.',
					parameters: [id],
					returns: textResponse('The page.', { 'text/html': '<!doctype html><title>New submission</title>' }),
					errors: ['NOT_FOUND'],
				}),
			},
		)
		.post(
			'/:id/retry',
			async ({ principal: { mode }, params }) => {
				await retries.retry(params.id, mode);
				return deliveries.get(params.id, mode);
			},
			{
				access,
				detail: operation('retryDelivery', 'Try again', {
					description: 'Sends it as soon as possible, whatever its state.',
					parameters: [id],
					returns: jsonResponse('The delivery as it is now.', {
						schema: DeliveryWithContent,
						example: { ...EXAMPLE, state: 'waiting', attempts: 0, finishedAt: null, content: EXAMPLE_CONTENT },
					}),
					errors: ['NOT_FOUND', 'CONFLICT'],
				}),
			},
		)
		.post(
			'/retry',
			async ({ principal, request }) => ({
				retried: await retries.retryMany(await readJson(request, RetryDeliveries), principal.mode),
			}),
			{
				access,
				detail: operation('retryDeliveries', 'Try many again', {
					description: 'The deliveries named by `ids`, or all that match.',
					requestBody: jsonBody(RetryDeliveries, { state: 'failed' }),
					returns: jsonResponse('How many are retried.', { schema: RetryResult, example: { retried: 3 } }),
					errors: ['FORM_NOT_FOUND'],
				}),
			},
		);
}

export const deliveriesRoutes = (dispatch: Dispatch, auth: Auth) =>
	new Elysia({ tags: ['Deliveries'] }).use(listRoutes(dispatch, auth)).use(deliveryRoutes(dispatch, auth));

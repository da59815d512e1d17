/** The management routes that try mail: a test of the server's settings, and the mail of a form as it would be. */

import { Elysia } from 'elysia';
import { readJson } from '../../http/json-body.ts';
import { jsonBody, jsonResponse, operation, pathParameter, textResponse } from '../../http/openapi.ts';
import { createRateLimiter } from '../../http/rate-limit.ts';
import type { Auth } from '../../keys/auth.ts';
import type { Dispatch } from '../dispatch.ts';
import { FormMailTestResult, MailContent, MailTest, MailTestResult } from '../schema.ts';
import { EXAMPLE_CONTENT, PREVIEW_HEADERS } from './preview.ts';
import { checkRecipient } from './test-mail.ts';

/** Enough for an operator who tries settings; too few to send spam. */
const MAIL_TESTS_PER_MINUTE = 5;

const access = { permission: 'admin' } as const;
const formId = pathParameter('id', { description: 'The form.', example: 'cmnrg2x7k8w' });
const values = 'The mail of a submission with invented values, which keep to the field rules.';

export function mailRoutes({ sendTestMail, formMail }: Dispatch, auth: Auth) {
	// One limit for all callers, because an admin key can create more keys.
	const rate = createRateLimiter(MAIL_TESTS_PER_MINUTE);
	return new Elysia({ tags: ['Deliveries'] })
		.use(auth)
		.post(
			'/api/mail/test',
			async ({ request }) => {
				const to = checkRecipient((await readJson(request, MailTest)).to);
				rate.take('');
				return { accepted: true as const, reply: await sendTestMail(to) };
			},
			{
				access: { ...access, isLiveOnly: 'sends' },
				detail: operation('testMail', 'Send a test mail', {
					description: `On failure the error says what is wrong. Needs a live key; at most ${MAIL_TESTS_PER_MINUTE} a minute are sent.`,
					requestBody: jsonBody(MailTest, { to: 'you@example.com' }),
					returns: jsonResponse('The mail server accepted it.', {
						schema: MailTestResult,
						example: { accepted: true, reply: '250 2.0.0 Ok: queued' },
					}),
					errors: ['CONFLICT'],
				}),
			},
		)
		.post('/api/forms/:id/notification/preview', ({ principal, params }) => formMail.show(params.id, principal.mode), {
			access,
			detail: operation('previewNotification', 'Preview a form’s mail', {
				description: `${values} Nothing is sent.`,
				parameters: [formId],
				returns: jsonResponse('The mail.', {
					schema: MailContent,
					example: { ...EXAMPLE_CONTENT, html: '<!doctype html>…' },
				}),
				errors: ['FORM_NOT_FOUND', 'CONFLICT'],
			}),
		})
		.get(
			'/api/forms/:id/notification/preview',
			async ({ principal, params }) =>
				new Response((await formMail.show(params.id, principal.mode)).html, { headers: PREVIEW_HEADERS }),
			{
				access,
				detail: operation('showNotification', 'Show a form’s mail', {
					description: 'The HTML part of the preview, to be shown in a sandboxed frame.',
					parameters: [formId],
					returns: textResponse('The page.', { 'text/html': '<!doctype html><title>New submission</title>' }),
					errors: ['FORM_NOT_FOUND', 'CONFLICT'],
				}),
			},
		)
		.post(
			'/api/forms/:id/notification/test',
			async ({ principal, params }) => {
				await formMail.show(params.id, principal.mode);
				rate.take('');
				return { accepted: true as const, ...(await formMail.send(params.id, principal.mode)) };
			},
			{
				access: { ...access, isLiveOnly: 'sends' },
				detail: operation('testNotification', 'Send a form’s mail', {
					description: `${values} It goes to the recipients that such a submission has, with “Test:” before the subject. Needs a live key; with test mails at most ${MAIL_TESTS_PER_MINUTE} a minute are sent.`,
					parameters: [formId],
					returns: jsonResponse('The mail server accepted it.', {
						schema: FormMailTestResult,
						example: { accepted: true, reply: '250 2.0.0 Ok: queued', to: ['you@example.com'] },
					}),
					errors: ['FORM_NOT_FOUND', 'CONFLICT'],
				}),
			},
		);
}

/** The submission endpoint in the OpenAPI document; `endpoint.ts` serves it. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { CAPTCHAS } from '../form-values/captchas.ts';
import {
	formBody,
	headerParameter,
	jsonResponse,
	pathParameter,
	redirectResponse,
	submitErrorResponses,
} from '../http/openapi.ts';
import { nullable } from '../http/schema-types.ts';

const Accepted = Type.Object({
	success: Type.Literal(true),
	message: Type.String(),
	pending: Type.Optional(
		Type.Literal(true, {
			description:
				'Only of a form with `confirm`: the submission waits until the visitor has followed the link in a mail.',
		}),
	),
	next: Type.Optional(
		Type.String({ description: 'Where to go next; only if the request has a `Formspree-Client` header.' }),
	),
	droppedFiles: Type.Optional(
		Type.Array(
			Type.Object({ field: Type.String(), name: Type.String(), bytes: Type.Integer(), reason: Type.String() }),
			{ description: 'Files that the submission was stored without; `reason` is an error code.' },
		),
	),
	moreDroppedFiles: Type.Optional(Type.Integer({ description: 'The number of others, beyond twenty.' })),
	code: Type.Optional(Type.Literal(200, { description: 'Only of a form with the alias `formcarry`.' })),
	status: Type.Optional(Type.Literal('success', { description: 'Only of a form with the alias `formcarry`.' })),
});

const Submit = Type.Object(
	{
		_next: Type.Optional(Type.String({ description: 'Where to redirect after the submission.' })),
		_subject: Type.Optional(Type.String({ description: 'Subject of the notification mail.' })),
		_replyto: Type.Optional(Type.String({ description: 'Reply-To address of the notification mail.' })),
		_gotcha: Type.Optional(
			Type.String({
				description:
					'Honeypot, hidden from people: any value but an empty text or `null`, of any type, makes the submission spam.',
			}),
		),
		...Object.fromEntries(
			Object.values(CAPTCHAS).map(({ field, label }) => [
				field,
				Type.Optional(Type.String({ description: `${label} token.` })),
			]),
		),
	},
	{ additionalProperties: true, description: 'Any fields; the special ones control behaviour and are never stored.' },
);

const HEADERS = {
	'Formsrv-Submission-Id': 'The id of the submission; for bots, an id that refers to nothing.',
	'Formsrv-Dropped-Fields': 'If there are any: the names of fields that were not stored, escaped as in URLs.',
	'Formsrv-Dropped-Files':
		'If there are any: the names of files that the submission was stored without, escaped as in URLs; `...` stands for others.',
};

const submitDetail = {
	operationId: 'submit',
	summary: 'Submit to a form',
	description:
		'Accepts a submission, as JSON (also as `text/plain`, if it is an object), urlencoded or multipart, up to ' +
		'the server’s limit, 1 MiB by default, files not counted. Files come in a multipart body, within the limits of the form’s ' +
		'setting `files`; the field then holds the name. If that says `onRefused: "drop"`, other files are left out, else the submission is rejected. The field rules of the form hold for all of it. Responds once it is stored durably: with JSON if Accept prefers it, else with a ' +
		'redirect to `_next`, the redirect URL of the form, or a thank-you page. It needs no key. With one that may `submit`, the allowed ' +
		'domains and the captcha of the form do not matter, and the rate is that of the key; a key that is wrong or lacks the permission is ' +
		'rejected. An Authorization header that is no key of this server is ignored.',
	security: [{}, { apiKey: ['submit'] }] as Record<string, string[]>[],
	parameters: [
		pathParameter('slug', {
			description: 'The present or a former slug of the form; case does not matter.',
			example: 'contact-k3v9x2qm',
		}),
		headerParameter('Idempotency-Key', {
			schema: Type.String({ maxLength: 255 }),
			description: 'The same key and body within 24 hours get the first response again, and nothing is stored.',
			example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
		}),
	],
	requestBody: formBody(Submit, { email: 'ada@example.com', message: 'Hello', _gotcha: '' }),
	responses: {
		200: jsonResponse('Stored; to a request that accepts JSON.', {
			schema: Accepted,
			example: { success: true, message: 'Form submitted successfully' },
			headers: HEADERS,
		}),
		303: redirectResponse('Stored; to every other request.', HEADERS),
		...submitErrorResponses(
			'INVALID_BODY',
			'EMPTY_SUBMISSION',
			'FILES_NOT_SUPPORTED',
			'CAPTCHA_REQUIRED',
			'CAPTCHA_FAILED',
			'VALIDATION_ERROR',
		),
		...submitErrorResponses('UNAUTHORIZED'),
		...submitErrorResponses(
			'FORBIDDEN',
			'FORM_DISABLED',
			'FORM_NOT_OPEN',
			'FORM_CLOSED',
			'FORM_FULL',
			'DOMAIN_NOT_ALLOWED',
		),
		...submitErrorResponses('FORM_NOT_FOUND', 'METHOD_NOT_ALLOWED', 'IDEMPOTENCY_KEY_REUSED'),
		...submitErrorResponses('PAYLOAD_TOO_LARGE', 'FILE_TOO_LARGE', 'TOO_MANY_FILES', 'FILES_FULL'),
		...submitErrorResponses('UNSUPPORTED_MEDIA_TYPE', 'FILE_TYPE_NOT_ALLOWED', 'RATE_LIMITED', 'UNAVAILABLE'),
	},
};

const Challenge = Type.Object({
	algorithm: Type.Literal('SHA-256'),
	challenge: Type.String(),
	maxnumber: Type.Integer(),
	salt: Type.String(),
	signature: Type.String(),
});

const challengeDetail = {
	operationId: 'getChallenge',
	summary: 'Get a captcha challenge',
	description:
		'For forms with `captcha: "altcha"`: the ALTCHA widget solves it before the form is sent. ' +
		'It is valid for ten minutes and one submission to this form.',
	parameters: [pathParameter('slug', { description: 'The slug of the form.', example: 'contact-k3v9x2qm' })],
	responses: {
		200: jsonResponse('The challenge.', {
			schema: Challenge,
			example: {
				algorithm: 'SHA-256',
				challenge: '6d5dbbed0e9a0d8d5e2e7d8d2f0b1a9bb8de3f8b9a5c59e0a7f4e3c2d1b0a998',
				maxnumber: 100_000,
				salt: '3b9f0c7d51e2a8466f0e1d2c?form=cmnrg2x7k8w&expires=1767323645&',
				signature: '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0',
			},
		}),
		...submitErrorResponses('FORM_DISABLED', 'DOMAIN_NOT_ALLOWED', 'FORM_NOT_FOUND', 'NOT_FOUND', 'RATE_LIMITED'),
	},
};

const StatusBody = Type.Object({
	open: Type.Boolean(),
	code: nullable(Type.String(), { description: 'Why not: the code that a submission would get.' }),
	message: nullable(Type.String(), { description: 'Why not, in a sentence: the form’s `closedText` if it has one.' }),
	opensAt: nullable(Type.String({ format: 'date-time' })),
	closesAt: nullable(Type.String({ format: 'date-time' })),
	full: Type.Boolean({ description: 'Whether every place is taken, by `maxSubmissions`.' }),
});

const statusDetail = {
	operationId: 'getFormStatus',
	summary: 'Check whether a form accepts submissions',
	description:
		'For pages, which can say so before a visitor fills in the form: `formsrv.js` does with `data-formsrv-status`. How many ' +
		'places are left is not told.',
	parameters: [pathParameter('slug', { description: 'The slug of the form.', example: 'contact-k3v9x2qm' })],
	responses: {
		200: jsonResponse('Whether it accepts submissions now.', {
			schema: StatusBody,
			example: {
				open: false,
				code: 'FORM_NOT_OPEN',
				message: 'Registration opens on Monday at nine.',
				opensAt: '2027-02-01T09:00:00.000Z',
				closesAt: null,
				full: false,
			},
		}),
		...submitErrorResponses('FORM_NOT_FOUND', 'RATE_LIMITED'),
	},
};

const stampDetail = {
	operationId: 'getStamp',
	summary: 'Get a stamp of this moment',
	description:
		'For `formsrv.js`, which sends it along as `_formsrv_stamp`, so that what is sent within moments after the page had loaded gets ' +
		'points of the spam score. It is signed, valid for a day, and has nothing in it but the time. Without one there are no points.',
	parameters: [pathParameter('slug', { description: 'The slug of the form.', example: 'contact-k3v9x2qm' })],
	responses: {
		200: jsonResponse('The stamp.', {
			schema: Type.Object({ stamp: Type.String() }),
			example: { stamp: 'mjvwk3r1.Vb1cVt5y0Yf8Zr2n3XhTqw' },
		}),
		...submitErrorResponses('FORM_DISABLED', 'DOMAIN_NOT_ALLOWED', 'FORM_NOT_FOUND', 'RATE_LIMITED'),
	},
};

/** For the document only. The endpoint has two paths, whose operations need different ids. */
export function describedEndpoint(prefix: '/f' | '/api/f') {
	const named = <T extends { operationId: string }>(detail: T) =>
		prefix === '/f' ? { ...detail, operationId: `${detail.operationId}ByShortPath` } : detail;
	return new Elysia({ prefix, detail: { tags: ['Submit'], security: [] } })
		.post('/:slug', () => {}, { detail: named(submitDetail) })
		.get('/:slug/stamp', () => {}, { detail: named(stampDetail) })
		.get('/:slug/challenge', () => {}, { detail: named(challengeDetail) })
		.get('/:slug/status', () => {}, { detail: named(statusDetail) });
}

/** The public's door: the submission endpoint, the same operation at both addresses, and its pages. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { AppError } from '../errors.ts';
import { toAppError } from '../http/error-envelope.ts';
import {
	formBody,
	headerParameter,
	jsonResponse,
	pathParameter,
	redirectResponse,
	submitErrorResponses,
} from '../http/openapi.ts';
import type { RateState } from '../http/rate-limit.ts';
import { requestInfo } from '../http/request-info.ts';
import type { FormRow } from '../storage/tables.ts';
import {
	acceptedAnswer,
	challengeAnswer,
	corsHeaders,
	pageResponse,
	preflight,
	type Refusal,
	refusedAnswer,
	THANKS_PATH,
} from './answers.ts';
import { helpPage } from './help-page.ts';
import type { Intake } from './intake.ts';
import { thankYouPage } from './pages.ts';
import { createScript } from './script.ts';

const ALLOW = 'OPTIONS, POST';
const ALLOW_CHALLENGE = 'GET, OPTIONS';

export interface IntakeRouteOptions {
	intake: Intake;
	/** `/f` or `/api/f`. */
	prefix: string;
	/** The public address that a form's snippets name, without a trailing slash, such as `https://forms.example.com/f`. */
	endpoint: string;
	/** The thank-you page as an absolute address. */
	thanksUrl: string;
	/** Logs a fault of ours; every other refusal is the sender's. */
	report(error: AppError, requestId: string): void;
}

const Accepted = Type.Object({
	success: Type.Literal(true),
	message: Type.String(),
	next: Type.Optional(
		Type.String({ description: 'Where to go next; only if the request has a `Formspree-Client` header.' }),
	),
});

const Submit = Type.Object(
	{
		_next: Type.Optional(Type.String({ description: 'Where to redirect after the submission.' })),
		_subject: Type.Optional(Type.String({ description: 'Subject of the notification mail.' })),
		_replyto: Type.Optional(Type.String({ description: 'Reply-To address of the notification mail.' })),
		_gotcha: Type.Optional(Type.String({ description: 'Honeypot: hidden from people; whoever fills it is spam.' })),
		'g-recaptcha-response': Type.Optional(Type.String({ description: 'reCAPTCHA token.' })),
		'h-captcha-response': Type.Optional(Type.String({ description: 'hCaptcha token.' })),
		'cf-turnstile-response': Type.Optional(Type.String({ description: 'Turnstile token.' })),
		altcha: Type.Optional(Type.String({ description: 'ALTCHA solution.' })),
	},
	{ additionalProperties: true, description: 'Any fields; the special ones control behaviour and are never stored.' },
);

const submitDetail = {
	operationId: 'submit',
	summary: 'Submit to a form',
	description:
		'Takes a submission from anyone, as JSON, urlencoded or multipart. It is answered once it is stored durably: ' +
		'with JSON if Accept asks for it, else with a redirect to `_next`, the redirect URL of the form, or a thank-you page.',
	tags: ['Submit'],
	security: [],
	parameters: [
		pathParameter('slug', { description: 'The slug of the form; case does not matter.', example: 'contact-k3v9x2qm' }),
		headerParameter('Idempotency-Key', {
			schema: Type.String({ maxLength: 255 }),
			description:
				'Sent again with the same body within 24 hours, the first answer is given again and nothing is stored.',
			example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
		}),
	],
	requestBody: formBody(Submit, { email: 'ada@example.com', message: 'Hello', _gotcha: '' }),
	responses: {
		200: jsonResponse('Stored; to a request that accepts JSON.', {
			schema: Accepted,
			example: { success: true, message: 'Form submitted successfully' },
		}),
		303: redirectResponse('Stored; to every other request.'),
		...submitErrorResponses(
			'INVALID_BODY',
			'EMPTY_SUBMISSION',
			'FILES_NOT_SUPPORTED',
			'CAPTCHA_REQUIRED',
			'CAPTCHA_FAILED',
			'VALIDATION_ERROR',
		),
		...submitErrorResponses('FORM_DISABLED', 'DOMAIN_NOT_ALLOWED'),
		...submitErrorResponses('FORM_NOT_FOUND', 'METHOD_NOT_ALLOWED', 'IDEMPOTENCY_KEY_REUSED'),
		...submitErrorResponses('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED', 'UNAVAILABLE'),
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
		'For forms with `captcha: "altcha"`: what the ALTCHA widget on the page solves before the form is sent. ' +
		'It is good for ten minutes and for one submission to this form.',
	tags: ['Submit'],
	security: [],
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

/** Elysia reads no body here: its parsers would change what was sent. */
export function intakeRoutes(options: IntakeRouteOptions) {
	const { intake, prefix, endpoint, thanksUrl, report } = options;

	const slugStart = prefix.length + 1;

	/** The slug as it was spelled: no percent escape is another spelling of a form's address. */
	function findForm(request: Request): FormRow | Promise<FormRow> {
		const { path } = requestInfo(request);
		const end = path.indexOf('/', slugStart);
		return intake.findForm(end === -1 ? path.slice(slugStart) : path.slice(slugStart, end));
	}

	function refuse(request: Request, thrown: unknown, context: Omit<Refusal, 'error' | 'requestId'> = {}): Response {
		const error = toAppError(thrown);
		const requestId = requestInfo(request).id;
		if (error.code === 'INTERNAL' || error.code === 'UNAVAILABLE') report(error, requestId);
		return refusedAnswer(request, { ...context, error, requestId });
	}

	async function submit(request: Request): Promise<Response> {
		let form: FormRow | undefined;
		let rate: RateState | undefined;
		try {
			form = await findForm(request);
			const { clientAddress } = requestInfo(request);
			rate = intake.takeRate({ form, request, clientAddress });
			const { next } = await intake.accept({ form, request, clientAddress });
			return acceptedAnswer(request, { form, next, thanksUrl, rate });
		} catch (error) {
			return refuse(request, error, { form, rate });
		}
	}

	async function challenge(request: Request): Promise<Response> {
		let form: FormRow | undefined;
		let rate: RateState | undefined;
		try {
			form = await findForm(request);
			const sender = { form, request, clientAddress: requestInfo(request).clientAddress };
			rate = intake.takeChallengeRate(sender);
			return challengeAnswer(request, { form, challenge: await intake.challenge(sender), rate });
		} catch (error) {
			return refuse(request, error, { form, rate, isJsonOnly: true });
		}
	}

	async function preflightOf(request: Request, methods: string): Promise<Response> {
		const form = await Promise.try(findForm, request).catch(() => undefined);
		return preflight(request, { form, methods });
	}

	/** A person who opens the address in a browser learns how to post to it; every other request gets the plain refusal. */
	async function otherMethod(request: Request): Promise<Response> {
		let form: FormRow | undefined;
		try {
			form = await findForm(request);
			if (request.method === 'GET' && request.headers.get('accept')?.includes('text/html')) {
				const page = helpPage({ endpoint: `${endpoint}/${form.slug}` });
				return pageResponse(page, { ...corsHeaders(request, form), Allow: ALLOW });
			}
			throw new AppError('METHOD_NOT_ALLOWED', 'Post to this address to submit to the form.', {
				headers: { Allow: ALLOW },
			});
		} catch (error) {
			return refuse(request, error, { form });
		}
	}

	const hidden = { parse: 'none', detail: { hide: true } } as const;
	const app = new Elysia({ prefix });
	for (const path of ['/:slug', '/:slug/'] as const) {
		app
			.post(path, ({ request }) => submit(request), {
				parse: 'none',
				detail: path === '/:slug' ? submitDetail : { hide: true },
			})
			.options(path, ({ request }) => preflightOf(request, ALLOW), hidden)
			.all(path, ({ request }) => otherMethod(request), hidden);
	}
	return app
		.get('/:slug/challenge', ({ request }) => challenge(request), { detail: challengeDetail })
		.options('/:slug/challenge', ({ request }) => preflightOf(request, ALLOW_CHALLENGE), hidden);
}

/** The script that sends a page's forms without leaving the page. */
export function scriptRoutes() {
	const script = createScript();
	return new Elysia().get('/formsrv.js', async ({ request }) => {
		const answer = await script(request);
		if (!answer) throw new AppError('NOT_FOUND', 'The script was not built into this server.');
		return answer;
	});
}

/** The page that a submission without any other target leads to. */
export const thankYouRoutes = () =>
	new Elysia().get(THANKS_PATH, ({ request }) =>
		pageResponse(thankYouPage({ backUrl: request.headers.get('referer') }), { 'Access-Control-Allow-Origin': '*' }),
	);

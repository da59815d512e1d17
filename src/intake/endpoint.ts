/** The submission endpoint, equal at both addresses. */

import { AppError } from '../errors.ts';
import { toAppError } from '../http/error-envelope.ts';
import { noRoute } from '../http/method-guard.ts';
import type { RateState } from '../http/rate-limit.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { Handler } from '../http/request-pipeline.ts';
import type { FormRow } from '../storage/tables.ts';
import { prefersJson } from './content-negotiation.ts';
import { helpPage } from './help-page.ts';
import type { Intake } from './intake.ts';
import {
	acceptedResponse,
	challengeResponse,
	corsHeaders,
	pageResponse,
	preflight,
	type Rejection,
	rejectedResponse,
} from './responses.ts';

const ALLOW = 'OPTIONS, POST';
const ALLOW_CHALLENGE = 'GET, OPTIONS';

export interface EndpointOptions {
	intake: Intake;
	/** `/f` or `/api/f`. */
	prefix: string;
	/** The public address for snippets, without a trailing slash, such as `https://forms.example.com/f`. */
	endpoint: string;
	/** The thank-you page as an absolute address. */
	thanksUrl: string;
	/** Called for every error; logs server errors. */
	report(error: AppError, requestId: string): void;
}

/** The parts of a request's path. */
interface Target {
	info: RequestInfo;
	/** As sent: a percent-escaped slug is a different address. */
	slug: string;
	/** The path after the slug. */
	rest: string;
}

/** Makes the handler of all requests below the prefix. */
export function createEndpoint(options: EndpointOptions): Handler {
	const { intake, prefix, endpoint, thanksUrl, report } = options;

	const slugStart = prefix.length + 1;

	function targetOf(info: RequestInfo): Target {
		const { path } = info;
		const slash = path.indexOf('/', slugStart);
		const end = slash === -1 ? path.length : slash;
		return { info, slug: path.slice(slugStart, end), rest: path.slice(end) };
	}

	function reject(request: Request, thrown: unknown, context: Omit<Rejection, 'error'>): Response {
		const error = toAppError(thrown);
		report(error, context.info.id);
		return rejectedResponse(request, { ...context, error });
	}

	async function submit(request: Request, { info, slug }: Target): Promise<Response> {
		let form: FormRow | undefined;
		let rate: RateState | undefined;
		try {
			const found = intake.findForm(slug);
			form = found instanceof Promise ? await found : found;
			const submission = { form, request, clientAddress: info.clientAddress };
			rate = intake.takeRate(submission);
			const { next } = await intake.accept(submission);
			return acceptedResponse(request, { info, form, next, thanksUrl, rate });
		} catch (error) {
			return reject(request, error, { info, form, rate });
		}
	}

	async function challenge(request: Request, { info, slug }: Target): Promise<Response> {
		let form: FormRow | undefined;
		let rate: RateState | undefined;
		try {
			form = await intake.findForm(slug);
			const sender = { form, request, clientAddress: info.clientAddress };
			rate = intake.takeChallengeRate(sender);
			return challengeResponse(request, { form, challenge: await intake.challenge(sender), rate });
		} catch (error) {
			return reject(request, error, { info, form, rate, isJsonOnly: true });
		}
	}

	async function preflightOf(
		request: Request,
		{ slug, methods }: { slug: string; methods: string },
	): Promise<Response> {
		const form = await Promise.try(intake.findForm, slug).catch(() => undefined);
		return preflight(request, { form, methods });
	}

	/** A browser gets a page that explains how to post to the form; every other client gets the error. */
	async function otherMethod(request: Request, { info, slug }: Target): Promise<Response> {
		let form: FormRow | undefined;
		try {
			form = await intake.findForm(slug);
			if (request.method === 'GET' && !prefersJson(request.headers)) {
				const page = helpPage({ endpoint: `${endpoint}/${form.slug}` });
				return pageResponse(page, { ...corsHeaders(request, form), Allow: ALLOW });
			}
			throw new AppError('METHOD_NOT_ALLOWED', 'Post to this address to submit to the form.', {
				headers: { Allow: ALLOW },
			});
		} catch (error) {
			return reject(request, error, { info, form });
		}
	}

	return (request, info) => {
		const { method } = request;
		const target = targetOf(info);
		const { slug } = target;
		switch (target.rest) {
			case '':
			case '/':
				if (method === 'POST') return submit(request, target);
				return method === 'OPTIONS' ? preflightOf(request, { slug, methods: ALLOW }) : otherMethod(request, target);
			case '/challenge':
				if (method === 'GET' || method === 'HEAD') return challenge(request, target);
				if (method === 'OPTIONS') return preflightOf(request, { slug, methods: ALLOW_CHALLENGE });
				throw noRoute(['GET', 'HEAD', 'OPTIONS']);
			default:
				throw noRoute([]);
		}
	};
}

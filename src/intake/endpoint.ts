/** The submission endpoint, equal at both addresses. */

import { AppError } from '../errors.ts';
import { noRoute } from '../http/method-guard.ts';
import type { RateState } from '../http/rate-limit.ts';
import type { ErrorResponses, RequestInfo } from '../http/request-info.ts';
import type { Handler } from '../http/request-pipeline.ts';
import type { FormRow } from '../storage/tables.ts';
import { remember } from '../tasks/remember.ts';
import { prefersJson } from './content-negotiation.ts';
import { helpPage } from './help-page.ts';
import type { Intake, Submit } from './intake.ts';
import type { StatusQuery } from './rates.ts';
import {
	acceptedResponse,
	corsHeaders,
	jsonResponse,
	type Outcome,
	pageResponse,
	preflight,
	type Rejection,
	rejectedResponse,
} from './responses.ts';
import { keyOf, type Senders } from './senders.ts';

const ALLOW = 'OPTIONS, POST';
const ALLOW_GET = 'GET, OPTIONS';

export interface EndpointOptions {
	intake: Intake;
	senders: Senders;
	/** `/f` or `/api/f`. */
	prefix: string;
	/** The public address for snippets, without a trailing slash, such as `https://forms.example.com/f`. */
	endpoint: string;
	/** The same with a slash, of the listener that this endpoint is on. */
	ownAddress: string;
	/** The thank-you page as an absolute address. */
	thanksUrl: string;
	/** Called for every error; logs server errors. */
	report(error: AppError, requestId: string): void;
}

/** The parts of a path. */
interface Target {
	/** As sent: a percent-escaped slug is a different address. */
	slug: string;
	/** The path after the slug. */
	rest: string;
}

/** The known facts of a request: for intake, and for the response, also if it is rejected. */
interface Context extends Omit<Submit, 'form'>, Omit<Rejection, 'error'>, ErrorResponses {
	rate: RateState | undefined;
	report: EndpointOptions['report'];
}

/** A request whose form was found. */
type Submission = Context & Submit;

/** How many paths are remembered. */
const MAX_KNOWN_PATHS = 1000;

/** Makes the handler of all requests below the prefix. */
export function createEndpoint(options: EndpointOptions): Handler {
	const { intake, senders, prefix, endpoint, ownAddress, thanksUrl, report } = options;

	const slugStart = prefix.length + 1;

	const targetOf = remember((path): Target => {
		const slash = path.indexOf('/', slugStart);
		const end = slash === -1 ? path.length : slash;
		return { slug: path.slice(slugStart, end), rest: path.slice(end) };
	}, MAX_KNOWN_PATHS);

	/** Shared by all submissions and completed at once, because each closure and async function takes time. */
	const responses = {
		accepted: (submission: Submission, outcome: Outcome) =>
			submission.info.complete(acceptedResponse(submission, outcome, thanksUrl)),
		rejected: ({ info }: Submission, thrown: unknown) => info.fail(thrown),
	};

	/** From here on, errors of the request get the form's responses, with the facts known by then. */
	function takeErrors(info: RequestInfo): Context {
		const { request, clientAddress } = info;
		const context: Context = {
			info,
			request,
			clientAddress,
			form: undefined,
			hasKey: false,
			isTest: false,
			ownAddress,
			rate: undefined,
			isJsonOnly: false,
			isJson: undefined,
			report,
			reject,
		};
		info.errors = context;
		return context;
	}

	function submit(info: RequestInfo, slug: string): Promise<Response> {
		const context = takeErrors(info);
		info.isCompletedByHandler = true;
		const found = intake.findForm(slug);
		if (!(found instanceof Promise)) return submitTo(found, context);
		return intake
			.whileUnread(context, found)
			.then((form) => submitTo(form, context))
			.catch((thrown) => info.fail(thrown));
	}

	function submitTo(form: FormRow, context: Context): Promise<Response> {
		const submission = withForm(context, form);
		const { info, request } = submission;
		const key = keyOf(request);
		if (key === undefined) {
			submission.rate = intake.rates.take(submission);
			return intake.accept(submission, responses);
		}
		submission.hasKey = true;
		return intake
			.whileUnread(submission, senders.admit(key, { form, info }))
			.then(({ rate, isTest }) => {
				submission.rate = rate;
				submission.isTest = isTest;
				return intake.accept(submission, responses);
			})
			.catch((thrown) => info.fail(thrown));
	}

	/** Responds to the questions that scripts ask about a form before they submit to it. */
	async function tell(info: RequestInfo, slug: string, what: StatusQuery): Promise<Response> {
		const context = takeErrors(info);
		context.isJsonOnly = true;
		const sender = withForm(context, await intake.findForm(slug));
		sender.rate = intake.rates.takeOther(sender, what);
		return jsonResponse(sender, await intake[what](sender));
	}

	async function preflightOf(
		request: Request,
		{ slug, methods }: { slug: string; methods: string },
	): Promise<Response> {
		const form = await Promise.try(intake.findForm, slug).catch(() => undefined);
		return preflight(request, { form, methods });
	}

	/** A browser gets a page that explains how to post to the form; every other client gets the error. */
	async function otherMethod(info: RequestInfo, slug: string): Promise<Response> {
		const { request } = info;
		const context = takeErrors(info);
		const form = await intake.findForm(slug);
		context.form = form;
		if (request.method === 'GET' && !prefersJson(request.headers)) {
			const page = helpPage({
				endpoint: `${endpoint}/${form.slug}`,
				captcha: form.captcha,
				honeypot: form.spam.honeypot[0],
			});
			return pageResponse(page, { ...corsHeaders(request, form), Allow: ALLOW });
		}
		throw new AppError('METHOD_NOT_ALLOWED', 'Post to this address to submit to the form.', {
			headers: { Allow: ALLOW },
		});
	}

	return (request, info) => {
		const { method } = request;
		const { slug, rest } = targetOf(info.path);
		switch (rest) {
			case '':
			case '/':
				if (method === 'POST') return submit(info, slug);
				return method === 'OPTIONS' ? preflightOf(request, { slug, methods: ALLOW }) : otherMethod(info, slug);
			case '/challenge':
			case '/status':
			case '/stamp':
				if (method === 'OPTIONS') return preflightOf(request, { slug, methods: ALLOW_GET });
				if (method !== 'GET' && method !== 'HEAD') throw noRoute(['GET', 'HEAD', 'OPTIONS']);
				return tell(info, slug, rest.slice(1) as StatusQuery);
			default:
				throw noRoute([]);
		}
	};
}

function withForm(context: Context, form: FormRow): Submission {
	context.form = form;
	return context as Submission;
}

function reject(this: Context, error: AppError): Response {
	this.report(error, this.info.id);
	return rejectedResponse(this.info.request, { ...this, error });
}

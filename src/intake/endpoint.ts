/** The submission endpoint, equal at both addresses. */

import { AppError } from '../errors.ts';
import { noRoute } from '../http/method-guard.ts';
import type { RateState } from '../http/rate-limit.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { Handler } from '../http/request-pipeline.ts';
import type { FormRow } from '../storage/tables.ts';
import { prefersJson } from './content-negotiation.ts';
import { helpPage } from './help-page.ts';
import type { Intake, Submit } from './intake.ts';
import type { Told } from './rates.ts';
import {
	acceptedResponse,
	corsHeaders,
	jsonResponse,
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

/** The parts of a request's path. */
interface Target {
	info: RequestInfo;
	/** As sent: a percent-escaped slug is a different address. */
	slug: string;
	/** The path after the slug. */
	rest: string;
}

/** What is known of a request when it is rejected. */
type Context = Omit<Rejection, 'error'>;

/** Makes the handler of all requests below the prefix. */
export function createEndpoint(options: EndpointOptions): Handler {
	const { intake, senders, prefix, endpoint, ownAddress, thanksUrl, report } = options;

	const slugStart = prefix.length + 1;

	function targetOf(info: RequestInfo): Target {
		const { path } = info;
		const slash = path.indexOf('/', slugStart);
		const end = slash === -1 ? path.length : slash;
		return { info, slug: path.slice(slugStart, end), rest: path.slice(end) };
	}

	/** From here on, errors of the request get the form's responses, with what is known of it by then. */
	function takeErrors(request: Request, { info }: Target): Context {
		const context: Context = { info };
		info.reject = (error) => {
			report(error, info.id);
			return rejectedResponse(request, { ...context, error });
		};
		return context;
	}

	function submit(request: Request, target: Target): Promise<Response> {
		const context = takeErrors(request, target);
		const found = intake.findForm(target.slug);
		if (found instanceof Promise) return found.then((form) => submitTo(form, request, context));
		return submitTo(found, request, context);
	}

	function submitTo(form: FormRow, request: Request, context: Context): Promise<Response> {
		context.form = form;
		const key = keyOf(request);
		const { clientAddress } = context.info;
		const submission = { form, request, clientAddress, hasKey: key !== undefined, ownAddress };
		if (key === undefined) return accept(submission, context, intake.rates.take(submission));
		return senders.admit(key, { form, info: context.info }).then((rate) => accept(submission, context, rate));
	}

	function accept(submission: Submit, context: Context, rate: RateState | undefined): Promise<Response> {
		const { form, request } = submission;
		const { info } = context;
		context.rate = rate;
		return intake.accept(submission, (next, submissionId, dropped) =>
			acceptedResponse(request, { info, form, next, submissionId, dropped, thanksUrl, rate }),
		);
	}

	/** What scripts ask of a form before they submit to it. */
	async function tell(request: Request, target: Target, what: Told): Promise<Response> {
		const context = takeErrors(request, target);
		context.isJsonOnly = true;
		const form = await intake.findForm(target.slug);
		context.form = form;
		const sender = { form, request, clientAddress: target.info.clientAddress, hasKey: false, ownAddress };
		const rate = intake.rates.takeOther(sender, what);
		context.rate = rate;
		return jsonResponse(request, { form, body: await intake[what](sender), rate });
	}

	async function toldOf(request: Request, target: Target, what: Told): Promise<Response> {
		const { method } = request;
		if (method === 'GET' || method === 'HEAD') return tell(request, target, what);
		if (method === 'OPTIONS') return preflightOf(request, { slug: target.slug, methods: ALLOW_GET });
		throw noRoute(['GET', 'HEAD', 'OPTIONS']);
	}

	async function preflightOf(
		request: Request,
		{ slug, methods }: { slug: string; methods: string },
	): Promise<Response> {
		const form = await Promise.try(intake.findForm, slug).catch(() => undefined);
		return preflight(request, { form, methods });
	}

	/** A browser gets a page that explains how to post to the form; every other client gets the error. */
	async function otherMethod(request: Request, target: Target): Promise<Response> {
		const context = takeErrors(request, target);
		const form = await intake.findForm(target.slug);
		context.form = form;
		if (request.method === 'GET' && !prefersJson(request.headers)) {
			const page = helpPage({ endpoint: `${endpoint}/${form.slug}` });
			return pageResponse(page, { ...corsHeaders(request, form), Allow: ALLOW });
		}
		throw new AppError('METHOD_NOT_ALLOWED', 'Post to this address to submit to the form.', {
			headers: { Allow: ALLOW },
		});
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
				return toldOf(request, target, 'challenge');
			case '/status':
				return toldOf(request, target, 'status');
			case '/stamp':
				return toldOf(request, target, 'stamp');
			default:
				throw noRoute([]);
		}
	};
}

/** The submission endpoint, equal at both addresses. */

import { AppError } from '../errors.ts';
import { toAppError } from '../http/error-responses.ts';
import { noRoute } from '../http/method-guard.ts';
import type { Handler } from '../http/request-pipeline.ts';
import type { StatusQuery } from './checks/rates.ts';
import { keyOf, type Senders } from './checks/senders.ts';
import { prefersJson } from './content-negotiation.ts';
import type { Intake } from './intake.ts';
import { createLinkHandler, type Link, linkIn, type VisitorMails, withoutToken } from './link-handler.ts';
import { helpPage } from './pages/help-page.ts';
import {
	acceptedResponse,
	corsHeaders,
	jsonResponse,
	type Place,
	pageResponse,
	preflight,
	type Rejection,
	rejectedResponse,
	translationFor,
} from './responses.ts';
import { createThanksHandler } from './thanks-handler.ts';

const ALLOW = 'OPTIONS, POST';
const ALLOW_GET = 'GET, OPTIONS';

interface EndpointOptions extends Place {
	intake: Intake;
	senders: Senders;
	visitors: VisitorMails;
	/** The address of forms with a slash, of the listener that this endpoint is on. */
	ownAddress: string;
	/** Called for every error; logs server errors. */
	report(error: AppError, requestId: string): void;
	/** Called with the code of the error if nothing was stored of a submission. */
	onRejected(code: string): void;
}

/** The facts known of a request so far, for the response if it is rejected. */
type Known = Omit<Rejection, 'error' | 'translation'>;

/** Makes the handler of all requests below the prefix. */
export function createEndpoint(options: EndpointOptions): Handler {
	const { intake, senders, visitors, prefix, endpoint, ownAddress, language: fallback, report, onRejected } = options;
	const thanks = createThanksHandler(intake, fallback);
	const followLink = createLinkHandler({ visitors, rates: intake.rates, fallback });

	const slugStart = prefix.length + 1;

	/** An error of a request to a form gets the form's response, with the facts known by then. */
	async function rejected(known: Known, thrown: unknown): Promise<Response> {
		const { form } = known;
		const { id, request } = known.info;
		const error = toAppError(thrown);
		if (request.method === 'POST') onRejected(error.code);
		report(error, id);
		const translation = await translationFor(request, { form, fallback });
		return rejectedResponse(request, { ...known, error, translation });
	}

	async function submit(known: Known, slug: string): Promise<Response> {
		const { info } = known;
		const { request, clientAddress } = info;
		const found = intake.findForm(slug);
		const form = found instanceof Promise ? await intake.whileUnread(info, found) : found;
		known.form = form;
		const key = keyOf(request);
		const { rate, isTest } =
			key === undefined
				? { rate: intake.rates.take({ form, clientAddress }), isTest: false }
				: await intake.whileUnread(info, senders.admit(key, { form, info }));
		known.rate = rate;
		const hasKey = key !== undefined;
		const outcome = await intake.accept({ form, request, clientAddress, hasKey, isTest, ownAddress, seen: known });
		return acceptedResponse({ request, form, rate }, outcome, options);
	}

	/** Responds to the questions that scripts ask about a form before they submit to it. */
	async function tell(known: Known, slug: string, what: StatusQuery): Promise<Response> {
		const { request, clientAddress } = known.info;
		const form = await intake.findForm(slug);
		known.form = form;
		const rate = intake.rates.takeOther({ form, clientAddress }, what);
		known.rate = rate;
		const translation = () => translationFor(request, { form, fallback });
		const told = await intake[what]({ form, request, hasKey: false, ownAddress, translation });
		return jsonResponse({ request, form, rate }, told, options);
	}

	async function preflightOf(
		request: Request,
		{ slug, methods }: { slug: string; methods: string },
	): Promise<Response> {
		const form = await Promise.try(intake.findForm, slug).catch(() => undefined);
		return preflight(request, { form, methods });
	}

	async function follow(known: Known, slug: string, link: Link): Promise<Response> {
		known.form = await Promise.try(intake.findForm, slug).catch(() => undefined);
		return followLink(known.info, link, known.form);
	}

	/** A browser gets a page that explains how to post to the form; every other client gets the error. */
	async function otherMethod(known: Known, slug: string): Promise<Response> {
		const { request } = known.info;
		const form = await intake.findForm(slug);
		known.form = form;
		if (request.method !== 'GET' || prefersJson(request.headers)) {
			throw new AppError('METHOD_NOT_ALLOWED', 'Post to this address to submit to the form.', {
				headers: { Allow: ALLOW },
			});
		}
		const page = helpPage(await translationFor(request, { form, fallback }), {
			endpoint: `${endpoint}/${form.slug}`,
			captcha: form.captcha,
			honeypot: form.spam.honeypot[0],
			accent: form.pages?.accent,
		});
		return pageResponse(page, { ...corsHeaders(request, form), Allow: ALLOW });
	}

	return (request, info) => {
		const { method } = request;
		const slash = info.path.indexOf('/', slugStart);
		const slugEnd = slash === -1 ? info.path.length : slash;
		// As sent: a percent-escaped slug is a different address.
		const slug = info.path.slice(slugStart, slugEnd);
		const rest = info.path.slice(slugEnd);
		const known: Known = { info };
		let response: Promise<Response>;
		switch (rest) {
			case '':
			case '/':
				if (method === 'OPTIONS') return preflightOf(request, { slug, methods: ALLOW });
				response = method === 'POST' ? submit(known, slug) : otherMethod(known, slug);
				break;
			case '/challenge':
			case '/status':
			case '/stamp':
				if (method === 'OPTIONS') return preflightOf(request, { slug, methods: ALLOW_GET });
				if (method !== 'GET' && method !== 'HEAD') throw noRoute(['GET', 'HEAD', 'OPTIONS']);
				known.isJsonOnly = true;
				response = tell(known, slug, rest.slice(1) as StatusQuery);
				break;
			case '/thanks':
				response = thanks(request, () => intake.findForm(slug));
				break;
			default: {
				info.path = withoutToken(info.path);
				const link = linkIn(rest);
				if (link === undefined) throw noRoute([]);
				response = follow(known, slug, link);
			}
		}
		return response.catch((thrown) => rejected(known, thrown));
	};
}

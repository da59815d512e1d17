/** The responses of the submission endpoint: JSON for scripts, redirects and pages for browsers, with CORS headers. */

import type { AppError } from '../errors.ts';
import type { FieldRule } from '../field-rules/rules.ts';
import { aliasSuccess } from '../form-values/aliases.ts';
import type { Dropped } from '../form-values/dropped-files.ts';
import { sourcePage } from '../forms/allowed-domains.ts';
import { parseRedirectUrl } from '../forms/redirect-url.ts';
import { errorHeaders, statusOf, toEnvelope } from '../http/error-responses.ts';
import { type RateState, rateHeaders } from '../http/rate-limit.ts';
import type { RequestInfo } from '../http/request-info.ts';
import { encodeId } from '../ids.ts';
import { sentencesOf } from '../languages/from-folder.ts' with { type: 'macro' };
import { AUTO, languageFor } from '../languages/languages.ts';
import type { Translation } from '../languages/translation.ts';
import { translationOf } from '../languages/translations.ts';
import type { FormRow } from '../storage/tables.ts';
import { parseUrl } from '../text/web-address.ts';
import { FieldsRejected } from './checks/field-rules.ts';
import { inOwnersWords } from './checks/opening.ts';
import { prefersJson, saysJson } from './content-negotiation.ts';
import { statedPage } from './context.ts';
import { formspreeErrors, isFormspreeClient } from './formspree.ts';
import { correctionPage } from './pages/correction-page.ts';
import type { Page } from './pages/page-frame.ts';
import { errorPage } from './pages/pages.ts';
import { inLanguage } from './spoken-error.ts';

/** In every language, since nothing may have to be loaded for the most frequent responses. */
const SUCCESSES = sentencesOf('success', 'confirmSent') as unknown as Record<string, [string, string]>;
const HEADER_NAMES = /^[A-Za-z0-9!#$%&'*+.^_`|~, -]{1,1000}$/;
const DEFAULT_REQUEST_HEADERS = 'Accept, Content-Type, Formspree-Client, Idempotency-Key, X-Requested-With';
const SUBMISSION_ID = 'Formsrv-Submission-Id';
const EXPOSED_HEADERS = `Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, ${SUBMISSION_ID}`;
/** Characters of a header. */
const MAX_DROPPED = 1000;
const PREFLIGHT_SECONDS = '86400';

type HeaderValues = Record<string, string>;

/** Any origin may read the responses of an open form; of a restricted form only the request's own. Never with credentials. */
export function corsHeaders(request: Request, form: FormRow | undefined): HeaderValues {
	const headers: HeaderValues = { 'Access-Control-Expose-Headers': EXPOSED_HEADERS };
	if (!form || form.allowedDomains.length === 0) {
		headers['Access-Control-Allow-Origin'] = '*';
		return headers;
	}
	headers.Vary = 'Origin';
	const origin = request.headers.get('origin');
	if (origin !== null) headers['Access-Control-Allow-Origin'] = origin;
	return headers;
}

export function preflight(
	request: Request,
	{ form, methods }: { form: FormRow | undefined; methods: string },
): Response {
	const requested = request.headers.get('access-control-request-headers') ?? '';
	return new Response(null, {
		status: 204,
		headers: {
			...corsHeaders(request, form),
			'Access-Control-Allow-Methods': methods,
			'Access-Control-Allow-Headers': HEADER_NAMES.test(requested) ? requested : DEFAULT_REQUEST_HEADERS,
			'Access-Control-Max-Age': PREFLIGHT_SECONDS,
		},
	});
}

const ACCEPTED = {
	'Access-Control-Allow-Origin': '*',
	'Access-Control-Expose-Headers': EXPOSED_HEADERS,
	'Cache-Control': 'no-store',
};
/** The responses to submissions to open forms: to copy one takes half of the time to make one of its headers. */
const REDIRECT = new Response(null, { status: 303, headers: ACCEPTED });
const JSON_RESPONSE = new Response(null, { headers: { ...ACCEPTED, 'Content-Type': 'application/json' } });

/** The public addresses of a form's endpoint, and its language for those who ask for none that there is. */
export interface Place {
	/** `/f` or `/api/f`. */
	prefix: string;
	/** The public address for snippets, without a trailing slash, such as `https://forms.example.com/f`. */
	endpoint: string;
	language: string;
}

/** A submission, for the response to it. */
export interface Accepted {
	request: Request;
	form: FormRow;
	rate: RateState | undefined;
}

/** The result that the response reports. */
export interface Outcome extends Dropped {
	/** The redirect target; `null` is the thank-you page of this server. */
	next: string | null;
	/** `null` if it is not known, of a submission that an earlier version stored. */
	submissionId: number | null;
	/** The query by which the thank-you page names the dropped files. */
	thanksQuery?: string;
}

export function acceptedResponse(accepted: Accepted, outcome: Outcome, place: Place): Response {
	const { request, form, rate } = accepted;
	const response = negotiatedResponse(accepted, outcome, place);
	const { headers } = response;
	if (rate) setHeaders(headers, rateHeaders(rate));
	if (outcome.submissionId !== null) headers.set(SUBMISSION_ID, encodeId(outcome.submissionId));
	if (form.allowedDomains.length > 0) {
		headers.delete('Access-Control-Allow-Origin');
		setHeaders(headers, corsHeaders(request, form));
	}
	if (outcome.dropped || outcome.droppedFiles) setHeaders(headers, droppedHeaders(outcome));
	return response;
}

function droppedHeaders({ dropped, droppedFiles, moreDroppedFiles = 0 }: Dropped): HeaderValues {
	const files = droppedFiles?.map(({ name }) => name);
	const headers: HeaderValues = {
		...(dropped && { 'Formsrv-Dropped-Fields': nameList(dropped) }),
		...(files && { 'Formsrv-Dropped-Files': nameList(files, moreDroppedFiles > 0) }),
	};
	return { ...headers, 'Access-Control-Expose-Headers': [EXPOSED_HEADERS, ...Object.keys(headers)].join(', ') };
}

/** Names may hold any character, and halves of characters, so they are escaped as in URLs. Of very many, those that fit. */
function nameList(names: readonly string[], hasMore = false): string {
	const escaped = names.map((name) => encodeURIComponent(name.toWellFormed())).join(', ');
	const cut = escaped.length > MAX_DROPPED ? Math.max(0, escaped.lastIndexOf(', ', MAX_DROPPED)) : escaped.length;
	return `${escaped.slice(0, cut)}${hasMore || cut < escaped.length ? ', ...' : ''}`;
}

function negotiatedResponse({ request, form }: Accepted, outcome: Outcome, place: Place): Response {
	const { headers } = request;
	const { aliases, slug } = form;
	const { next, thanksQuery = '', droppedFiles, moreDroppedFiles } = outcome;
	const left = droppedFiles && { droppedFiles, moreDroppedFiles };
	if (isFormspreeClient(headers)) {
		const thanks = `${place.endpoint}/${slug}/thanks${thanksQuery}`;
		const body = JSON.stringify({ ...successFor(request, form, place), ...left, next: next ?? thanks });
		return new Response(body, JSON_RESPONSE);
	}
	if (prefersJson(headers)) {
		const body = { ...successFor(request, form, place), ...left, ...aliasSuccess(aliases) };
		return new Response(JSON.stringify(body), JSON_RESPONSE);
	}
	const redirect = new Response(null, REDIRECT);
	redirect.headers.set('Location', next ?? `${place.prefix}/${slug}/thanks${thanksQuery}`);
	// Only our thank-you page gets the referrer, for its link back.
	if (next !== null) redirect.headers.set('Referrer-Policy', 'no-referrer');
	return redirect;
}

function successFor({ headers }: Request, form: FormRow, { language: fallback }: Place): object {
	const language = languageFor(form, { headers, fallback });
	const [stored, confirm] = SUCCESSES[language] ?? (SUCCESSES.en as (typeof SUCCESSES)[string]);
	// To spam too: its sender learns nothing.
	if (form.confirm === null) return { success: true, message: stored };
	return { success: true, message: confirm, pending: true };
}

/** The language in which a request is responded to. */
export function translationFor(
	{ headers }: Request,
	{ form = { language: AUTO }, fallback }: { form?: Pick<FormRow, 'language'> | undefined; fallback: string },
): Promise<Translation> {
	return translationOf(languageFor(form, { headers, fallback }));
}

/** It says in which language the form speaks, for the script that asks for it. */
export function jsonResponse({ request, form, rate }: Accepted, body: object, { language: fallback }: Place): Response {
	const language = languageFor(form, { headers: request.headers, fallback });
	const headers = { ...corsHeaders(request, form), ...(rate && rateHeaders(rate)), 'Cache-Control': 'no-store' };
	return inOneLanguage(Response.json(body, { headers }), language);
}

function inOneLanguage(response: Response, language: string): Response {
	response.headers.set('Content-Language', language);
	response.headers.append('Vary', 'Accept-Language');
	return response;
}

export interface Rejection {
	info: RequestInfo;
	error: AppError;
	form?: FormRow | undefined;
	rate?: RateState | undefined;
	/** For an address that only scripts use: never a page. */
	isJsonOnly?: boolean;
	/** True if the body is JSON, once it was read. */
	isJson?: boolean | undefined;
	translation: Translation;
}

export function rejectedResponse(request: Request, rejection: Rejection): Response {
	const { form, rate, isJsonOnly, isJson, translation } = rejection;
	const error = inOwnersWords(rejection.error, form);
	const { id: requestId } = rejection.info;
	const headers = {
		...corsHeaders(request, form),
		...(rate && rateHeaders(rate)),
		...errorHeaders(error),
		'Cache-Control': 'no-store',
	};
	const status = statusOf(error);
	const { code } = error;
	const shown = inLanguage(error, translation);
	if (isJsonOnly || prefersJson(request.headers) || (isJson ?? saysJson(request.headers))) {
		const body = { success: false, message: shown.message, ...toEnvelope(error, requestId) };
		if (isFormspreeClient(request.headers)) Object.assign(body, { errors: formspreeErrors(code, shown) });
		else if (body.errors) body.errors = [...shown.fields];
		return inOneLanguage(Response.json(body, { status, headers }), translation.language);
	}
	const rejected = { ...shown, requestId, backUrl: backUrlOf(request.headers), accent: form?.pages?.accent };
	const page =
		error instanceof FieldsRejected
			? correctionPage(translation, { ...rejected, ...correctionOf(request, { error, form: form as FormRow }) })
			: errorPage(translation, { ...rejected, status, code });
	return pageResponse(page, headers);
}

/** The page of the website that a visitor comes from; none after a correction, because the page before was the server's own. */
export function backUrlOf(headers: Headers): string | null {
	const referer = headers.get('referer');
	const url = parseUrl(referer ?? '');
	const isOwn = url?.host === headers.get('host') && /^\/(?:api\/)?f\//.test(url?.pathname ?? '');
	return isOwn ? null : (referer ?? headers.get('origin'));
}

/** The data for the page on which a visitor corrects fields. */
function correctionOf({ headers }: Request, { error, form }: { error: FieldsRejected; form: FormRow }) {
	const { content } = error;
	const { next, page } = content.special;
	const absolute = parseRedirectUrl(next ?? '', sourcePage(headers))?.href;
	const keepsPage = form.context?.page || form.context?.utm;
	return {
		content,
		rules: withAddress(form),
		next: absolute,
		page: keepsPage ? statedPage({ headers, page }) : undefined,
	};
}

/** The rules of a form, with one for the address that it has visitors confirm. */
function withAddress({ confirm, fields }: FormRow): FieldRule[] {
	const rules = fields ?? [];
	if (confirm === null || rules.some(({ name }) => name === confirm.field)) return rules;
	return [...rules, { name: confirm.field, type: 'email', required: true }];
}

export function pageResponse(page: Page, headers: HeaderValues = {}): Response {
	const response = new Response(page.html, { status: page.status, headers: page.headers });
	setHeaders(response.headers, headers);
	response.headers.append('Vary', 'Accept-Language');
	return response;
}

function setHeaders(headers: Headers, values: HeaderValues): void {
	for (const name in values) headers.set(name, values[name] as string);
}

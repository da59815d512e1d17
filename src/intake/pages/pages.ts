/** The pages of the submission endpoint: thanks, errors, and small pages for all other addresses. */

import type { ErrorCode, FieldError } from '../../errors.ts';
import { type Dropped, describeDropped } from '../../form-values/dropped-files.ts';
import type { PageSettings } from '../../form-values/page-settings.ts';
import { parseRedirectUrl } from '../../forms/redirect-url.ts';
import type { Key } from '../../languages/catalogue.ts';
import type { Translation } from '../../languages/translation.ts';
import { type Html, html } from '../../text/html.ts';
import { type Page, renderPage } from './page-frame.ts';

interface Thanks extends Dropped {
	/** The Referer or Origin as sent. */
	backUrl?: string | null;
	/** The owner's words and colour. */
	pages?: PageSettings | null | undefined;
	/** True if the form has visitors confirm their address. */
	isPending?: boolean;
}

/** The page after a submission without a redirect target. */
export function thankYouPage(
	translation: Translation,
	{ backUrl, pages, isPending = false, ...dropped }: Thanks = {},
): Page {
	const { say } = translation;
	const { title, text, linkUrl, linkLabel } = pages?.thanks ?? {};
	const lines = describeDropped(dropped);
	const rest = html`<p>${say('thanksDropped')}</p>
<ul>${lines.map((line) => html`<li>${say(...line)}</li>`)}</ul>
<p class="soft">${say('thanksRest')}</p>`;
	const nothingLeft = !text && !isPending && html`<p class="soft">${say('thanksClose')}</p>`;
	// Before the words of the owner, because there is something left to do.
	const toConfirm = isPending && html`<p class="lead">${say('confirmSent')}</p>\n`;
	const thanks =
		(text || !isPending) && html`<p class="lead"${text && html` dir="auto"`}>${text ?? say('thanksSent')}</p>`;
	return renderPage({
		translation,
		status: 200,
		isFramable: true,
		title: title ? translation.apart(title) : say(isPending ? 'confirmSentTitle' : 'thanksTitle'),
		mark: isPending ? 'letter' : 'done',
		accent: pages?.accent,
		body: html`${toConfirm}${thanks}
${lines.length > 0 ? rest : nothingLeft}
${backLink(translation, linkUrl ?? backUrl, linkUrl ? linkLabel : null)}`,
	});
}

/** An error in the language of the visitor. */
export interface SpokenError {
	message: string;
	fields: readonly Pick<FieldError, 'field' | 'code' | 'message'>[];
	/** True if the sentence is the owner's; then nothing is added. */
	isOwners: boolean;
}

export interface RejectedPage extends SpokenError {
	status: number;
	code: ErrorCode;
	requestId: string;
	/** The Referer or Origin as sent. */
	backUrl?: string | null;
	accent?: string | null | undefined;
}

/** The page for a rejected submission: status and sentence of the JSON response, and advice. */
export function errorPage(translation: Translation, rejection: RejectedPage): Page {
	const { status, code, message, requestId, fields, isOwners, backUrl, accent } = rejection;
	const { say } = translation;
	const [title, advice] = ERROR_TEXTS[code] ?? OTHER_ERROR;
	const others = fields.filter((field) => field.message !== message);
	return renderPage({
		translation,
		status,
		title: say(title),
		mark: 'rejected',
		accent,
		isFramable: true,
		body: html`${message !== say(title) && html`<p class="lead"${isOwners && html` dir="auto"`}>${message}</p>\n`}${others.length > 0 && html`<ul>${others.map(({ field, message: text }) => html`<li><strong>${field}</strong>: ${text}</li>`)}</ul>\n`}${!isOwners && html`<p>${say(advice)}</p>\n`}<p class="soft">${say('backKeeps')}</p>
${backLink(translation, backUrl)}`,
		footer: `${status} ${code} · ${say('request', { id: requestId })}`,
	});
}

/** The page at an address without a form: the root of a listener, an unknown path. */
export function smallPage(
	translation: Translation,
	{ status, requestId }: { status: number; requestId: string },
): Page {
	const { say } = translation;
	const [title, text] = SMALL_PAGES[status] ?? UNKNOWN_SMALL_PAGE;
	return renderPage({
		translation,
		status,
		title: say(title),
		mark: status >= 500 ? 'rejected' : 'letter',
		body: html`<p class="lead">${say(text)}</p>`,
		footer: `${status} · ${say('request', { id: requestId })}`,
	});
}

/** Links only to URLs that are valid redirect targets. */
export function backLink(
	{ say, apart }: Translation,
	to: string | null | undefined,
	label?: string | null,
): Html | null {
	const url = parseRedirectUrl(to ?? '');
	if (!url) return null;
	const text = label ? apart(label) : say('backTo', { host: url.host });
	return html`<p class="back"><a href="${url.href}">${text}</a></p>`;
}

/** The title of an error's page; for programs in other languages also its sentence, if it has none. */
export function titleOf({ say }: Translation, code: ErrorCode): string {
	return say((ERROR_TEXTS[code] ?? OTHER_ERROR)[0]);
}

type Texts = readonly [title: Key, text: Key];

/** The title of an error's page, and its advice to the visitor. */
const ERROR_TEXTS: Partial<Record<ErrorCode, Texts>> = {
	FORM_NOT_FOUND: ['noFormTitle', 'noFormAdvice'],
	FORM_DISABLED: ['closedTitle', 'closedAdvice'],
	FORM_NOT_OPEN: ['notOpenTitle', 'notOpenAdvice'],
	FORM_CLOSED: ['closedTitle', 'closedAdvice'],
	FORM_FULL: ['fullTitle', 'closedAdvice'],
	DOMAIN_NOT_ALLOWED: ['domainTitle', 'domainAdvice'],
	RATE_LIMITED: ['waitTitle', 'waitAdvice'],
	PAYLOAD_TOO_LARGE: ['tooMuchTitle', 'tooMuchAdvice'],
	UNSUPPORTED_MEDIA_TYPE: ['notUnderstoodTitle', 'onceMoreAdvice'],
	INVALID_BODY: ['notUnderstoodTitle', 'onceMoreAdvice'],
	EMPTY_SUBMISSION: ['emptyTitle', 'emptyAdvice'],
	FILES_NOT_SUPPORTED: ['noFilesTitle', 'withoutFileAdvice'],
	FILE_TOO_LARGE: ['fileSizeTitle', 'otherFileAdvice'],
	TOO_MANY_FILES: ['manyFilesTitle', 'otherFileAdvice'],
	FILE_TYPE_NOT_ALLOWED: ['fileTypeTitle', 'otherFileAdvice'],
	FILES_FULL: ['filesFullTitle', 'withoutFileAdvice'],
	CAPTCHA_REQUIRED: ['captchaTitle', 'captchaAdvice'],
	CAPTCHA_FAILED: ['captchaTitle', 'captchaAdvice'],
	IDEMPOTENCY_KEY_REUSED: ['sentTitle', 'sentAdvice'],
	INTERNAL: ['internalTitle', 'internalAdvice'],
	UNAVAILABLE: ['unavailableTitle', 'unavailableAdvice'],
};

const OTHER_ERROR: Texts = ['unsentTitle', 'onceMoreAdvice'];

const SMALL_PAGES: Record<number, Texts> = {
	400: ['badRequestTitle', 'badRequestText'],
	404: ['nothingTitle', 'nothingText'],
	405: ['noPageTitle', 'noPageText'],
	429: ['waitTitle', 'manyRequestsText'],
	503: ['unavailableTitle', 'downText'],
};

const UNKNOWN_SMALL_PAGE: Texts = ['brokenTitle', 'brokenText'];

/** The pages of the submission endpoint: thanks, errors, and small pages for all other addresses. */

import type { ErrorCode, FieldError } from '../../errors.ts';
import { type Dropped, describeDropped } from '../../form-values/dropped-files.ts';
import { parseRedirectUrl } from '../../forms/redirect-url.ts';
import { type Html, html } from '../../text/html.ts';
import { type Page, renderPage } from './page-frame.ts';

interface Thanks extends Dropped {
	/** The Referer or Origin as sent. */
	backUrl?: string | null;
}

/** The page after a submission without a redirect target. */
export function thankYouPage({ backUrl, ...dropped }: Thanks = {}): Page {
	const lines = describeDropped(dropped);
	const rest = html`<p>These files were not sent with it:</p>
<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>
<p class="soft">Everything else has arrived.</p>`;
	return renderPage({
		status: 200,
		title: 'Thank you',
		mark: 'done',
		body: html`<p class="lead">Your message has been sent.</p>
${lines.length > 0 ? rest : html`<p class="soft">There is nothing else to do; you can close this page.</p>`}
${backLink(backUrl)}`,
	});
}

interface Rejection {
	status: number;
	code: ErrorCode;
	/** The sentence of the JSON envelope. */
	message: string;
	requestId: string;
	fields?: readonly FieldError[];
	/** True if the sentence is the owner's; then nothing is added. */
	isOwners?: boolean;
	/** The Referer or Origin as sent. */
	backUrl?: string | null;
}

/** The page for a rejected submission: status and sentence of the JSON response, and advice. */
export function errorPage({ status, code, message, requestId, fields = [], isOwners, backUrl }: Rejection): Page {
	const [title, advice] = ERROR_TEXTS[code] ?? OTHER_ERROR;
	const others = fields.filter((field) => field.message !== message);
	return renderPage({
		status,
		title,
		mark: 'rejected',
		body: html`<p class="lead">${message}</p>
${others.length > 0 && html`<ul>${others.map(listField)}</ul>\n`}${!isOwners && html`<p>${advice}</p>\n`}<p class="soft">Your browser’s Back button keeps what you typed.</p>
${backLink(backUrl)}`,
		footer: `${status} ${code} · Request ${requestId}`,
	});
}

/** The page at an address without a form: the root of a listener, an unknown path. */
export function smallPage({ status, requestId }: { status: number; requestId: string }): Page {
	const [title, text] = SMALL_PAGES[status] ?? UNKNOWN_SMALL_PAGE;
	return renderPage({
		status,
		title,
		mark: status >= 500 ? 'rejected' : 'letter',
		body: html`<p class="lead">${text}</p>`,
		footer: `${status} · Request ${requestId}`,
	});
}

/** Links only to URLs that are valid redirect targets. */
export function backLink(backUrl: string | null | undefined): Html | null {
	const url = parseRedirectUrl(backUrl ?? '');
	return url && html`<p class="back"><a href="${url.href}">Back to ${url.host}</a></p>`;
}

function listField({ field, message }: FieldError): Html {
	return html`<li><strong>${field}</strong>: ${message}</li>`;
}

type Text = readonly [title: string, text: string];

const CLOSED = 'Please reach the owner of the site another way.';
const ONCE_MORE = 'Go back and send it once more. If that fails too, tell the owner of the site.';
const TOO_LARGE = 'Go back, shorten your message or leave out attachments, and send it again.';
const WITHOUT_FILE = 'Go back, take the file out and send the rest.';
const OTHER_FILE = 'Go back, choose another file or none, and send it again.';
const HUMAN = 'Go back, complete the check below the form and send it again.';
const SENT_ALREADY = 'Reload the form in your browser before you send another message.';

/** The title of an error's page, and its advice to the visitor. */
const ERROR_TEXTS: Partial<Record<ErrorCode, Text>> = {
	FORM_NOT_FOUND: [
		'There is no such form',
		'It may have been removed. If this is your site, compare the form’s action with the address of the form.',
	],
	FORM_DISABLED: ['This form is closed', CLOSED],
	FORM_NOT_OPEN: ['Not open yet', 'Come back later.'],
	FORM_CLOSED: ['This form is closed', CLOSED],
	FORM_FULL: ['No places left', CLOSED],
	DOMAIN_NOT_ALLOWED: [
		'This website cannot use this form',
		'If this is your site, add its domain to the form’s allowed domains.',
	],
	RATE_LIMITED: [
		'One moment, please',
		'Many messages came from your network in a short time. Wait a minute, go back and send yours again.',
	],
	PAYLOAD_TOO_LARGE: ['Too much at once', TOO_LARGE],
	UNSUPPORTED_MEDIA_TYPE: ['The form was not understood', ONCE_MORE],
	INVALID_BODY: ['The form was not understood', ONCE_MORE],
	EMPTY_SUBMISSION: ['The form was empty', 'Go back, fill in at least one field and send it again.'],
	FILES_NOT_SUPPORTED: ['Files cannot be sent here', WITHOUT_FILE],
	FILE_TOO_LARGE: ['The file is too large', OTHER_FILE],
	TOO_MANY_FILES: ['Too many files', OTHER_FILE],
	FILE_TYPE_NOT_ALLOWED: ['This kind of file cannot be sent here', OTHER_FILE],
	FILES_FULL: ['No room for files', WITHOUT_FILE],
	CAPTCHA_REQUIRED: ['Are you human?', HUMAN],
	CAPTCHA_FAILED: ['Are you human?', HUMAN],
	IDEMPOTENCY_KEY_REUSED: ['This form was sent already', SENT_ALREADY],
	INTERNAL: ['Something went wrong here', 'This is our fault, not yours. Wait a moment, go back and send it again.'],
	UNAVAILABLE: ['Back in a moment', 'Your message was not sent. Wait a minute, go back and send it again.'],
};

const OTHER_ERROR: Text = ['Your message was not sent', ONCE_MORE];

const SMALL_PAGES: Record<number, Text> = {
	400: ['Bad request', 'This server could not read what your browser asked for.'],
	404: ['Nothing here', 'There is no page at this address. It may have a typing error, or the page has moved.'],
	405: ['Not a page', 'This address exists, but it is not a page to look at.'],
	429: ['One moment, please', 'There were many requests from your network. Wait a minute and try again.'],
	503: ['Back in a moment', 'This server cannot respond right now. Wait a minute and try again.'],
};

const UNKNOWN_SMALL_PAGE: Text = ['Something went wrong', 'Wait a moment and try again.'];

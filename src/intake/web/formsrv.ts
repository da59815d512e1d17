/** `/formsrv.js`: sends forms that post to this server without leaving the page. */

import { renewCaptchas } from './captchas.ts';
import { buttonsOf, withoutShadows } from './form-members.ts';
import { languageHeader, noteLanguage } from './language.ts';
import { clearMessages, prepareMessages, showError, showSuccess } from './messages.ts';
import { addStamp, fetchStamp, fetchStatus, showClosed } from './questions.ts';
import { findUnreadable } from './unreadable-files.ts';

/** A request that can be repeated exactly, under the same idempotency key. */
interface Attempt {
	key: string;
	/** All but the bytes of the files. */
	content: string;
	files: File[];
	body: Blob;
	type: string;
}

interface Sending {
	endpoint: string;
	data: FormData;
	submitter: HTMLElement | null;
}

/** The server's response; `status` 0 means that there was none. */
interface Outcome {
	status: number;
	error?: string;
	/** The same in the language of the visitor. */
	message?: string;
	code?: string;
	errors?: { field: string; message: string }[];
	/** True if it waits until its visitor has confirmed an address. */
	pending?: boolean;
	/** The files that the server did without, and the number of others. */
	droppedFiles?: { name: string }[];
	moreDroppedFiles?: number;
	[member: string]: unknown;
}

const TIMEOUT_MS = 60_000;
/** A connection that sends files more slowly than this is given up. */
const SLOWEST_BYTES_PER_MS = 16;
const ENDPOINT = /^(?:api\/)?f\/[^/?#]+\/?(?:[?#]|$)/;
/** A page that stays longer was not left: its target is a download, or a place in the page itself. */
const LEFT_WITHIN_MS = 5000;

const script = document.currentScript as HTMLScriptElement | null;
const serverAddress = script?.src ? new URL('.', script.src).href : undefined;
const attempts = new WeakMap<HTMLFormElement, Attempt>();
const busy = new WeakSet<HTMLFormElement>();

// After the listeners of the page, also those that it has on the document: they may prevent it, or change fields.
window.addEventListener('submit', (event) => {
	try {
		intercept(event);
	} catch {
		// The event is not prevented, so the browser sends the form.
	}
});

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', prepareForms);
else prepareForms();

function prepareForms(): void {
	for (const form of document.querySelectorAll('form')) void prepare(form).catch(() => {});
}

async function prepare(form: HTMLFormElement): Promise<void> {
	const endpoint = findEndpoint(form, null);
	if (!endpoint) return;
	void fetchStamp(form, endpoint);
	if (withoutShadows(form).hasAttribute('data-formsrv-status')) await tellStatus(form, endpoint);
}

async function tellStatus(form: HTMLFormElement, endpoint: string): Promise<void> {
	// A page with two forms may have the script twice.
	if (withoutShadows(form).querySelector('.formsrv-error')) return;
	prepareMessages(form);
	const status = await fetchStatus(form, endpoint);
	if (status.open === false && announce(form, 'closed', status)) showClosed(form, status);
}

/** The submit event comes after the browser's validation, unless the page disables that. */
function intercept(event: SubmitEvent): void {
	// A browser from before 2024 lacks some of what sending takes, and sends the form itself.
	if (event.defaultPrevented || !('canParse' in URL)) return;
	const form = event.target as HTMLFormElement;
	const { submitter } = event;
	const endpoint = findEndpoint(form, submitter);
	if (!endpoint) return;
	if (!busy.has(form)) {
		const data = new FormData(form, submitter);
		void send(form, { endpoint, data, submitter });
	}
	event.preventDefault();
}

function findEndpoint(form: HTMLFormElement, submitter: HTMLElement | null): string | undefined {
	const plain = withoutShadows(form);
	const option = (name: string) => submitter?.getAttribute(`form${name}`) ?? plain.getAttribute(name) ?? '';
	const marker = plain.getAttribute('data-formsrv');
	if (marker === 'off' || !/^(?:_self)?$/i.test(option('target')) || /^dialog$/i.test(option('method')))
		return undefined;
	const { href } = new URL(option('action'), document.baseURI);
	const isSubmitUrl =
		serverAddress !== undefined &&
		/^post$/i.test(option('method')) &&
		href.startsWith(serverAddress) &&
		ENDPOINT.test(href.slice(serverAddress.length));
	return marker !== null || isSubmitUrl ? href : undefined;
}

async function send(form: HTMLFormElement, sending: Sending): Promise<void> {
	const unlock = lock(form, sending.submitter);
	try {
		clearMessages(form);
		prepareMessages(form);
		const outcome = await post(form, sending);
		// A key that was used, or belongs to other content, is useless for the next attempt.
		if (isSuccess(outcome) || outcome.status === 409) attempts.delete(form);
		unlock();
		if (isSuccess(outcome)) succeed(form, outcome, sending);
		else fail(form, outcome, sending.submitter);
	} catch {
		unlock();
	}
}

function isSuccess({ status }: Outcome): boolean {
	return status >= 200 && status < 300;
}

/** Prevents a second submission. Returns a function that allows it again. */
function lock(form: HTMLFormElement, submitter: HTMLElement | null): () => void {
	const plain = withoutShadows(form);
	const buttons = new Set<Element>(buttonsOf(form).filter((button) => button.matches(':enabled')));
	if (submitter) buttons.add(submitter);
	const focused = document.activeElement;
	busy.add(form);
	for (const button of buttons) button.toggleAttribute('disabled', true);
	plain.setAttribute('aria-busy', 'true');
	return () => {
		busy.delete(form);
		for (const button of buttons) button.removeAttribute('disabled');
		plain.removeAttribute('aria-busy');
		// A disabled button loses the focus.
		if (document.activeElement === document.body && focused) (focused as HTMLElement).focus();
	};
}

async function post(form: HTMLFormElement, { endpoint, data }: Sending): Promise<Outcome> {
	try {
		const attempt = await prepareAttempt(form, data).catch(() => undefined);
		if (!attempt) return await findUnreadable(form, data);
		const { key, body, type } = attempt;
		const response = await fetch(endpoint, {
			method: 'POST',
			body,
			headers: { ...languageHeader(form), Accept: 'application/json', 'Content-Type': type, 'Idempotency-Key': key },
			credentials: 'omit',
			// Else other origins are told the origin of the page only.
			...(withoutShadows(form).hasAttribute('data-formsrv-page') && { referrerPolicy: 'no-referrer-when-downgrade' }),
			signal: AbortSignal.timeout(TIMEOUT_MS + body.size / SLOWEST_BYTES_PER_MS),
		});
		// A page with a success comes from something in between, and says nothing of the submission.
		if (response.ok && /html/i.test(response.headers.get('Content-Type') ?? '')) return { status: 0 };
		noteLanguage(form, response);
		const envelope = await response.json().catch(() => ({}));
		return { ...envelope, status: response.status };
	} catch {
		return { status: 0 };
	}
}

/** The same content is sent under the same key, with identical bytes, including the random boundary. */
async function prepareAttempt(form: HTMLFormElement, data: FormData): Promise<Attempt> {
	const content = JSON.stringify(
		[...data].map(([name, value]) => [name, typeof value === 'string' ? value : [value.name, value.size]]),
	);
	const files = [...data.values()].filter((value) => typeof value !== 'string');
	const last = attempts.get(form);
	if (last?.content === content && (await areSame(last.files, files).catch(() => false))) return last;
	addStamp(form, data);
	const encoded = new Response(data);
	const type = encoded.headers.get('Content-Type') ?? '';
	// `crypto.randomUUID` is missing on pages without https.
	const key = crypto.getRandomValues(new Uint32Array(4)).join('-');
	const attempt = { key, content, files, type, body: await encoded.blob() };
	attempts.set(form, attempt);
	return attempt;
}

/** A page may make a file anew each time, such as the picture of a signature, which gives it another time. */
async function areSame(files: File[], others: File[]): Promise<boolean> {
	for (const [i, file] of files.entries()) {
		const other = others[i] as File;
		if (file.lastModified === other.lastModified) continue;
		// The one function of browsers that compares bytes; nothing is stored.
		if (indexedDB.cmp(await file.arrayBuffer(), await other.arrayBuffer()) !== 0) return false;
	}
	return true;
}

function succeed(form: HTMLFormElement, outcome: Outcome, { data, submitter }: Sending): void {
	if (!announce(form, 'success', outcome)) return;
	const target = redirectTarget(withoutShadows(form).getAttribute('data-formsrv-redirect') ?? data.get('_next'));
	// The names of files are there to be read.
	if (!target || outcome.droppedFiles) thank(form, outcome, target);
	else leave(target, lock(form, submitter), () => thank(form, outcome));
}

/** The form stays locked until the visitor returns through the browser's history, or it turns out that the page stays. */
function leave(target: string, unlock: () => void, onStay: () => void): void {
	location.assign(target);
	const stay = () => {
		unlock();
		onStay();
	};
	const timer = setTimeout(stay, location.href === target ? 0 : LEFT_WITHIN_MS);
	addEventListener('pagehide', () => clearTimeout(timer), { once: true });
	addEventListener('pageshow', unlock, { once: true });
}

function thank(form: HTMLFormElement, outcome: Outcome, target?: string): void {
	const plain = withoutShadows(form);
	plain.reset();
	renewCaptchas(plain);
	const names = (outcome.droppedFiles ?? []).map(({ name }) => name);
	showSuccess(form, {
		dropped: outcome.moreDroppedFiles ? [...names, '…'] : names,
		target,
		toDo: outcome.pending ? outcome.message : undefined,
	});
}

function fail(form: HTMLFormElement, outcome: Outcome, submitter: HTMLElement | null): void {
	const { status, code } = outcome;
	const mayRetry = (status === 0 && !code) || status === 429 || status >= 500;
	if (!mayRetry) renewCaptchas(withoutShadows(form));
	if (!announce(form, 'error', outcome)) return;
	showError(form, {
		text: outcome.message || outcome.error,
		fields: outcome.errors ?? [],
		// A page may have put another button in the place of the one that was pressed.
		retry: mayRetry ? () => withoutShadows(form).requestSubmit(submitter?.isConnected ? submitter : null) : undefined,
	});
}

/** Dispatches the event to the page; `false` if the page handles it. */
function announce(form: HTMLFormElement, what: string, detail: object): boolean {
	const event = new CustomEvent(`formsrv:${what}`, { bubbles: true, cancelable: true, detail });
	return withoutShadows(form).dispatchEvent(event);
}

function redirectTarget(value: FormDataEntryValue | null): string | undefined {
	if (!value || typeof value !== 'string' || !URL.canParse(value, document.baseURI)) return undefined;
	const { href, protocol } = new URL(value, document.baseURI);
	return /^https?:$/.test(protocol) ? href : undefined;
}

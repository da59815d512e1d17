/** Pure: checks of how a webhook posts: its format, headers, body and conditions. */

import { type FieldError, invalidField, rejectFaults } from '../../errors.ts';
import { type Condition, checkConditions } from '../../form-values/conditions.ts';
import { objectionToAddress } from '../../form-values/message-formats.ts';
import type { WebhookFormat } from '../../form-values/webhook-formats.ts';
import type { WebhookRow } from '../../storage/tables.ts';
import { characterCount } from '../../text/character-count.ts';
import { bytesOf } from '../../text/cut-text.ts';
import { mayHaveLostDigits } from '../../text/exact-json.ts';
import { placeholderProblem, placeholdersIn } from '../../text/placeholders.ts';
import { SUBMISSION_CREATED, WEBHOOK_EVENT_NAMES } from '../events.ts';
import type { Webhook } from './schema.ts';

/** The most of one form. */
export const WEBHOOKS_MAX = 10;
/** In characters. */
export const URL_MAX = 2048;
const NAME_MAX = 100;
const HEADERS_MAX = 10;
const HEADER_VALUE_MAX = 2048;
const BODY_MAX_BYTES = 8 * 1024;
const DEPTH_MAX = 20;
const TOKEN = /^[!#$%&'*+\-.^_`|~\w]{1,64}$/;
const VISIBLE = /^[!-~](?:[ -~]*[!-~])?$/;
/** Those that belong to the connection or to the signature. */
const RESERVED =
	/^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|user-agent|content-.*|proxy-.*|webhook-.*)$/i;

export type Posted = Pick<WebhookRow, 'name' | 'url' | 'format' | 'include' | 'headers' | 'body' | 'where'>;

/** As a client sends it; what is left out stays as it was. */
export interface PostedInput {
	name?: string | null;
	format?: WebhookFormat | null;
	include?: string | null;
	/** `null` for the value that is stored. */
	headers?: Record<string, string | null> | null;
	body?: unknown;
	where?: readonly Condition[] | null;
}

export const NEW_POSTED: Omit<Posted, 'url'> = {
	name: '',
	format: 'standard',
	include: 'summary',
	headers: null,
	body: null,
	where: null,
};

/** A new webhook of which only the address is said, as clients read it. */
export const DEFAULT_WEBHOOK = {
	name: null,
	format: 'standard',
	include: 'summary',
	events: [SUBMISSION_CREATED],
	isActive: true,
	where: [],
	headers: {},
	body: null,
} satisfies Partial<Webhook>;

/**
 * The settings after a change.
 * @param url The address after it.
 * @throws AppError VALIDATION_ERROR that names every member at fault
 */
export function changePosted(before: Posted, input: PostedInput, url: string): Posted {
	const faults: FieldError[] = [];
	const report = (code: string, message: string, field: string) => void faults.push({ field, code, message });
	const given = <Name extends 'name' | 'format' | 'include' | 'body' | 'where'>(name: Name) =>
		(input[name] === undefined ? before[name] : (input[name] ?? NEW_POSTED[name])) as Posted[Name];
	const format = given('format');
	const posted: Posted = {
		url,
		format,
		name: given('name').trim(),
		include: given('include'),
		headers: headersOf(before, { input, url, report }),
		body: format === 'custom' ? given('body') : null,
		where: given('where'),
	};
	if (characterCount(posted.name) > NAME_MAX)
		report('INVALID_NAME', `name must have at most ${NAME_MAX} characters.`, 'name');
	const objection = objectionToAddress(format, url);
	if (objection) report('INVALID_URL', `url ${objection}.`, 'url');
	checkBody(posted, { sent: input.body, report });
	if (posted.where) checkConditions(posted.where, { field: 'where', report });
	if (posted.where?.length === 0) posted.where = null;
	rejectFaults(faults);
	return posted;
}

/** The rest of it often contains a credential. */
export function shownUrl(url: string): string {
	return `${new URL(url).origin}/…`;
}

/** The events after a change; what is left out has the default. @throws AppError VALIDATION_ERROR */
export function checkEvents(sent: readonly string[] | null | undefined): string[] {
	const events = sent ?? [SUBMISSION_CREATED];
	if (events.length > 0) return [...new Set(events)];
	throw invalidField('events', 'INVALID_EVENTS', `events must name at least one of ${WEBHOOK_EVENT_NAMES.join(', ')}.`);
}

type Report = (code: string, message: string, field: string) => void;

function headersOf(
	before: Posted,
	{ input, url, report }: { input: PostedInput; url: string; report: Report },
): Posted['headers'] {
	const stored = new Map(Object.entries(before.headers ?? {}));
	const kept = Object.fromEntries([...stored.keys()].map((name) => [name, null]));
	const sent = Object.entries(input.headers === undefined ? kept : (input.headers ?? {}));
	if (sent.length > HEADERS_MAX) report('TOO_MANY', `headers holds at most ${HEADERS_MAX}.`, 'headers');
	const isSameHost = new URL(before.url).origin === new URL(url).origin;
	const headers = new Map<string, string>();
	const names = new Set<string>();
	for (const [name, value] of sent.slice(0, HEADERS_MAX)) {
		const problem = names.has(name.toLowerCase())
			? 'is there twice'
			: headerProblem(name, { value, stored, isSameHost });
		if (problem) report('INVALID_HEADER', `headers.${name} ${problem}.`, `headers.${name}`);
		names.add(name.toLowerCase());
		headers.set(name, value ?? stored.get(name) ?? '');
	}
	return headers.size > 0 ? Object.fromEntries(headers) : null;
}

/** Stored values are not readable, so they do not go along to another host. */
function headerProblem(
	name: string,
	{ value, stored, isSameHost }: { value: string | null; stored: ReadonlyMap<string, string>; isSameHost: boolean },
): string | undefined {
	if (!TOKEN.test(name)) return 'must have a name of 1 to 64 letters, digits and hyphens';
	if (RESERVED.test(name)) return 'is set by formsrv itself: leave it out';
	if (value !== null) {
		if (value.length <= HEADER_VALUE_MAX && VISIBLE.test(value)) return undefined;
		return `must have a value of 1 to ${HEADER_VALUE_MAX} visible characters of ASCII, on one line`;
	}
	if (!stored.has(name)) return 'must have a value';
	return isSameHost ? undefined : 'must be given again with its value, because the address leads to another host';
}

function checkBody({ format, body }: Posted, { sent, report }: { sent: unknown; report: Report }): void {
	const fault = (rest: string, field = 'body') => report('INVALID_BODY', `${field} ${rest}.`, field);
	if (format !== 'custom') {
		if (sent !== undefined && sent !== null) fault('goes with the format custom alone');
	} else if (body === null || typeof body !== 'object') {
		fault('must be an object or a list, as {"text": "{{message}}"}');
	} else if (bytesOf(JSON.stringify(body)) > BODY_MAX_BYTES) {
		fault(`must have at most ${BODY_MAX_BYTES} bytes as JSON`);
	} else if (sent !== undefined) checkValues(body, { path: 'body', depth: 0, fault });
}

interface Place {
	path: string;
	depth: number;
	fault: (rest: string, field: string) => void;
}

function checkValues(value: unknown, { path, depth, fault }: Place): void {
	const problem = typeof value === 'string' ? placeholderProblem(value) : undefined;
	if (problem) fault(problem, path);
	if (mayHaveLostDigits(value))
		fault(`must not be beyond ±${Number.MAX_SAFE_INTEGER}, because digits would be lost: write it as a text`, path);
	if (value === null || typeof value !== 'object') return;
	if (depth === DEPTH_MAX) fault(`must be nested at most ${DEPTH_MAX} deep`, 'body');
	else
		for (const [name, member] of Object.entries(value)) {
			const at = `${path}.${name}`;
			if (placeholdersIn(name).length > 0) fault('must have its placeholder in a value: names are not filled in', at);
			checkValues(member, { path: at, depth: depth + 1, fault });
		}
}

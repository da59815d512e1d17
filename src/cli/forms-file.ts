/** Reads a file of forms: TOML or JSON, with values from the environment, checked as a whole before anything is done. */

import {
	changePosted,
	checkEvents,
	type DEFAULT_WEBHOOK,
	NEW_POSTED,
	URL_MAX,
	WEBHOOKS_MAX,
} from '../delivery/webhooks/posting-settings.ts';
import type { CreateWebhook, Webhook } from '../delivery/webhooks/schema.ts';
import { AppError } from '../errors.ts';
import { compilePattern } from '../field-rules/pattern.ts';
import { CAPTCHA_NAMES } from '../form-values/captchas.ts';
import { checkFormSettings, NEW_SETTINGS, shownSettings } from '../forms/check-settings.ts';
import { checkOpening } from '../forms/opening.ts';
import { BLANK_SETTINGS, FORM_SETTINGS, type FormInput, type FormSettings, NAME_MAX } from '../forms/settings.ts';
import { isSlug } from '../forms/slug.ts';
import { checkVisitorMails } from '../forms/visitor-mails.ts';
import { checkDigits, checkShape } from '../http/json-body.ts';
import { printable } from '../log/line-text.ts';
import { isAddressOrRange } from '../network/address-ranges.ts';
import { FormsFile, NONE, SETTINGS_OR_NONE } from '../server/forms-file-schema.ts';
import { MAX_ENTRIES, parseEntry } from '../spam/lists/entry.ts';
import { LISTS, type ListName, type Mode } from '../storage/tables.ts';
import { isExactNumber, parseJson } from '../text/exact-json.ts';
import { parseToml } from '../text/parsed-toml.ts';
import { CommandError, type Io } from './cli.ts';
import { readMembers } from './import-rows.ts';
import { readNamedFile } from './named-file.ts';

export type WebhookInFile = Pick<Webhook, keyof typeof DEFAULT_WEBHOOK | 'url'>;

export interface FormInFile {
	slug: string;
	mode: Mode | undefined;
	/** All settings as the API shows them once they are set. */
	settings: FormSettings;
	/** `undefined`: they stay as they are. */
	webhooks: WebhookInFile[] | undefined;
	lists: Partial<Record<ListName, string[]>>;
}

export interface ReadFile {
	/** `undefined`: its forms are not marked as kept in it. */
	name: string | undefined;
	forms: FormInFile[];
	/**
	 * The variables of the environment from which a member of a form has its value, or a part of it, such as `$CRM_URL`.
	 * @param path Such as `['contact', 'webhooks', '0', 'url']`.
	 */
	variablesOf(path: readonly string[]): string[];
	/** An error sentence without values from the environment. */
	redact(sentence: string): string;
}

const ENV = '_env';
/** A shorter value is no secret, and to take it out would garble sentences. */
const SECRET_MIN = 4;
const LIMITS = { captchas: new Set([...CAPTCHA_NAMES, null]), maxFileBytes: Number.MAX_SAFE_INTEGER };

/** @throws CommandError that names what is wrong by its path in the file */
export function readFormsFile(path: string, { cwd, env }: Pick<Io, 'cwd' | 'env'>): ReadFile {
	const secrets: Secret[] = [];
	const value = resolved(parsed(path, cwd), { env, secrets, path: [] });
	const isWithin = (at: readonly string[], { path: [, ...place] }: Secret) =>
		at.every((name, i) => place[i] === name) ||
		(at.length === 2 && at[0] === place[0] && [at[1], place[1]].every((name) => ADDRESSES.has(`${name}`)));
	const redact = (sentence: string) =>
		secrets
			.map(({ value, name }) => ({ value: value.trim(), name }))
			.filter(({ value }) => value.length >= SECRET_MIN)
			.sort((a, b) => b.value.length - a.value.length)
			.reduce((shown, { value, name }) => shown.replaceAll(value, `$${name}`), sentence);
	try {
		checkDigits(value as object);
		checkShape(FormsFile, value as object);
		const { name, forms } = value as FormsFile;
		return {
			name: name === undefined ? undefined : checkName(name),
			forms: Object.keys(forms).map((slug) => inFile(checkSlug(slug), forms[slug] as FormOfFile)),
			variablesOf: (at) => secrets.filter((secret) => isWithin(at, secret)).map(({ name }) => `$${name}`),
			redact,
		};
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		throw new CommandError(`${path}: ${redact(sentencesOf(error))}`);
	}
}

/** Each has the addresses. */
const ADDRESSES = new Set(['notificationEmail', 'notification']);

function parsed(path: string, cwd: string): unknown {
	const text = readNamedFile(path, cwd);
	try {
		const value: unknown = path.endsWith('.json') ? parsedJson(text) : parseToml(text);
		if (isTable(value)) return value;
	} catch (error) {
		// Without a parser's quotation of the file.
		throw new CommandError(`${path} cannot be read: ${(error as Error).message.replace(/\.?(?:\n.*)?$/s, '')}.`);
	}
	throw new CommandError(`${path} must hold an object, as {"forms": {"contact": {"name": "Contact"}}}.`);
}

/**
 * Names the line of an error, which the parser of the platform does not, and rejects a name that occurs twice in one object, as TOML
 * does: the last would count, without a word on the others. Returns nothing of what is no object.
 */
function parsedJson(text: string): unknown {
	if (!/^[ \t\r\n]*\{/.test(text)) return;
	readMembers(text);
	return parseJson(text);
}

/** Dates of TOML are objects too. */
function isTable(value: unknown): value is object {
	return value !== null && typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

interface Secret {
	/** Where the value stands, without the suffix. */
	path: string[];
	value: string;
	/** The name of the variable. */
	name: string;
}

interface Place {
	env: Io['env'];
	/** The values that were taken from the environment. */
	secrets: Secret[];
	path: string[];
}

/** With the value of the variable that `url_env` names as `url`, wherever it stands but in the body of a webhook. */
function resolved(value: unknown, place: Place): unknown {
	const within = (member: unknown, name: string) => resolved(member, { ...place, path: [...place.path, name] });
	if (isExactNumber(value)) return value;
	if (Array.isArray(value)) return value.map((item, i) => within(item, `${i}`));
	if (value !== null && typeof value === 'object' && !isTable(value)) return String(value);
	if (!isTable(value)) return mayBeNone(place.path) && value === NONE ? null : value;
	const members = Object.entries(value).map(([name, member]): [string, unknown] => {
		const path = [...place.path, name];
		// The name of a header may end so too: "none" stands for its stored value.
		if (!name.endsWith(ENV) || (member === NONE && mayBeNone(path)))
			return [name, isBody(path) ? bodyOf(member, path) : within(member, name)];
		const target = name.slice(0, -ENV.length);
		if (Object.hasOwn(value, target))
			throw new CommandError(`${path.join('.')} and ${target} are both there: leave one of them out.`);
		const isVariable = typeof member === 'string' && Object.hasOwn(place.env, member);
		const secret = isVariable ? place.env[member] : undefined;
		if (!secret) throw new CommandError(`${path.join('.')} must name a variable of the environment that is set.`);
		const at = [...place.path, target];
		place.secrets.push({ path: at, value: secret, name: String(member) });
		return [target, isBody(at) ? bodyOf(secret, path) : secret];
	});
	return Object.fromEntries(members);
}

/** Members of `forms.SLUG`, by the names behind that, `*` for any. */
const isMember = (pattern: string[]) => (path: readonly string[]) =>
	path[0] === 'forms' &&
	path.length === pattern.length + 2 &&
	pattern.every((name, i) => name === '*' || name === path[i + 2]);
const isBody = isMember(['webhooks', '*', 'body']);
const NULLABLE = [
	...SETTINGS_OR_NONE.map((name) => [name]),
	['spam', 'threshold'],
	['webhooks', '*', 'headers', '*'],
].map(isMember);
const mayBeNone = (path: readonly string[]) => NULLABLE.some((isIt) => isIt(path));

/** The owner's own words, whatever they are called. */
function bodyOf(member: unknown, path: readonly string[]): unknown {
	if (typeof member !== 'string') return member;
	try {
		return parseJson(member);
	} catch {
		throw new CommandError(`${path.join('.')} must be JSON, or a table.`);
	}
}

/** @throws AppError */
function checkName(name: string): string {
	const report = (): never => {
		throw fault(`name must have 1 to ${NAME_MAX} characters.`);
	};
	return FORM_SETTINGS.keptIn.check(name, { name: 'name', allowed: LIMITS, compilePattern, report }) as string;
}

/** @throws AppError */
function checkSlug(name: string): string {
	if (isSlug(name)) return name;
	throw fault(`forms.${printable(name)} must have a slug as its name: a–z, 0–9 and hyphens.`);
}

type FormOfFile = FormsFile['forms'][string];

/** @throws AppError */
function inFile(slug: string, { mode, webhooks, lists = {}, ...input }: FormOfFile): FormInFile {
	return placed(`forms.${slug}`, () => {
		const settings = {
			...NEW_SETTINGS,
			slug,
			...checkFormSettings(input as FormInput, { allowed: LIMITS, before: BLANK_SETTINGS }),
		};
		checkOpening(settings);
		checkVisitorMails(settings);
		if (webhooks && webhooks.length > WEBHOOKS_MAX) throw fault(`webhooks holds at most ${WEBHOOKS_MAX}.`);
		const named = LISTS.flatMap((name) => (lists[name] ? [[name, entriesOf(lists[name])] as const] : []));
		return {
			slug,
			mode,
			settings: shownSettings(settings),
			webhooks: webhooks?.map((webhook, i) => placed(`webhooks.${i}`, () => webhookOf(webhook))),
			lists: Object.fromEntries(named),
		};
	});
}

/** @throws AppError of which each sentence begins with the place */
function placed<T>(place: string, read: () => T): T {
	try {
		return read();
	} catch (error) {
		throw error instanceof AppError ? fault(`${place}: ${sentencesOf(error)}`) : error;
	}
}

export function sentencesOf({ details, message }: AppError): string {
	return details.fields?.map(({ message }) => message).join(' ') ?? message;
}

const fault = (message: string) => new AppError('VALIDATION_ERROR', message);

function entriesOf(texts: readonly string[]): string[] {
	if (texts.length > MAX_ENTRIES) throw fault(`a list holds at most ${MAX_ENTRIES} entries.`);
	return texts.map((text) => {
		const entry = parseEntry(text, isAddressOrRange);
		if (entry === undefined) throw fault(`"${text}" is no entry of a list, such as domain:example.com.`);
		return entry;
	});
}

/** @throws AppError */
function webhookOf(sent: CreateWebhook): WebhookInFile {
	const url = sent.url.trim();
	if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
		throw fault('url must be an absolute http or https address, such as https://hooks.example.com/formsrv.');
	if (url.length > URL_MAX) throw fault(`url must have at most ${URL_MAX} characters.`);
	const headers = sent.headers ?? {};
	// The server alone knows if there is a stored value.
	const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value ?? 'stored']));
	const { name, format, include, body, where } = changePosted({ ...NEW_POSTED, url }, { ...sent, headers: given }, url);
	return {
		url,
		name: name || null,
		format: format as Webhook['format'],
		include: include as Webhook['include'],
		events: checkEvents(sent.events) as Webhook['events'],
		isActive: sent.isActive ?? true,
		where: where ?? [],
		headers,
		body,
	};
}

/** Reads a file of forms: TOML or JSON, with values from the environment, checked as a whole before anything is done. */

import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { CreateWebhook, Webhook } from '../delivery/webhooks/schema.ts';
import { AppError } from '../errors.ts';
import { CAPTCHA_NAMES } from '../form-values/captchas.ts';
import { checkFormSettings, NEW_SETTINGS, shownSettings } from '../forms/check-settings.ts';
import { checkOpening } from '../forms/opening.ts';
import { BLANK_SETTINGS, type FormInput, type FormSettings } from '../forms/settings.ts';
import { isSlug } from '../forms/slug.ts';
import { checkVisitorMails } from '../forms/visitor-mails.ts';
import { checkShape } from '../http/json-body.ts';
import { isAddressOrRange } from '../network/address-ranges.ts';
import { FormsFile, NONE } from '../server/forms-file.ts';
import { parseEntry } from '../spam/lists/entry.ts';
import { LISTS, type ListName, type Mode } from '../storage/tables.ts';
import { parseExact } from '../text/exact-json.ts';
import { CommandError, type Io } from './cli.ts';

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
	/** True if the file says its name itself. */
	isNamed: boolean;
	name: string;
	forms: FormInFile[];
	/** A text for people, without values from the environment. */
	redact(text: string): string;
}

export const DEFAULT_WEBHOOK = {
	name: null,
	format: 'standard',
	include: 'summary',
	events: ['submission.created'],
	isActive: true,
	where: [],
	headers: {},
	body: null,
} satisfies Partial<Webhook>;

const ENV = '_env';
const LIMITS = { captchas: new Set([...CAPTCHA_NAMES, null]), maxFileBytes: Number.MAX_SAFE_INTEGER };

/** @throws CommandError that names what is wrong by its path in the file */
export function readFormsFile(path: string, { cwd, env }: Pick<Io, 'cwd' | 'env'>): ReadFile {
	const secrets = new Map<string, string>();
	const value = resolved(parsed(path, cwd), { env, secrets, path: '' });
	const redact = (text: string) =>
		[...secrets].reduce(
			(shown, [secret, name]) => shown.replaceAll(JSON.stringify(secret).slice(1, -1), `$${name}`),
			text,
		);
	try {
		checkShape(FormsFile, value as object);
		const { name, forms } = value as FormsFile;
		return {
			isNamed: name !== undefined,
			name: name ?? basename(path),
			forms: Object.entries(forms).map(([slug, form]) => inFile(slug, form)),
			redact,
		};
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		const sentences = error.details.fields?.map(({ message }) => message) ?? [error.message];
		throw new CommandError(`${path}: ${redact(sentences.join(' '))}`);
	}
}

function parsed(path: string, cwd: string): unknown {
	try {
		const text = readFileSync(resolve(cwd, path), 'utf8');
		return path.endsWith('.json') ? parseExact(text) : Bun.TOML.parse(text);
	} catch (error) {
		// Without a parser's quotation of the file.
		throw new CommandError(`${path} cannot be read: ${(error as Error).message.replace(/\n.*/s, '')}.`);
	}
}

interface Place {
	env: Io['env'];
	/** The values that were taken from the environment, with the names of their variables. */
	secrets: Map<string, string>;
	path: string;
}

/** With the value of the variable that `url_env` names as `url`, wherever it stands. */
function resolved(value: unknown, place: Place): unknown {
	if (Array.isArray(value)) return value.map((item, i) => resolved(item, { ...place, path: `${place.path}${i}.` }));
	if (value === null || typeof value !== 'object') return value;
	const members = Object.entries(value).map(([name, member]): [string, unknown] => {
		const path = place.path + name;
		if (!name.endsWith(ENV)) {
			// The owner's own words, whatever they are called.
			if (name === 'body') return [name, typeof member === 'string' ? bodyOf(member, path) : member];
			const isNone = member === NONE && /\.(?:headers\.[^.]+|spam\.threshold|files)$/.test(path);
			return [name, isNone ? null : resolved(member, { ...place, path: `${path}.` })];
		}
		const target = name.slice(0, -ENV.length);
		if (target in value) throw new CommandError(`${path} and ${target} are both there: leave one of them out.`);
		const secret = typeof member === 'string' ? place.env[member] : undefined;
		if (!secret) throw new CommandError(`${path} must name a variable of the environment that is set.`);
		place.secrets.set(secret, String(member));
		return [target, secret];
	});
	return Object.fromEntries(members);
}

function bodyOf(text: string, path: string): unknown {
	try {
		return parseExact(text);
	} catch {
		throw new CommandError(`${path} must be JSON, or a table.`);
	}
}

/** @throws AppError */
function inFile(slug: string, { mode, webhooks, lists = {}, ...input }: FormsFile['forms'][string]): FormInFile {
	if (!isSlug(slug)) throw fault(`forms.${slug} must have a slug as its name: a–z, 0–9 and hyphens.`);
	try {
		const settings = {
			...NEW_SETTINGS,
			slug,
			...checkFormSettings(input as FormInput, { allowed: LIMITS, before: BLANK_SETTINGS }),
		};
		checkOpening(settings);
		checkVisitorMails(settings);
		const named = LISTS.flatMap((name) => (lists[name] ? [[name, entriesOf(lists[name])] as const] : []));
		return {
			slug,
			mode,
			settings: shownSettings(settings),
			webhooks: webhooks?.map(webhookOf),
			lists: Object.fromEntries(named),
		};
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		const sentences = error.details.fields?.map(({ message }) => message) ?? [error.message];
		throw fault(`forms.${slug}: ${sentences.join(' ')}`);
	}
}

const fault = (message: string) => new AppError('VALIDATION_ERROR', message);

function entriesOf(texts: readonly string[]): string[] {
	return texts.map((text) => {
		const entry = parseEntry(text, isAddressOrRange);
		if (entry === undefined) throw fault(`"${text}" is no entry of a list, such as domain:example.com.`);
		return entry;
	});
}

function webhookOf(sent: CreateWebhook): WebhookInFile {
	const given = Object.entries(sent).filter(([, value]) => value !== null);
	return { ...DEFAULT_WEBHOOK, ...(Object.fromEntries(given) as CreateWebhook), url: sent.url.trim() } as WebhookInFile;
}

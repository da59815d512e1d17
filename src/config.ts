/** The settings in force: read, checked and put together; the only reader of the environment. */

import { dirname, join, resolve } from 'node:path';
import {
	type BackupTo,
	type FilePlace,
	placeOfBackups,
	placeOfFiles,
	type S3Service,
	s3ServiceOf,
} from './config/file-place.ts';
import { hasPassword, withPassword } from './config/postgres-url.ts';
import { KEYS, type Key, SETTINGS, type Setting, type SettingValues } from './config/settings.ts';
import { collectProvided, envName, type Provided, type ProvidedInput, quote } from './config/sources.ts';
import { ValueProblem } from './config/value-problem.ts';
import type { ScannerAddress } from './config/value-types.ts';
import { CAPTCHA_VENDORS, type CaptchaVendor } from './form-values/captchas.ts';
import { objectionToAddress } from './form-values/message-formats.ts';
import { localUrl } from './network/local-url.ts';
import { pickNames } from './text/map-names.ts';

/** How tokens of a captcha are verified: with which secret, `null` if not set up, and where. */
export interface CaptchaVerifier {
	secret: string | null;
	verifyUrl: string;
}

/** A provider of OpenID Connect, and this server as its client. */
export interface OidcProvider {
	issuer: string;
	clientId: string;
	/** `null`: a public client. */
	clientSecret: string | null;
}

/** The settings that features get as they are; `config/settings.ts` says what each means. */
const PLAIN = [
	'host',
	'port',
	'submitPort',
	'baseUrl',
	'submitUrl',
	'trustedProxies',
	'authHeader',
	'smtpUrl',
	'mailFrom',
	'mailPerHour',
	'timeZone',
	'language',
	'strictRedirects',
	'disposableDomains',
	'alertUrl',
	'alertFormat',
	'alertToken',
	'alertMail',
	'alertSmtpUrl',
	'metrics',
	'auditDays',
	'logLevel',
	'logAddress',
] as const satisfies readonly Key[];
const LIMITS = ['maxBody', 'maxMultipart', 'maxFields', 'maxFieldName', 'maxDepth'] as const satisfies readonly Key[];

export interface Config extends Pick<SettingValues, (typeof PLAIN)[number]> {
	submitHost: string;
	/** An absolute path. */
	dataDir: string;
	/** The absolute path of an SQLite file, or the address of a PostgreSQL database with its password. */
	database: string;
	captcha: Record<CaptchaVendor, CaptchaVerifier> & { recaptchaMinScore: number };
	/** Private addresses and ranges that webhooks may reach. */
	webhookAllow: string[];
	/** Sizes and lengths in bytes. */
	limits: Pick<SettingValues, (typeof LIMITS)[number]>;
	/** Attached files: their place, bounds in bytes, in all and for one form, and the virus scanner. */
	files: { place: FilePlace; quota: number; formQuota: number; scanner: ScannerAddress | null };
	s3: S3Service;
	/** Backups: how often the server makes one, where they go, how many stay, and whose public key they are encrypted to. */
	backup: { everyMs: number | null; to: BackupTo | null; keep: number; recipient: string | null };
	/** Per minute; 0 = off. `submit` is per address and form, `form` from all addresses, `address` to all forms. */
	rates: { submit: number; form: number; address: number; api: number; auth: number };
	/** The OpenID Connect provider that members sign in with. */
	oidc: OidcProvider | null;
	logFormat: 'text' | 'json';
	settings: SettingInForce[];
	/** Those that were provided, secrets too. */
	provided: ReadonlyMap<Key, Provided>;
}

/** The public addresses of the listeners, without trailing slashes. */
export interface PublicUrls {
	base: string;
	submit: string;
}

/** By default as their machine reaches them. */
export function publicUrls({ host, port, baseUrl, submitHost, submitPort, submitUrl }: Config): PublicUrls {
	return { base: baseUrl ?? localUrl(host, port), submit: submitUrl ?? localUrl(submitHost, submitPort) };
}

/** A setting in force; secrets are masked, `source` is where it was set. */
interface SettingInForce {
	name: string;
	value: string;
	source: string;
}

export interface ConfigInput extends ProvidedInput {
	/** True if the log goes to a terminal. */
	isTerminal: boolean;
}

/** Invalid settings; each of `problems` is a sentence that names a setting and what would be right. */
export class ConfigError extends Error {
	readonly problems: string[];

	constructor(problems: string[]) {
		super(problems.join('\n'));
		this.name = 'ConfigError';
		this.problems = problems;
	}
}

/** The environment of this process; nothing else reads it. */
export function processEnvironment(): Record<string, string | undefined> {
	return process.env;
}

/** The environment of another process of this program, which so has the same settings, wherever they came from. */
export function environmentOf({ provided }: Pick<Config, 'provided'>): Record<string, string | undefined> {
	const others = Object.entries(processEnvironment()).filter(([name]) => !name.startsWith('FORMSRV_'));
	const own = [...provided].map(([key, { text }]) => [envName(key), text]);
	return Object.fromEntries([...others, ...own]);
}

/**
 * Reads and checks the settings. A flag wins over the environment, that over `formsrv.toml`, that over the default.
 * Nothing but {@link reloadConfig} changes the result.
 * @throws ConfigError with every problem there is
 */
export function loadConfig(input: ConfigInput): Config {
	const problems: string[] = [];
	const provided = collectProvided(KEYS, input, problems);
	addSessionToken(provided, input.env);
	return checkedConfig(provided, { input, problems });
}

/** The names of settings that were changed since they were read: those now in force, and those that take a restart. */
export interface Reload {
	changed: string[];
	needRestart: string[];
}

/**
 * Reads the settings again, and changes in `config` those that a running server takes over: all holders of a part of it see them.
 * @throws ConfigError with every problem there is; then nothing has changed
 */
export function reloadConfig(config: Config, input: ConfigInput): Reload {
	const { provided: wanted } = loadConfig({ ...input, isAgain: true });
	const keys = KEYS.filter((key) => wanted.get(key)?.text !== config.provided.get(key)?.text);
	const isReloadable = (key: Key) => (SETTINGS[key] as Setting<unknown>).isReloadable === true;
	const changed = keys.filter(isReloadable);
	const provided = new Map(config.provided);
	for (const key of changed) {
		const found = wanted.get(key);
		if (found) provided.set(key, found);
		else provided.delete(key);
	}
	assignDeep(config, checkedConfig(provided, { input, problems: [] }));
	const needRestart = keys.filter((key) => !isReloadable(key));
	return { changed: changed.map(envName), needRestart: needRestart.map(envName) };
}

/** @throws ConfigError with `problems`, and those found here */
function checkedConfig(
	provided: ReadonlyMap<Key, Provided>,
	{ input, problems }: { input: ConfigInput; problems: string[] },
): Config {
	const parsed = KEYS.map((key) => [key, parseOne(key, provided.get(key), problems)]);
	const values = Object.fromEntries(parsed) as SettingValues;
	if (values.smtpUrl !== null && values.mailFrom === null && !provided.has('mailFrom')) {
		problems.push('FORMSRV_MAIL_FROM must be set when FORMSRV_SMTP_URL is, such as Forms <forms@example.com>.');
	}
	problems.push(...alertProblems(values), ...passwordProblems(values), ...signInProblems(values, provided));
	for (const place of ['filesUrl', 'backupTo'] as const) {
		const url = values[place];
		if (url === null || 'folder' in url) continue;
		for (const key of ['s3AccessKeyId', 's3SecretAccessKey'] as const) {
			if (values[key] !== null || provided.has(key)) continue;
			problems.push(`${envName(key)} must be set when ${envName(place)} names an S3 bucket.`);
		}
	}
	if (values.backupEvery !== null && values.backupTo === null && !provided.has('backupTo')) {
		problems.push('FORMSRV_BACKUP_TO must be set when FORMSRV_BACKUP_EVERY is, such as /backup or s3://bucket/prefix.');
	}
	if (problems.length > 0) throw new ConfigError(problems);
	return { ...assemble(values, input), settings: describeSettings(provided), provided };
}

/** Temporary keys of S3 come with a token, which tools of AWS set under this name. */
function addSessionToken(provided: Map<Key, Provided>, { AWS_SESSION_TOKEN: text }: ConfigInput['env']): void {
	const isWanted = provided.has('s3AccessKeyId') && !provided.has('s3SessionToken');
	if (text && isWanted) provided.set('s3SessionToken', { label: 'AWS_SESSION_TOKEN', text });
}

function describeSettings(provided: ReadonlyMap<Key, Provided>): SettingInForce[] {
	return KEYS.map((key) => {
		const { type, defaultText, absent, isSecret } = SETTINGS[key];
		const found = provided.get(key);
		if (!found) return { name: envName(key), value: defaultText ?? absent, source: 'default' };
		const value = isSecret ? '(set, not shown)' : (type.shown?.(found.text) ?? found.text);
		return { name: envName(key), value, source: found.label };
	});
}

function assemble(values: SettingValues, { cwd, isTerminal }: ConfigInput): Omit<Config, 'settings' | 'provided'> {
	const dataDir = resolve(cwd, values.dataDir);
	const { databaseUrl: url, databasePassword: password } = values;
	const file = url !== null && 'file' in url ? resolve(cwd, url.file) : join(dataDir, 'formsrv.db');
	const s3 = s3ServiceOf(values);
	return {
		...pickNames(values, PLAIN),
		submitHost: values.submitHost ?? values.host,
		dataDir,
		database: url !== null && 'postgres' in url ? withPassword(url.postgres, password) : file,
		captcha: { ...verifiers(values), recaptchaMinScore: values.recaptchaMinScore },
		webhookAllow: values.webhookAllow ?? [],
		limits: pickNames(values, LIMITS),
		files: {
			place: placeOfFiles(values.filesUrl, { s3, cwd, beside: dirname(file) }),
			quota: values.filesQuota,
			formQuota: Math.floor((values.filesQuota * values.filesFormShare) / 100),
			scanner: values.scan,
		},
		s3,
		backup: {
			everyMs: values.backupEvery,
			to: values.backupTo && placeOfBackups(values.backupTo, { s3, cwd }),
			keep: values.backupKeep,
			recipient: values.backupRecipient,
		},
		rates: {
			submit: values.rateSubmit,
			form: values.rateForm ?? 2 * values.rateSubmit,
			address: values.rateAddress ?? 2 * values.rateSubmit,
			api: values.rateApi,
			auth: values.rateAuth,
		},
		oidc: oidcOf(values),
		logFormat: values.logFormat ?? (isTerminal ? 'text' : 'json'),
	};
}

function alertProblems({ alertUrl, alertFormat, alertMail, alertSmtpUrl, smtpUrl, mailFrom }: SettingValues): string[] {
	const problems: string[] = [];
	const objection = alertUrl === null ? undefined : objectionToAddress(alertFormat, alertUrl);
	if (objection) problems.push(`FORMSRV_ALERT_URL ${objection}, because FORMSRV_ALERT_FORMAT is ${alertFormat}.`);
	if (alertMail === null) return problems;
	if (alertSmtpUrl === null && smtpUrl === null)
		problems.push('FORMSRV_ALERT_SMTP_URL, or FORMSRV_SMTP_URL, must be set when FORMSRV_ALERT_MAIL is.');
	if (mailFrom === null && smtpUrl === null)
		problems.push('FORMSRV_MAIL_FROM must be set when FORMSRV_ALERT_MAIL is, such as Forms <forms@example.com>.');
	return problems;
}

function passwordProblems({ databaseUrl: url, databasePassword: password }: SettingValues): string[] {
	if (password === null) return [];
	const isPostgres = url !== null && 'postgres' in url;
	if (!isPostgres) return ['FORMSRV_DATABASE_PASSWORD needs FORMSRV_DATABASE_URL, as postgres://user@host/database.'];
	if (!hasPassword(url.postgres)) return [];
	return ['FORMSRV_DATABASE_URL must have no password when FORMSRV_DATABASE_PASSWORD is set.'];
}

/** A setting that is there but invalid is no further problem. */
function signInProblems(values: SettingValues, provided: ReadonlyMap<Key, Provided>): string[] {
	const problems: string[] = [];
	const isOpen = (entry: string) => entry === 'private' || entry === 'none' || entry.endsWith('/0');
	if (values.authHeader !== null && values.trustedProxies.split(',').some(isOpen)) {
		problems.push(
			'FORMSRV_TRUSTED_PROXIES must list the addresses of the proxies when FORMSRV_AUTH_HEADER is set, such as 10.0.0.5: ' +
				'each of them can sign in as any member.',
		);
	}
	for (const key of ['oidcIssuer', 'oidcClientId'] as const) {
		const other = (['oidcIssuer', 'oidcClientId', 'oidcClientSecret'] as const).find((one) => values[one] !== null);
		if (other && !provided.has(key)) problems.push(`${envName(key)} must be set when ${envName(other)} is.`);
	}
	return problems;
}

function oidcOf({ oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret }: SettingValues) {
	return issuer !== null && clientId !== null ? { issuer, clientId, clientSecret } : null;
}

function verifiers(values: SettingValues): Record<CaptchaVendor, CaptchaVerifier> {
	const entries = CAPTCHA_VENDORS.map((name) => [
		name,
		{ secret: values[`${name}Secret`], verifyUrl: values[`${name}VerifyUrl`] },
	]);
	return Object.fromEntries(entries);
}

function parseOne(key: Key, found: Provided | undefined, problems: string[]): unknown {
	const { type, defaultText, isSecret }: Setting<unknown> = SETTINGS[key];
	if (!found) return defaultText === null ? null : type.parse(defaultText);
	try {
		return type.parse(found.text);
	} catch (error) {
		if (!(error instanceof ValueProblem)) throw error;
		const shown = isSecret || type.shown ? 'the value provided, which is not shown here' : quote(found.text);
		problems.push(`${found.label} ${error.message}; not ${shown}.`);
		return defaultText === null ? null : type.parse(defaultText);
	}
}

/** Gives `target` the members of `source`; objects in it stay the same objects. */
function assignDeep(target: object, source: object): void {
	for (const name of Object.keys(target)) if (!(name in source)) Reflect.deleteProperty(target, name);
	for (const [name, value] of Object.entries(source)) {
		const former: unknown = Reflect.get(target, name);
		if (isRecord(former) && isRecord(value)) assignDeep(former, value);
		else Reflect.set(target, name, value);
	}
}

function isRecord(value: unknown): value is object {
	return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Every setting once: its name, flag, description, default and bounds; and the only reader of the environment. */

import { dirname, join, resolve } from 'node:path';
import { CAPTCHA_VENDORS, CAPTCHAS, type CaptchaVendor } from './captchas.ts';
import { type FilePlace, placeOfFiles } from './config/file-place.ts';
import { filesUrl, type ScannerAddress, scanner } from './config/files-urls.ts';
import { hasPassword, withPassword } from './config/postgres-url.ts';
import { collectProvided, envName, flagName, type Provided, type ProvidedInput, quote } from './config/sources.ts';
import { ValueProblem } from './config/value-problem.ts';
import {
	addressRanges,
	boolean,
	databaseUrl,
	decimal,
	host,
	integer,
	mailbox,
	oneOf,
	origin,
	path,
	secretText,
	size,
	smtpUrl,
	trustedProxies,
	type ValueType,
	webAddress,
	word,
} from './config/value-types.ts';

/** How tokens of a captcha are verified: with which secret, `null` if not set up, and where. */
export interface CaptchaVerifier {
	secret: string | null;
	verifyUrl: string;
}

export interface Config {
	host: string;
	port: number;
	submitHost: string;
	submitPort: number;
	/** Public addresses without a trailing slash; `null`: as the listeners. */
	baseUrl: string | null;
	submitUrl: string | null;
	/** An absolute path. */
	dataDir: string;
	/** The absolute path of an SQLite file, or the address of a PostgreSQL database with its password. */
	database: string;
	/** `private`, `none`, or addresses and ranges separated by commas. */
	trustedProxies: string;
	smtpUrl: string | null;
	mailFrom: string | null;
	/** Mails per form and hour; a digest covers the rest. */
	mailPerHour: number;
	captcha: Record<CaptchaVendor, CaptchaVerifier> & { recaptchaMinScore: number };
	/** Private addresses and ranges that webhooks may reach. */
	webhookAllow: string[];
	/** Sizes and lengths in bytes. */
	limits: { maxBody: number; maxMultipart: number; maxFields: number; maxFieldName: number; maxDepth: number };
	/** What visitors attach: its place, bounds in bytes, in all and of one form, and the virus scanner. */
	files: { place: FilePlace; quota: number; formQuota: number; scanner: ScannerAddress | null };
	/** Per minute; 0 = off. `submit` is per address and form, `form` from all addresses, `address` to all forms. */
	rates: { submit: number; form: number; address: number; api: number; auth: number };
	strictRedirects: boolean;
	/** A file with domains of disposable mail addresses; `null`: the list in the program. */
	disposableDomains: string | null;
	logLevel: 'debug' | 'info' | 'warn' | 'error';
	logFormat: 'text' | 'json';
	/** All settings in force, as readable text. */
	settings: SettingInForce[];
}

/** A setting in force; secrets are masked, `source` is where it was set. */
export interface SettingInForce {
	name: string;
	value: string;
	source: string;
}

export interface ConfigInput extends ProvidedInput {
	/** Whether the log goes to a terminal. */
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

interface Setting<T> {
	type: ValueType<T>;
	description: string;
	/** The default as an operator would write it; `null` for none, whose effect is `absent`. */
	defaultText: string | null;
	absent: string;
	isSecret: boolean;
}

type Optional<T> = Setting<T> & { defaultText: null };

function setting<T>(
	type: ValueType<T>,
	defaultText: string,
	description: string,
): Setting<T> & { defaultText: string } {
	return { type, defaultText, description, absent: '', isSecret: false };
}

function optional<T>(type: ValueType<T>, absent: string, description: string): Optional<T> {
	return { type, defaultText: null, description, absent, isSecret: false };
}

function secret<T>(type: ValueType<T>, description: string): Optional<T> {
	return { type, defaultText: null, description, absent: 'none', isSecret: true };
}

/** One setting for each captcha vendor, such as `hcaptchaSecret`. */
function perVendor<End extends string, S>(end: End, make: (vendor: (typeof CAPTCHAS)[CaptchaVendor]) => S) {
	const entries = CAPTCHA_VENDORS.map((name) => [name + end, make(CAPTCHAS[name])]);
	return Object.fromEntries(entries) as Record<`${CaptchaVendor}${End}`, S>;
}

const PORT = integer(0, 65_535);
const RATE = integer(0, 1_000_000);
const BODY_SIZE = size(1024, 1024 ** 3);

const SETTINGS = {
	host: setting(host, '127.0.0.1', 'Address the base listener is bound to; 0.0.0.0 or :: for all.'),
	port: setting(PORT, '8080', 'Port of the base listener; 0 picks a free one.'),
	submitHost: optional(host, 'as FORMSRV_HOST', 'Address the submit listener is bound to.'),
	submitPort: setting(
		PORT,
		'8081',
		'Port of the submit listener; with the host and port of the base, one listener serves both.',
	),
	baseUrl: optional(
		origin,
		'the listener',
		'Public address of the API and the dashboard, as https://forms.example.com.',
	),
	submitUrl: optional(origin, 'the listener', 'Public address that forms post to.'),
	dataDir: setting(path, './formsrv-data', 'Folder of the database and of attached files; created if missing.'),
	databaseUrl: optional(
		databaseUrl,
		'formsrv.db in the data folder',
		'Another SQLite file, as sqlite:PATH, or PostgreSQL, as postgres://user@host/database.',
	),
	databasePassword: secret(secretText, 'Password of PostgreSQL, if FORMSRV_DATABASE_URL has none.'),
	trustedProxies: setting(
		trustedProxies,
		'private',
		'Proxies whose X-Forwarded-For counts: private (loopback and private ranges), none, or addresses and ranges.',
	),
	smtpUrl: secret(smtpUrl, 'Mail server, as smtp://user:password@host:587 or smtps://…; without it no mail is sent.'),
	mailFrom: optional(
		mailbox,
		'none',
		'From of every mail, as Forms <forms@example.com>; needed with FORMSRV_SMTP_URL.',
	),
	mailPerHour: setting(integer(1, 100_000), '60', 'Mails per form and hour; a digest covers the rest.'),
	...perVendor('Secret', ({ label }) => secret(secretText, `Secret key of ${label}.`)),
	...perVendor('VerifyUrl', ({ label, verifyUrl }) =>
		setting(webAddress, verifyUrl, `Where ${label} tokens are verified.`),
	),
	recaptchaMinScore: setting(decimal(0, 1), '0.5', 'reCAPTCHA v3: a lower score is spam.'),
	disposableDomains: optional(
		path,
		'the list in the program',
		'File with the domains of disposable mail addresses, one on each line.',
	),
	webhookAllow: optional(addressRanges, 'none', 'Private addresses and ranges that webhooks may reach.'),
	maxBody: setting(BODY_SIZE, '1MiB', 'Largest JSON or urlencoded body, and most text of a multipart one.'),
	maxMultipart: setting(BODY_SIZE, '25MiB', 'Largest multipart body, files included.'),
	maxFields: setting(integer(1, 100_000), '1000', 'Most fields of one submission.'),
	maxFieldName: setting(integer(1, 65_536), '256', 'Longest field name, in bytes.'),
	maxDepth: setting(integer(1, 1000), '32', 'Deepest nesting of a JSON submission.'),
	filesUrl: optional(
		filesUrl,
		'files beside the SQLite file, else in the data folder',
		'Where the bytes of attached files lie: a folder, or s3://bucket/prefix.',
	),
	filesQuota: setting(size(1024, 1024 ** 5), '5GiB', 'Most bytes of files in all; files beyond it are rejected.'),
	filesFormShare: setting(integer(1, 100), '50', 'Share of the quota that one form may use, in percent.'),
	s3Endpoint: optional(origin, 'that of AWS', 'Address of the S3 service of FORMSRV_FILES_URL.'),
	s3Region: setting(word, 'us-east-1', 'Region of the S3 bucket.'),
	s3AccessKeyId: secret(secretText, 'Access key id of the S3 bucket.'),
	s3SecretAccessKey: secret(secretText, 'Secret access key of the S3 bucket.'),
	scan: optional(
		scanner,
		'off',
		'Virus scanner for attached files, as clamd:/run/clamav/clamd.ctl or clamd:tcp://host:3310.',
	),
	rateSubmit: setting(RATE, '300', 'Submissions a minute per client address and form; 0 = no limit.'),
	rateForm: optional(
		RATE,
		'twice FORMSRV_RATE_SUBMIT',
		'Submissions a minute per form, from all addresses; what is beyond goes to spam; 0 = no limit.',
	),
	rateAddress: optional(
		RATE,
		'twice FORMSRV_RATE_SUBMIT',
		'Submissions a minute per client address, to all forms; 0 = no limit.',
	),
	rateApi: setting(RATE, '1000', 'API requests a minute per key; 0 = no limit.'),
	rateAuth: setting(RATE, '20', 'Failed authentications a minute per client address; 0 = no limit.'),
	strictRedirects: setting(
		boolean,
		'false',
		'Follow _next only to hosts that the form allows, also for forms without allowed domains.',
	),
	logLevel: setting(oneOf(['debug', 'info', 'warn', 'error']), 'info', 'Least level that is logged.'),
	logFormat: optional(oneOf(['text', 'json']), 'text on a terminal, else json', 'Form of the log on stderr.'),
};

type Key = keyof typeof SETTINGS;
type Values = {
	[K in Key]: (typeof SETTINGS)[K] extends { type: ValueType<infer T>; defaultText: infer S }
		? S extends string
			? T
			: T | null
		: never;
};

const KEYS = Object.keys(SETTINGS) as Key[];

/** A setting for help and documentation. */
export interface SettingInfo {
	key: string;
	name: string;
	/** `null` for secrets, which do not belong on a command line. */
	flag: string | null;
	/** The placeholder of the value in the help, such as `number`. */
	placeholder: string;
	/** The allowed values, such as `0–65535`. */
	values: string;
	default: string;
	description: string;
}

/** The environment of this process; nothing else reads it. */
export function processEnvironment(): Record<string, string | undefined> {
	return process.env;
}

/**
 * Reads, checks and freezes the settings. A flag wins over the environment, that over `formsrv.toml`, that
 * over the default.
 * @throws ConfigError with every problem there is
 */
export function loadConfig(input: ConfigInput): Config {
	const problems: string[] = [];
	const provided = collectProvided(KEYS, input, problems);
	const values = parseAll(provided, problems);
	if (values.smtpUrl !== null && values.mailFrom === null && !provided.has('mailFrom')) {
		problems.push('FORMSRV_MAIL_FROM must be set when FORMSRV_SMTP_URL is, such as Forms <forms@example.com>.');
	}
	problems.push(...passwordProblems(values));
	if (values.filesUrl !== null && 'bucket' in values.filesUrl) {
		for (const key of ['s3AccessKeyId', 's3SecretAccessKey'] as const) {
			if (values[key] !== null || provided.has(key)) continue;
			problems.push(`${envName(key)} must be set when FORMSRV_FILES_URL names an S3 bucket.`);
		}
	}
	if (problems.length > 0) throw new ConfigError(problems);
	return deepFreeze({ ...assemble(values, input), settings: describeSettings(provided) });
}

/** Every setting, in the order in which they are documented. */
export function listSettings(): SettingInfo[] {
	return KEYS.map((key) => {
		const { type, defaultText, absent, description, isSecret } = SETTINGS[key];
		return {
			key,
			name: envName(key),
			flag: isSecret ? null : flagName(key),
			placeholder: type.placeholder,
			values: type.values,
			default: defaultText ?? absent,
			description,
		};
	});
}

/** The table of docs/settings.md, in Markdown, with its columns aligned as the formatter aligns them. */
export function settingsTable(): string {
	const rows = listSettings().map((info) => {
		const cells = [
			`\`${info.name}\``,
			info.flag ? `\`${info.flag}\`` : '',
			info.default,
			info.values,
			info.description,
		];
		return cells.map((cell) => cell.replaceAll('|', '\\|'));
	});
	const table = [['Setting', 'Flag', 'Default', 'Values', 'Meaning'], [], ...rows];
	const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
	return table
		.map((cells) => widths.map((width, column) => cells[column]?.padEnd(width) ?? '-'.repeat(width)))
		.map((cells) => `| ${cells.join(' | ')} |`)
		.join('\n');
}

function describeSettings(provided: Map<string, Provided>): SettingInForce[] {
	return KEYS.map((key) => {
		const { type, defaultText, absent, isSecret } = SETTINGS[key];
		const found = provided.get(key);
		if (!found) return { name: envName(key), value: defaultText ?? absent, source: 'default' };
		const value = isSecret ? '(set, not shown)' : (type.shown?.(found.text) ?? found.text);
		return { name: envName(key), value, source: found.label };
	});
}

function assemble(values: Values, { cwd, isTerminal }: ConfigInput): Omit<Config, 'settings'> {
	const dataDir = resolve(cwd, values.dataDir);
	const { databaseUrl: url, databasePassword: password } = values;
	const file = url !== null && 'file' in url ? resolve(cwd, url.file) : join(dataDir, 'formsrv.db');
	const format = isTerminal ? 'text' : 'json';
	return {
		host: values.host,
		port: values.port,
		submitHost: values.submitHost ?? values.host,
		submitPort: values.submitPort,
		baseUrl: values.baseUrl,
		submitUrl: values.submitUrl,
		dataDir,
		database: url !== null && 'postgres' in url ? withPassword(url.postgres, password) : file,
		trustedProxies: values.trustedProxies,
		smtpUrl: values.smtpUrl,
		mailFrom: values.mailFrom,
		mailPerHour: values.mailPerHour,
		captcha: {
			...verifiers(values),
			recaptchaMinScore: values.recaptchaMinScore,
		},
		disposableDomains: values.disposableDomains ?? null,
		webhookAllow: values.webhookAllow ?? [],
		limits: {
			maxBody: values.maxBody,
			maxMultipart: values.maxMultipart,
			maxFields: values.maxFields,
			maxFieldName: values.maxFieldName,
			maxDepth: values.maxDepth,
		},
		files: {
			place: placeOfFiles(values, { cwd, beside: dirname(file) }),
			quota: values.filesQuota,
			formQuota: Math.floor((values.filesQuota * values.filesFormShare) / 100),
			scanner: values.scan,
		},
		rates: {
			submit: values.rateSubmit,
			form: values.rateForm ?? 2 * values.rateSubmit,
			address: values.rateAddress ?? 2 * values.rateSubmit,
			api: values.rateApi,
			auth: values.rateAuth,
		},
		strictRedirects: values.strictRedirects,
		logLevel: values.logLevel,
		logFormat: values.logFormat ?? format,
	};
}

function passwordProblems({ databaseUrl: url, databasePassword: password }: Values): string[] {
	if (password === null) return [];
	const isPostgres = url !== null && 'postgres' in url;
	if (!isPostgres) return ['FORMSRV_DATABASE_PASSWORD needs FORMSRV_DATABASE_URL, as postgres://user@host/database.'];
	if (!hasPassword(url.postgres)) return [];
	return ['FORMSRV_DATABASE_URL must have no password when FORMSRV_DATABASE_PASSWORD is set.'];
}

function verifiers(values: Values): Record<CaptchaVendor, CaptchaVerifier> {
	const entries = CAPTCHA_VENDORS.map((name) => [
		name,
		{ secret: values[`${name}Secret`], verifyUrl: values[`${name}VerifyUrl`] },
	]);
	return Object.fromEntries(entries);
}

function parseAll(provided: Map<string, Provided>, problems: string[]): Values {
	const parsed = KEYS.map((key) => [key, parseOne(key, provided.get(key), problems)]);
	return Object.fromEntries(parsed) as Values;
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

function deepFreeze<T extends object>(value: T): T {
	for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) deepFreeze(member);
	return Object.freeze(value);
}

/** Every setting once: its name, default, bounds and description. */

import { CAPTCHA_VENDORS, CAPTCHAS, type CaptchaVendor } from '../form-values/captchas.ts';
import { MESSAGE_FORMAT_NAMES } from '../form-values/message-formats.ts';
import { LANGUAGES } from '../languages/languages.ts';
import {
	addressRanges,
	boolean,
	clientId,
	databaseUrl,
	decimal,
	duration,
	filesUrl,
	headerName,
	host,
	integer,
	issuer,
	listenAddress,
	mailbox,
	oneOf,
	origin,
	path,
	recipient,
	scanner,
	secretText,
	size,
	smtpUrl,
	timeZone,
	trustedProxies,
	type ValueType,
	webAddress,
	word,
} from './value-types.ts';

export interface Setting<T> {
	type: ValueType<T>;
	description: string;
	/** The default as an operator would write it; `null` for none, whose effect is `absent`. */
	defaultText: string | null;
	absent: string;
	isSecret: boolean;
	/** A running server takes a new value over when it gets SIGHUP. Whatever uses it reads it from `Config` each time. */
	isReloadable?: true;
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

function reloadable<S extends Setting<unknown>>(one: S): S {
	return { ...one, isReloadable: true };
}

/** One setting for each captcha vendor, such as `hcaptchaSecret`. */
function perVendor<End extends string, S>(end: End, make: (vendor: (typeof CAPTCHAS)[CaptchaVendor]) => S) {
	const entries = CAPTCHA_VENDORS.map((name) => [name + end, make(CAPTCHAS[name])]);
	return Object.fromEntries(entries) as Record<`${CaptchaVendor}${End}`, S>;
}

const PORT = integer(0, 65_535);
const RATE = integer(0, 1_000_000);
const BODY_SIZE = size(1024, 1024 ** 3);

export const SETTINGS = {
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
	authHeader: optional(
		headerName,
		'none',
		'Header with the mail address of a member, as Remote-Email; counts only from addresses that FORMSRV_TRUSTED_PROXIES lists.',
	),
	oidcIssuer: optional(
		issuer,
		'none',
		'Issuer of the OpenID Connect provider that members sign in with, exactly as the provider writes it.',
	),
	oidcClientId: optional(clientId, 'none', 'Client id at that provider; needed with FORMSRV_OIDC_ISSUER.'),
	oidcClientSecret: secret(secretText, 'Client secret at that provider, if it gave one.'),
	smtpUrl: reloadable(
		secret(smtpUrl, 'Mail server, as smtp://user:password@host:587 or smtps://…; without it no mail is sent.'),
	),
	mailFrom: reloadable(
		optional(
			mailbox,
			'none',
			'From address of every mail, as Forms <forms@example.com>; needed with FORMSRV_SMTP_URL.',
		),
	),
	language: setting(
		oneOf(LANGUAGES),
		'en',
		'Language of mails, and of visitors who ask for none that there is; forms may have their own.',
	),
	mailPerHour: setting(integer(1, 100_000), '60', 'Mails per form and hour; a digest covers the rest.'),
	timeZone: reloadable(
		setting(timeZone, 'UTC', 'Time zone of moments told to people, as Europe/Berlin; a form may have another.'),
	),
	...perVendor('Secret', ({ label }) => reloadable(secret(secretText, `Secret key of ${label}.`))),
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
	maxBody: setting(BODY_SIZE, '1MiB', 'Largest JSON or urlencoded body, and the text of a multipart one.'),
	maxMultipart: setting(BODY_SIZE, '25MiB', 'Largest multipart body, files included.'),
	maxFields: setting(integer(1, 100_000), '1000', 'Maximum number of fields in a submission.'),
	maxFieldName: setting(integer(1, 65_536), '256', 'Longest field name, in bytes.'),
	maxDepth: setting(integer(1, 1000), '32', 'Deepest nesting of a JSON submission.'),
	filesUrl: optional(
		filesUrl,
		'files beside the SQLite file, else in the data folder',
		'Where the bytes of attached files lie: a folder, or s3://bucket/prefix.',
	),
	filesQuota: setting(
		size(1024, 1024 ** 5),
		'5GiB',
		'Maximum total size of files, each counted as at least 4 KiB; files beyond it are rejected.',
	),
	filesFormShare: setting(integer(1, 100), '50', 'Share of the quota that one form may use, in percent.'),
	s3Endpoint: optional(origin, 'that of AWS', 'Address of the S3 service of attached files and backups.'),
	s3Region: setting(word, 'us-east-1', 'Region of the S3 bucket.'),
	s3AccessKeyId: reloadable(secret(secretText, 'Access key id of the S3 bucket.')),
	s3SecretAccessKey: reloadable(secret(secretText, 'Secret access key of the S3 bucket.')),
	s3SessionToken: reloadable(secret(secretText, 'Session token of temporary S3 keys; else AWS_SESSION_TOKEN counts.')),
	scan: optional(
		scanner,
		'off',
		'Virus scanner for attached files, as clamd:/run/clamav/clamd.ctl or clamd:tcp://host:3310.',
	),
	backupEvery: optional(
		duration(1, 30),
		'off',
		'Time between two backups to FORMSRV_BACKUP_TO, as 6h or 1d; each is verified when it is written.',
	),
	backupTo: optional(filesUrl, 'none', 'Where backups go: a folder that is there, or s3://bucket/prefix.'),
	backupKeep: setting(integer(1, 1000), '7', 'How many backups stay in FORMSRV_BACKUP_TO; older ones are removed.'),
	backupRecipient: optional(
		recipient,
		'none',
		'Public key that backups are encrypted to, as age1…, for which age-keygen keeps the private one.',
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
	alertUrl: reloadable(secret(webAddress, 'Where alerts of problems are posted; see docs/operating.md.')),
	alertFormat: reloadable(
		setting(
			oneOf(['standard', ...MESSAGE_FORMAT_NAMES]),
			'standard',
			'What is posted to FORMSRV_ALERT_URL: JSON of formsrv, or a message in the format of a chat.',
		),
	),
	alertToken: reloadable(
		secret(secretText, 'Sent to FORMSRV_ALERT_URL as Authorization: Bearer, which Matrix and ntfy ask for.'),
	),
	alertMail: reloadable(optional(mailbox, 'none', 'Mail address that alerts of problems are sent to.')),
	alertSmtpUrl: reloadable({
		...secret(smtpUrl, 'Mail server for alerts, best another than that of all mail.'),
		absent: 'as FORMSRV_SMTP_URL',
	}),
	metrics: optional(
		listenAddress,
		'off',
		'Address and port of a listener that serves /metrics without a key, as 127.0.0.1:9464.',
	),
	auditDays: setting(integer(1, 3650), '365', 'How many days the entries of the audit log are kept.'),
	logLevel: reloadable(setting(oneOf(['debug', 'info', 'warn', 'error']), 'info', 'Lowest level that is logged.')),
	logAddress: reloadable(
		setting(
			oneOf(['full', 'network', 'none']),
			'full',
			'How much of client addresses is logged: all, the network only (/24, /48), or nothing.',
		),
	),
	logFormat: optional(oneOf(['text', 'json']), 'text on a terminal, else json', 'Format of the log on stderr.'),
};

export type Key = keyof typeof SETTINGS;
export type SettingValues = {
	[K in Key]: (typeof SETTINGS)[K] extends { type: ValueType<infer T>; defaultText: infer S }
		? S extends string
			? T
			: T | null
		: never;
};

/** In the order in which they are documented. */
export const KEYS = Object.keys(SETTINGS) as Key[];

/** Settings: precedence, bounds, `_FILE`, `formsrv.toml`, and problems that are reported together. */

import { beforeEach, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { KEYS, SETTINGS } from '../src/config/settings.ts';
import { envName } from '../src/config/sources.ts';
import { type ConfigInput, environmentOf, loadConfig, reloadConfig } from '../src/config.ts';
import { problemsIn } from './config-problems.ts';
import { tempFolder } from './temp-folder.ts';

let cwd: string;
beforeEach(() => {
	cwd = tempFolder();
});

function load(input: Partial<ConfigInput> = {}) {
	return loadConfig({ env: {}, flags: {}, cwd, isTerminal: false, ...input });
}

const problemsOf = (input: Partial<ConfigInput>) => problemsIn(() => load(input));

function write(name: string, text: string): string {
	writeFileSync(join(cwd, name), text);
	return join(cwd, name);
}

describe('without any setting', () => {
	test('every setting has a usable default', () => {
		const { settings: _, ...values } = load();
		expect(values).toEqual({
			host: '127.0.0.1',
			port: 8080,
			submitHost: '127.0.0.1',
			submitPort: 8081,
			baseUrl: null,
			submitUrl: null,
			dataDir: join(cwd, 'formsrv-data'),
			database: join(cwd, 'formsrv-data', 'formsrv.db'),
			trustedProxies: 'private',
			authHeader: null,
			oidc: null,
			smtpUrl: null,
			mailFrom: null,
			mailPerHour: 60,
			timeZone: 'UTC',
			language: 'en',
			captcha: {
				recaptcha: { secret: null, verifyUrl: 'https://www.google.com/recaptcha/api/siteverify' },
				hcaptcha: { secret: null, verifyUrl: 'https://api.hcaptcha.com/siteverify' },
				turnstile: { secret: null, verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify' },
				recaptchaMinScore: 0.5,
			},
			disposableDomains: null,
			webhookAllow: [],
			limits: { maxBody: 1_048_576, maxMultipart: 26_214_400, maxFields: 1000, maxFieldName: 256, maxDepth: 32 },
			files: {
				place: { folder: join(cwd, 'formsrv-data', 'files'), s3: null },
				quota: 5 * 1024 ** 3,
				formQuota: 2.5 * 1024 ** 3,
				scanner: null,
			},
			s3: { endpoint: null, region: 'us-east-1', accessKeyId: '', secretAccessKey: '' },
			backup: { everyMs: null, to: null, keep: 7, recipient: null },
			provided: new Map(),
			rates: { submit: 300, form: 600, address: 600, api: 1000, auth: 20 },
			strictRedirects: false,
			alertUrl: null,
			alertFormat: 'standard',
			alertToken: null,
			alertMail: null,
			alertSmtpUrl: null,
			metrics: null,
			auditDays: 365,
			logAddress: 'full',
			logLevel: 'info',
			logFormat: 'json',
		});
	});

	test('the log is text on a terminal', () => {
		expect(load({ isTerminal: true }).logFormat).toBe('text');
	});
});

describe('reading them again', () => {
	const files = {
		FORMSRV_FILES_URL: 's3://bucket',
		FORMSRV_S3_ACCESS_KEY_ID: 'id',
		FORMSRV_S3_SECRET_ACCESS_KEY: 'old',
	};

	test('changes in place what a running server takes over, and names the rest', () => {
		write('formsrv.toml', 'log_level = "warn"\nport = 1\nhcaptcha_secret_file = "secret"');
		write('secret', 'one');
		const config = load({ env: files });
		const { place } = config.files;
		const { hcaptcha } = config.captcha;
		write('formsrv.toml', 'port = 2\nhcaptcha_secret_file = "secret"\nalert_url = "https://a.example"');
		write('secret', 'two\n');
		const env = { ...files, FORMSRV_S3_SECRET_ACCESS_KEY: 'new', FORMSRV_S3_SESSION_TOKEN: 'token' };
		expect(reloadConfig(config, { env, flags: {}, cwd, isTerminal: false })).toEqual({
			changed: [
				'FORMSRV_HCAPTCHA_SECRET',
				'FORMSRV_S3_SECRET_ACCESS_KEY',
				'FORMSRV_S3_SESSION_TOKEN',
				'FORMSRV_ALERT_URL',
				'FORMSRV_LOG_LEVEL',
			],
			needRestart: ['FORMSRV_PORT'],
		});
		expect(config).toMatchObject({ port: 1, logLevel: 'info', alertUrl: 'https://a.example/' });
		expect(place.s3).toMatchObject({ secretAccessKey: 'new', sessionToken: 'token' });
		expect(hcaptcha.secret).toBe('two');
		expect(config.settings.find(({ name }) => name === 'FORMSRV_LOG_LEVEL')?.source).toBe('default');
		expect(environmentOf(config)).toMatchObject({ FORMSRV_PORT: '1', FORMSRV_S3_SECRET_ACCESS_KEY: 'new' });

		reloadConfig(config, { env: files, flags: {}, cwd, isTerminal: false });
		expect(place.s3).not.toHaveProperty('sessionToken');
	});

	test('changes nothing if one of them is wrong, or would be together with those that stay', () => {
		const config = load({ env: files });
		const before = structuredClone({ ...config, trustedProxies: null });
		const again = (env: Record<string, string>) =>
			problemsIn(() => reloadConfig(config, { env, flags: {}, cwd, isTerminal: false }));
		const wrong = { ...files, FORMSRV_LOG_LEVEL: 'loud', FORMSRV_HCAPTCHA_SECRET: 'new' };
		expect(again(wrong)).toEqual([expect.stringContaining('FORMSRV_LOG_LEVEL must be')]);
		expect(again({ FORMSRV_FILES_URL: '/elsewhere' })).toEqual([
			expect.stringContaining('FORMSRV_S3_ACCESS_KEY_ID must be set'),
			expect.stringContaining('FORMSRV_S3_SECRET_ACCESS_KEY must be set'),
		]);
		expect(structuredClone({ ...config, trustedProxies: null })).toEqual(before);
	});

	test('reads no file beyond its bound', () => {
		expect(problemsOf({ env: { FORMSRV_SMTP_URL_FILE: '/dev/zero' } })).toEqual([
			'FORMSRV_SMTP_URL_FILE names "/dev/zero", which cannot be read: it holds more than 1 MiB.',
		]);
		expect(problemsOf({ flags: { config: '/dev/zero' } })).toEqual([
			'/dev/zero cannot be used: it holds more than 1 MiB.',
		]);
	});

	test('waits for no pipe, and does not take an empty one for settings that were removed', async () => {
		expect(Bun.spawnSync(['mkfifo', 'pipe'], { cwd }).success).toBe(true);
		const writer = () => Bun.spawn(['sh', '-c', `echo 'log_level = "warn"' > pipe`], { cwd });
		const first = writer();
		const config = load({ flags: { config: 'pipe' } });
		await first.exited;
		const waiting = writer();
		const again = (input: Partial<ConfigInput>) =>
			problemsIn(() => reloadConfig(config, { env: {}, flags: {}, cwd, isTerminal: false, ...input }));
		const sentence = expect.stringMatching(/pipe"?,? .*: it is a pipe, which can be read only once\.$/);
		expect(again({ flags: { config: 'pipe' } })).toEqual([sentence]);
		expect(again({ env: { FORMSRV_HCAPTCHA_SECRET_FILE: 'pipe' } })).toEqual([sentence]);
		expect(config.logLevel).toBe('warn');
		waiting.kill();
	});
});

describe('precedence', () => {
	test('a flag wins over the environment, that over formsrv.toml, that over the default', () => {
		write('formsrv.toml', 'port = 1\nsubmit_port = 1\nmax_fields = 7');
		const env = { FORMSRV_PORT: '2', FORMSRV_SUBMIT_PORT: '2' };
		const config = load({ env, flags: { port: '3' } });
		expect([config.port, config.submitPort, config.limits.maxFields, config.limits.maxDepth]).toEqual([3, 2, 7, 32]);
	});

	test('--config names another settings file, which must exist', () => {
		write('other.toml', 'strict_redirects = true\nwebhook_allow = ["10.0.0.0/8", "::1"]');
		const config = load({ flags: { config: 'other.toml' } });
		expect(config.strictRedirects).toBe(true);
		expect(config.webhookAllow).toEqual(['10.0.0.0/8', '::1']);
		expect(problemsOf({ flags: { config: 'missing.toml' } })).toEqual([
			expect.stringContaining('missing.toml cannot be used'),
		]);
	});

	test('an empty variable counts as absent', () => {
		expect(load({ env: { FORMSRV_PORT: '', FORMSRV_SMTP_URL: '' } }).port).toBe(8080);
	});

	test('the submit listener follows the host of the base listener', () => {
		expect(load({ env: { FORMSRV_HOST: '[::]' } })).toMatchObject({ host: '::', submitHost: '::' });
	});

	/** As the kubelet makes them: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables */
	function serviceLinks(name: string, { address, protocol }: { address: string; protocol: string }) {
		const link = `${name}_PORT_8081_${protocol.toUpperCase()}`;
		const url = `${protocol}://${address}:8081`;
		return {
			[`${name}_SERVICE_HOST`]: address,
			[`${name}_SERVICE_PORT`]: '8081',
			[`${name}_SERVICE_PORT_HTTP_FORMS`]: '8081',
			[`${name}_PORT`]: url,
			[link]: url,
			[`${link}_PROTO`]: protocol,
			[`${link}_PORT`]: '8081',
			[`${link}_ADDR`]: address,
		};
	}

	test.each(['FORMSRV', 'FORMSRV_SUBMIT', 'FORMSRV_SMTP', 'FORMSRV_PROD_2'])(
		'variables that Kubernetes sets for a service %s are not taken for settings',
		(name) => {
			for (const address of ['10.0.0.1', '[fd00::1]', 'fd00::1'])
				for (const protocol of ['tcp', 'udp', 'sctp']) {
					const { port, submitPort } = load({ env: serviceLinks(name, { address, protocol }) });
					expect({ port, submitPort }).toEqual({ port: 8080, submitPort: 8081 });
				}
		},
	);

	test.each([
		['FORMSRV_SUBMIT_PROT', '9000'],
		['FORMSRV_SUBMIT_PORTS', 'tcp://10.0.0.1:8081'],
		['FORMSRV_SUBMIT_SERVICE_HOST', 'forms.example.com'],
		['FORMSRV_SUBMIT_SERVICE_PORT', 'http'],
		['FORMSRV_SUBMIT_PORT_TCP', '10.0.0.1'],
	])('%s=%s is none of them, and reported', (name, text) => {
		expect(problemsOf({ env: { [name]: text } })).toEqual([expect.stringContaining(`${name} is not a setting`)]);
	});
});

describe('_FILE', () => {
	test('a file is UTF-8, with or without the mark of Windows', () => {
		const bytes = Buffer.from('s\xfc\xdf', 'latin1');
		writeFileSync(join(cwd, 'latin'), bytes);
		writeFileSync(join(cwd, 'latin.toml'), Buffer.concat([Buffer.from('language = "'), bytes, Buffer.from('"')]));
		writeFileSync(join(cwd, 'marked'), '\ufeffs3cret\r\n');
		expect(problemsOf({ env: { FORMSRV_HCAPTCHA_SECRET_FILE: 'latin' }, flags: { config: 'latin.toml' } })).toEqual([
			`${join(cwd, 'latin.toml')} cannot be used: it is not valid UTF-8.`,
			`FORMSRV_HCAPTCHA_SECRET_FILE names "${join(cwd, 'latin')}", which cannot be read: it is not valid UTF-8.`,
		]);
		expect(load({ env: { FORMSRV_HCAPTCHA_SECRET_FILE: 'marked' } }).captcha.hcaptcha.secret).toBe('s3cret');
	});

	test('the value is read from the file, without its last line break', () => {
		const file = write('secret', 's3cret\n');
		expect(load({ env: { FORMSRV_HCAPTCHA_SECRET_FILE: file } }).captcha.hcaptcha.secret).toBe('s3cret');
	});

	test('it works in formsrv.toml as well', () => {
		write('secret', 's3cret');
		write('formsrv.toml', 'turnstile_secret_file = "secret"');
		expect(load().captcha.turnstile.secret).toBe('s3cret');
	});

	test.each([
		['FORMSRV_SMTP_URL_FILE names "missing", which cannot be read', { FORMSRV_SMTP_URL_FILE: 'missing' }],
		['FORMSRV_SMTP_URL_FILE names "empty", which is empty', { FORMSRV_SMTP_URL_FILE: 'empty' }],
		['FORMSRV_PORT_FILE and FORMSRV_PORT are both set', { FORMSRV_PORT_FILE: 'empty', FORMSRV_PORT: '1' }],
	])('%s: refused', (sentence, env) => {
		write('empty', '\n');
		const problems = problemsOf({ env });
		expect(problems).toHaveLength(1);
		expect(problems[0]?.replaceAll(`${cwd}/`, '')).toStartWith(sentence);
	});
});

describe('values', () => {
	test.each([
		['FORMSRV_MAX_BODY', '2MiB', 'limits.maxBody', 2_097_152],
		['FORMSRV_MAX_BODY', '500kB', 'limits.maxBody', 500_000],
		['FORMSRV_MAX_BODY', '1.5 MB', 'limits.maxBody', 1_500_000],
		['FORMSRV_MAX_BODY', '4096', 'limits.maxBody', 4096],
		['FORMSRV_RATE_SUBMIT', '0', 'rates.submit', 0],
		['FORMSRV_RATE_SUBMIT', '0', 'rates.form', 0],
		['FORMSRV_RATE_SUBMIT', '1000000', 'rates.address', 2_000_000],
		['FORMSRV_RATE_FORM', '7', 'rates.form', 7],
		['FORMSRV_RECAPTCHA_MIN_SCORE', '0.75', 'captcha.recaptchaMinScore', 0.75],
		['FORMSRV_STRICT_REDIRECTS', 'Yes', 'strictRedirects', true],
		['FORMSRV_BASE_URL', 'HTTPS://Forms.Example.com:443/', 'baseUrl', 'https://forms.example.com'],
		['FORMSRV_SUBMIT_URL', 'http://localhost:9000', 'submitUrl', 'http://localhost:9000'],
		['FORMSRV_TRUSTED_PROXIES', 'None', 'trustedProxies', 'none'],
		['FORMSRV_TRUSTED_PROXIES', ' 10.0.0.0/8 , ::1', 'trustedProxies', '10.0.0.0/8,::1'],
		['FORMSRV_DATABASE_URL', 'sqlite:/srv/a.db', 'database', '/srv/a.db'],
		['FORMSRV_DATABASE_URL', 'sqlite:///srv/a b.db', 'database', '/srv/a b.db'],
		['FORMSRV_DATABASE_URL', 'file:///srv/a%20b.db', 'database', '/srv/a b.db'],
		['FORMSRV_MAIL_FROM', 'Forms <forms@example.com>', 'mailFrom', 'Forms <forms@example.com>'],
	])('%s=%s is understood', (name, text, path, value) => {
		expect(load({ env: { [name]: text } })).toHaveProperty(path, value);
	});

	test('relative paths are below the working directory', () => {
		const env = { FORMSRV_DATA_DIR: 'data', FORMSRV_DATABASE_URL: 'sqlite:./other.db' };
		expect(load({ env })).toMatchObject({ dataDir: join(cwd, 'data'), database: join(cwd, 'other.db') });
	});

	test.each([
		['FORMSRV_PORT', '65536', 'must be a whole number from 0 to 65535; not "65536".'],
		['FORMSRV_PORT', '0x50', 'must be a whole number from 0 to 65535; not "0x50".'],
		['FORMSRV_HOST', 'http://x', 'must be an IP address or a host name'],
		['FORMSRV_HOST', '256.1.1.1', 'must be an IP address or a host name'],
		['FORMSRV_HOST', 'fe80::1%eth0', 'must be an IP address or a host name'],
		['FORMSRV_METRICS', '[fe80::1%eth0]:9464', 'must be an address and a port'],
		['FORMSRV_BASE_URL', 'forms.example.com', 'must be an address with http:// or https:// and no path'],
		['FORMSRV_BASE_URL', 'https://example.com/forms', 'and no path'],
		['FORMSRV_BASE_URL', 'ftp://example.com', 'must be an address with http:// or https://'],
		['FORMSRV_MAX_BODY', '1 parsec', 'must be a size from 1KiB to 1GiB'],
		['FORMSRV_MAX_BODY', '10', 'must be a size from 1KiB to 1GiB'],
		['FORMSRV_RECAPTCHA_MIN_SCORE', '1.1', 'must be a number from 0 to 1'],
		['FORMSRV_STRICT_REDIRECTS', 'maybe', 'must be true or false'],
		['FORMSRV_STRICT_REDIRECTS', 'constructor', 'must be true or false'],
		['FORMSRV_TRUSTED_PROXIES', '10.0.0.0/8,nonsense', 'must be private, none, or addresses and ranges'],
		['FORMSRV_WEBHOOK_ALLOW', '127.1', 'must be addresses or ranges'],
		['FORMSRV_LOG_LEVEL', 'loud', 'must be one of debug, info, warn, error'],
		['FORMSRV_MAIL_FROM', 'a@b.c, d@e.f', 'must be one mail address'],
		['FORMSRV_DATABASE_PASSWORD', 'x', 'needs FORMSRV_DATABASE_URL, as postgres://user@host/database.'],
		['FORMSRV_DATA_DIR', '~/forms', 'must be a path, written out: without quotes, ~/ or $NAME; not "~/forms".'],
		['FORMSRV_DATA_DIR', '"/data"', 'must be a path, written out'],
		['FORMSRV_DATA_DIR', '/data\r', 'must be a path, written out'],
		['FORMSRV_DISPOSABLE_DOMAINS', '$HOME/domains', 'must be a path, written out'],
		['FORMSRV_FILES_URL', '~/files', 'must be a path, written out'],
		['FORMSRV_BACKUP_TO', "'/backup'", 'must be a path, written out'],
		['FORMSRV_DATABASE_URL', 'sqlite:~/forms.db', 'must be a path, written out'],
		['FORMSRV_DATABASE_URL', 'sqlite::memory:', 'must name a SQLite file'],
		['FORMSRV_DATABASE_URL', 'sqlite://host/a.db', 'must name a SQLite file'],
	])('%s=%s is refused', (name, text, sentence) => {
		const problems = problemsOf({ env: { [name]: text } });
		expect(problems).toHaveLength(1);
		expect(problems[0]).toStartWith(`${name} `);
		expect(problems[0]).toContain(sentence);
	});

	test.each([
		[{ FORMSRV_AUTH_HEADER: 'Remote-Email' }, 'FORMSRV_TRUSTED_PROXIES must list the addresses of the proxies'],
		[
			{ FORMSRV_AUTH_HEADER: 'Remote-Email', FORMSRV_TRUSTED_PROXIES: 'private' },
			'FORMSRV_TRUSTED_PROXIES must list the addresses of the proxies',
		],
		[
			{ FORMSRV_AUTH_HEADER: 'Remote-Email', FORMSRV_TRUSTED_PROXIES: 'none' },
			'FORMSRV_TRUSTED_PROXIES must list the addresses of the proxies',
		],
		[
			{ FORMSRV_AUTH_HEADER: 'Remote-Email', FORMSRV_TRUSTED_PROXIES: '10.0.0.5,::/0' },
			'FORMSRV_TRUSTED_PROXIES must list the addresses of the proxies',
		],
		[
			{ FORMSRV_AUTH_HEADER: 'Remote_Email', FORMSRV_TRUSTED_PROXIES: '10.0.0.5' },
			'FORMSRV_AUTH_HEADER must be the name of a header, such as Remote-Email; not "Remote_Email".',
		],
		[{ FORMSRV_OIDC_ISSUER: 'https://a.example' }, 'FORMSRV_OIDC_CLIENT_ID must be set when FORMSRV_OIDC_ISSUER is.'],
		[{ FORMSRV_OIDC_CLIENT_ID: 'x' }, 'FORMSRV_OIDC_ISSUER must be set when FORMSRV_OIDC_CLIENT_ID is.'],
		[
			{ FORMSRV_OIDC_CLIENT_ID: 'x', FORMSRV_OIDC_ISSUER: 'http://login.example.com' },
			'FORMSRV_OIDC_ISSUER must be an address with https://',
		],
		[
			{ FORMSRV_OIDC_CLIENT_ID: 'x', FORMSRV_OIDC_ISSUER: 'https://login.example.com/?a=b' },
			'FORMSRV_OIDC_ISSUER must be an address with https://',
		],
		[
			{ FORMSRV_OIDC_CLIENT_ID: 'x', FORMSRV_OIDC_ISSUER: 'https://example.com/.well-known/openid-configuration' },
			'FORMSRV_OIDC_ISSUER must be an address with https:// and without /.well-known/…',
		],
	])('%p is refused, with one problem', (env, sentence) => {
		const problems = problemsOf({ env });
		expect(problems).toHaveLength(1);
		expect(problems[0]).toStartWith(sentence);
	});

	test('a secret of the provider alone names both settings that are missing', () => {
		expect(problemsOf({ env: { FORMSRV_OIDC_CLIENT_SECRET: 'x' } })).toEqual([
			'FORMSRV_OIDC_ISSUER must be set when FORMSRV_OIDC_CLIENT_SECRET is.',
			'FORMSRV_OIDC_CLIENT_ID must be set when FORMSRV_OIDC_CLIENT_SECRET is.',
		]);
	});

	test('any text for a number yields a number within the bounds or one problem', () => {
		fc.assert(
			fc.property(fc.string({ minLength: 1 }), (text) => {
				const problems = problemsOf({ flags: { port: text } });
				const isPort = /^\d+$/.test(text) && Number(text) <= 65_535 && text.length <= 15;
				expect(problems).toHaveLength(isPort ? 0 : 1);
			}),
		);
	});
});

describe('problems', () => {
	test('all are reported together, each by the name that was used', () => {
		write('formsrv.toml', 'rate_api = "many"\n[table]\nx = 1\n');
		const problems = problemsOf({ env: { FORMSRV_PORT: 'x' }, flags: { host: ':' } });
		expect(problems.map((problem) => problem.split(' ')[0])).toEqual(['table', '--host', 'FORMSRV_PORT', 'rate_api']);
	});

	test.each([
		['FORMSRV_PROT', 'FORMSRV_PROT is not a setting; did you mean FORMSRV_PORT?'],
		['FORMSRV_SMTP_URLFILE', 'FORMSRV_SMTP_URLFILE is not a setting; did you mean FORMSRV_SMTP_URL_FILE?'],
		['FORMSRV_XYZZY', 'FORMSRV_XYZZY is not a setting.'],
	])('the unknown name %s is refused', (name, sentence) => {
		expect(problemsOf({ env: { [name]: '1' } })).toEqual([sentence]);
	});

	test.each(['submit_prot', 'submit-port', 'FORMSRV_SUBMIT_PORT'])(
		'the unknown name %s in formsrv.toml is rejected as written there',
		(name) => {
			const file = write('formsrv.toml', `${name} = 1`);
			expect(problemsOf({})).toEqual([`${name} in ${file} is not a setting; did you mean submit_port?`]);
		},
	);

	test.each([
		['base_url = https://forms.example.com', 5, 'Strings must be quoted'],
		['port = 2', 5, "Cannot redefine key 'port'"],
		['host: "::1"', 5, "Expected '=' after a key but found ':'"],
		['webhook_allow = [\n\t"::1",\n\tnone\n]', 7, 'Strings must be quoted'],
		['max_body = 2MiB', 5, 'Unexpected character after a value'],
		['mail_from = "Forms', 5, 'Unterminated string; newlines must be escaped in basic strings'],
	])('%j in formsrv.toml is reported with its line', (text, line, sentence) => {
		const file = write('formsrv.toml', `port = 1\r\nwebhook_allow = [\n\t"::1"\n]\n${text}\nrate_api = 5\n`);
		expect(problemsOf({})).toEqual([`${file} cannot be used: line ${line}: ${sentence}.`]);
	});

	test('a mail server needs a From', () => {
		expect(problemsOf({ env: { FORMSRV_SMTP_URL: 'smtp://localhost' } })).toEqual([
			expect.stringContaining('FORMSRV_MAIL_FROM must be set'),
		]);
	});

	test('no secret is shown', () => {
		write('formsrv.toml', 'recaptcha_secret = hunter2');
		const env = {
			FORMSRV_SMTP_URL: 'http://user:hunter2@host',
			FORMSRV_HCAPTCHA_SECRET: 'hunter2 hunter2',
			FORMSRV_DATABASE_URL: 'postgres://user:hunter2@host',
			FORMSRV_BACKUP_RECIPIENT: 'AGE-SECRET-KEY-1hunter2',
		};
		const problems = problemsOf({ env });
		expect(problems).toHaveLength(5);
		expect(problems.join()).not.toContain('hunter2');
	});

	test.each(['user:hunter2@host?tls=maybe', 'user:hunter2%@host', 'user:12/hunter2@host'])(
		'a mail server that cannot be read, smtp://%s, is one of them',
		(rest) => {
			const problems = problemsOf({ env: { FORMSRV_SMTP_URL: `smtp://${rest}`, FORMSRV_MAIL_FROM: 'a@example.com' } });
			expect(problems).toEqual([expect.stringMatching(/^FORMSRV_SMTP_URL must /)]);
			expect(problems.join()).not.toContain('hunter2');
		},
	);

	test('so is one whose address is in a file', () => {
		expect(problemsOf({ env: { FORMSRV_SMTP_URL_FILE: write('smtp', 'smtp://user:hunter2@host?tls=maybe') } })).toEqual(
			[expect.stringMatching(/^FORMSRV_SMTP_URL_FILE must have no parameter but tls/)],
		);
	});
});

describe('what is shown to people', () => {
	test('the settings in force name their source, secrets are masked', () => {
		const env = { FORMSRV_SMTP_URL: 'smtp://user:hunter2@host', FORMSRV_MAIL_FROM: 'a@example.com' };
		const rows = load({ env, flags: { port: '1' } }).settings;
		const row = (name: string) => rows.find((candidate) => candidate.name === name);
		expect(row('FORMSRV_PORT')).toMatchObject({ value: '1', source: '--port' });
		expect(row('FORMSRV_HOST')).toMatchObject({ value: '127.0.0.1', source: 'default' });
		expect(row('FORMSRV_SMTP_URL')).toMatchObject({ value: '(set, not shown)', source: 'FORMSRV_SMTP_URL' });
	});

	test('these are secrets, which have no flag', () => {
		expect(KEYS.filter((key) => SETTINGS[key].isSecret).map(envName)).toEqual([
			'FORMSRV_DATABASE_PASSWORD',
			'FORMSRV_OIDC_CLIENT_SECRET',
			'FORMSRV_SMTP_URL',
			'FORMSRV_RECAPTCHA_SECRET',
			'FORMSRV_HCAPTCHA_SECRET',
			'FORMSRV_TURNSTILE_SECRET',
			'FORMSRV_S3_ACCESS_KEY_ID',
			'FORMSRV_S3_SECRET_ACCESS_KEY',
			'FORMSRV_S3_SESSION_TOKEN',
			'FORMSRV_ALERT_URL',
			'FORMSRV_ALERT_TOKEN',
			'FORMSRV_ALERT_SMTP_URL',
		]);
	});
});

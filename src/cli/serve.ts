/** `formsrv serve`: runs the server until it is asked to stop. */

import { type App, openApp } from '../app.ts';
import { KEYS, SETTINGS } from '../config/settings.ts';
import { envName } from '../config/sources.ts';
import { type Config, ConfigError, type Reload } from '../config.ts';
import { createLog, type Log } from '../log/log.ts';
import { isEveryAddress } from '../network/local-url.ts';
import { type RunningServer, startServer } from '../server.ts';
import { databaseAt } from '../storage/open.ts';
import { type Cli, CommandError, type Io, type Options, withSettings } from './cli.ts';
import type { CliCommand } from './command.ts';
import { setupLink } from './dashboard-link.ts';

/** The grace period of requests and deliveries in flight; with closing the database, a stop stays within ten seconds. */
const DRAIN_MS = 8000;
/** A server in which a part is dead ends within this time. */
const END_WITHIN_MS = 10_000;
/** Delayed, so that the first response does not wait for it. */
const WELCOME_AFTER_MS = 100;
/** The signals that stop the server, with their numbers (POSIX). */
const STOP_SIGNALS = { SIGTERM: 15, SIGINT: 2 };
/** Signals of log rotation, which would end the process without a listener. */
const IGNORED_SIGNALS = ['SIGUSR1', 'SIGUSR2'] as const;

export function addServe(program: CliCommand, cli: Cli): void {
	const command = program
		.command('serve')
		.summary('Start the server.')
		.description(
			'Start the server. Nothing needs to be set: the data goes to ./formsrv-data, which is made if it is missing. ' +
				'It prints the address of each listener, and runs until SIGTERM or SIGINT. At SIGHUP it reads the settings again.',
		)
		.addHelpText('after', settingsHelp)
		.examples(
			'formsrv serve',
			'formsrv serve --host 0.0.0.0 --base-url https://forms.example.com --submit-url https://f.example.com',
			'formsrv serve --port 9000 --submit-port 9000    one listener for both addresses',
			'FORMSRV_SMTP_URL_FILE=/run/secrets/smtp FORMSRV_MAIL_FROM=forms@example.com formsrv serve',
		);
	withSettings(command).action((options: Options) => serve(cli, options));
}

function settingsHelp(): string {
	const secrets = KEYS.filter((key) => SETTINGS[key].isSecret);
	const width = Math.max(...secrets.map((key) => envName(key).length));
	return [
		'\nSecrets, which have no flag:',
		...secrets.map((key) => `  ${envName(key).padEnd(width)}  ${SETTINGS[key].description}`),
		'\nEach setting can be provided by flag, in the environment (FORMSRV_PORT=8080), in the environment as the name of a',
		'file that holds it (FORMSRV_SMTP_URL_FILE=/run/secrets/smtp), or in formsrv.toml (port = 8080). The first of',
		'these wins. All problems are reported before anything starts.',
	].join('\n');
}

/** @param options The settings provided by flag. */
export async function serve(cli: Cli, options: Options): Promise<void> {
	const config = cli.loadSettings(options);
	// Before the database is opened, because a restore holds the lock while it replaces the file.
	const database = await databaseAt(config.database);
	const releaseLock = database.lock();
	if (!releaseLock) throw new CommandError(`Another formsrv serves ${database.name} already.`);
	const log = createLog({
		level: config.logLevel,
		format: config.logFormat,
		write: (lines) => cli.io.stderr.write(lines),
	});
	const stopRequest = awaitStopRequest(cli.io, log);
	const reload = awaitReload(cli, { config, options, log });
	const fault = awaitFault(log);
	const end = Promise.race([stopRequest, fault.happens]);
	try {
		const app = await openApp(config, { log });
		try {
			database.removeLeftovers();
			const server = await startServer(app);
			reload.applyTo(app);
			announce(cli, server);
			await Promise.race([end, Bun.sleep(WELCOME_AFTER_MS)]);
			await welcome(cli, { app, server, log }).catch((cause) => log.error('No setup link could be made.', { cause }));
			await end;
			log.info('stopping');
			await server.stop(DRAIN_MS);
		} finally {
			await app.close();
		}
	} finally {
		releaseLock();
		fault.stopWaiting();
		log.flush();
	}
	if (fault.hasHappened()) throw new CommandError('The server ended because of an unhandled error; see its log.');
}

/** At SIGHUP the settings are read again, and one line says what came of it. Nothing of it ends the server. */
function awaitReload(cli: Cli, { config, options, log }: { config: Config; options: Options; log: Log }) {
	let app: App | undefined;
	const reload = () => {
		try {
			const sentences = reloadSentences(cli.reloadSettings(config, options));
			log.setLevel(config.logLevel);
			app?.reload();
			log.warn(`SIGHUP: the settings were read again. ${sentences}`);
		} catch (cause) {
			if (!(cause instanceof ConfigError)) throw cause;
			log.error(`SIGHUP: nothing was changed, because the settings are wrong. ${cause.problems.join(' ')}`);
		}
	};
	if (!cli.io.signal) process.on('SIGHUP', reload);
	return {
		/** Has the changes applied from now on, and those until now. */
		applyTo(started: App): void {
			app = started;
			app.reload();
		},
	};
}

function reloadSentences({ changed, needRestart }: Reload): string {
	if (changed.length + needRestart.length === 0) return 'They are as before.';
	const sentences: string[] = [];
	if (changed.length > 0) sentences.push(`Changed: ${changed.join(', ')}.`);
	if (needRestart.length > 0) sentences.push(`Only a restart changes ${needRestart.join(', ')}.`);
	return sentences.join(' ');
}

function announce(cli: Cli, { baseUrl, submitUrl }: RunningServer): void {
	cli.print(`base    ${baseUrl}`);
	if (submitUrl !== baseUrl) cli.print(`submit  ${submitUrl}`);
}

/** Tells the operator about missing addresses and the missing first key. */
async function welcome(cli: Cli, { app, server, log }: { app: App; server: RunningServer; log: Log }): Promise<void> {
	const isTerminal = cli.io.stderr.isTTY === true;
	// Programs read a log line by line, in its format.
	const tell = isTerminal ? cli.note : log.warn;
	const unknown = unknownAddresses(app.config);
	if (unknown.length > 0) {
		tell(
			`Links and snippets name localhost, which only this machine can open. Set ${unknown.join(' and ')} to the addresses that ` +
				'people use, such as https://forms.example.com.',
		);
	}
	// On a new server a link signs the operator in. It is not logged, because readers of the log could use it for an hour.
	if ((await app.keys.list()).length > 0) return;
	if (!isTerminal) {
		tell('There is no API key yet. To set up in a browser, open the link that "formsrv dashboard-link" prints.');
		return;
	}
	const link = setupLink(server.publicUrls.base, await app.sessions.createLink());
	tell(`There is no API key yet. To set up in a browser, open this link within an hour: ${link}`);
}

function unknownAddresses({ host, baseUrl, submitHost, submitUrl }: Config): string[] {
	const unknown: string[] = [];
	if (baseUrl === null && isEveryAddress(host)) unknown.push('FORMSRV_BASE_URL');
	if (submitUrl === null && isEveryAddress(submitHost)) unknown.push('FORMSRV_SUBMIT_URL');
	return unknown;
}

/** Resolves at the first signal; a second one ends the process at once. */
function awaitStopRequest({ signal }: Io, log: Log): Promise<void> {
	return new Promise((resolve) => {
		if (signal) {
			signal.addEventListener('abort', () => resolve(), { once: true });
			if (signal.aborted) resolve();
			return;
		}
		let isStopping = false;
		for (const [name, number] of Object.entries(STOP_SIGNALS)) {
			process.on(name, () => {
				if (isStopping) {
					log.flush();
					process.exit(128 + number);
				}
				isStopping = true;
				resolve();
			});
		}
		for (const name of IGNORED_SIGNALS) {
			process.on(name, () => log.info(`${name} does nothing. At SIGHUP the server reads its settings again.`));
		}
	});
}

/**
 * Waits for an error that nothing handled. Then a part of the server may be dead while the others look well, so that the process has to
 * end, for its supervisor to start another.
 */
function awaitFault(log: Log) {
	const { promise, resolve } = Promise.withResolvers<void>();
	let hasHappened = false;
	const onError = (cause: unknown) => {
		log.error('Unhandled error: the server ends, with exit code 1.', { cause });
		if (hasHappened) return;
		hasHappened = true;
		// In case that the fault keeps it from ending.
		setTimeout(() => {
			log.flush();
			process.exit(1);
		}, END_WITHIN_MS).unref();
		resolve();
	};
	process.on('unhandledRejection', onError);
	process.on('uncaughtException', onError);
	return {
		happens: promise,
		hasHappened: () => hasHappened,
		stopWaiting(): void {
			process.off('unhandledRejection', onError);
			process.off('uncaughtException', onError);
		},
	};
}

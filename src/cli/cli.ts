/** The context of every command: input and output, settings, the opened application, and errors. */

import type { App } from '../app.ts';
import { KEYS, type Key, SETTINGS } from '../config/settings.ts';
import { envName, flagName } from '../config/sources.ts';
import { type Config, loadConfig, type Reload, reloadConfig } from '../config.ts';
import type { Form } from '../forms/schema.ts';
import { decodeId } from '../ids.ts';
import { printable, printableJson } from '../log/line-text.ts';
import { createLog } from '../log/log.ts';
import { createAction, type Recorded, recordAction } from '../storage/audit/action.ts';
import { databaseAt, databaseName, isFile } from '../storage/open.ts';
import type { CliCommand } from './command.ts';
import { formatTable } from './table.ts';

export interface Output {
	/** May return a promise that resolves when the text is flushed, with `false` if the reader has gone. */
	write(text: string | Uint8Array): unknown;
	isTTY?: boolean;
	columns?: number;
}

/** Everything outside the program that a command can touch. */
export interface Io {
	/** For commands that other programs talk to; without it there is no input. */
	stdin?: () => AsyncIterable<Uint8Array>;
	stdout: Output;
	stderr: Output;
	env: Record<string, string | undefined>;
	cwd: string;
	/** Stops a running server; without it, the signals of the process do. */
	signal?: AbortSignal;
}

/** 3: a dry run that found something to do. */
export type ExitCode = 0 | 1 | 2 | 3;

/** A command failed; `message` is the sentence shown to the operator. Exit code 2: wrong usage. */
export class CommandError extends Error {
	readonly exitCode: ExitCode;

	constructor(message: string, exitCode: ExitCode = 1) {
		super(message);
		this.name = 'CommandError';
		this.exitCode = exitCode;
	}
}

export type Options = Record<string, unknown>;

interface ListText<T> {
	/** The texts of each column by its header. */
	columns: Record<string, (item: T) => string>;
	/** The remark on an empty list. */
	none: string;
}

type UseApp = (app: App) => Promise<void>;

interface WithApp {
	/** By default from the options. */
	config?: Config;
	/** True if it makes a database where there is none. */
	create?: boolean;
	/** Its name in the audit log, which gets an entry once the command writes. One that only reads, but lets content out, calls `recordAction`. */
	action: string;
	use: UseApp;
}

export type Cli = ReturnType<typeof createCli>;

export const STORAGE_SETTINGS: readonly Key[] = ['dataDir', 'databaseUrl', 'filesUrl'];
export const BACKUP_SETTINGS: readonly Key[] = [
	...STORAGE_SETTINGS,
	's3Endpoint',
	's3Region',
	'backupTo',
	'backupKeep',
	'backupRecipient',
];
const REPLACED =
	'The database was replaced while the command ran, as by a restore: what it changed may be in the former file alone. Run it again.';
/** The option of a command that reads an archive. */
export const IDENTITY = [
	'--identity <file>',
	'The private key of an encrypted archive, as age-keygen writes it',
] as const;

export function createCli(io: Io) {
	const line = (text: string) => `${text}\n`;
	const inputOf = (options: Options) => ({
		env: io.env,
		flags: options,
		cwd: io.cwd,
		isTerminal: io.stderr.isTTY === true,
	});
	const loadSettings = (options: Options): Config => loadConfig(inputOf(options));

	const cli = {
		io,
		/** The exit code of the process unless the command throws. */
		exitCode: 0 as ExitCode,
		loadSettings,
		/** Reads the settings again, into `config`. @throws ConfigError */
		reloadSettings: (config: Config, options: Options): Reload => reloadConfig(config, inputOf(options)),
		/** Prints a line of the result; control characters are escaped. */
		print: (text: string) => io.stdout.write(line(printable(text))),
		printJson: (value: unknown) => io.stdout.write(line(printableJson(JSON.stringify(value, null, 2)))),
		/** Prints JSON text as it is, because its numbers may have more digits than a JavaScript number. */
		printJsonText: (json: string) => io.stdout.write(line(printableJson(json))),
		/** Prints a result as a table; control characters are escaped. */
		printTable: (headers: readonly string[], rows: readonly (readonly string[])[]) =>
			io.stdout.write(formatTable(headers, rows)),
		/** Prints a list as JSON or as a table, of which each column has a header and its texts. */
		printList<T>(options: Options, items: readonly T[], { columns, none }: ListText<T>): void {
			const rows = items.map((item) => Object.values(columns).map((text) => text(item)));
			if (options.json) cli.printJson(items);
			else if (items.length === 0) cli.note(none);
			else cli.printTable(Object.keys(columns), rows);
		},
		printResult: (options: Options, value: object, sentence: string) =>
			options.json ? cli.printJson(value) : cli.print(sentence),
		/** Writes a remark to stderr; control characters are escaped. */
		note: (text: string) => io.stderr.write(line(printable(text))),
		/**
		 * Opens the application, runs `use` and closes it. Works while a server is running.
		 * @throws CommandError if there is no database yet and `create` is not set
		 */
		async withApp(
			options: Options,
			{ config = loadSettings(options), create = false, action, use }: WithApp,
		): Promise<void> {
			const { exists, name, identity } = await databaseAt(config.database);
			const isNew = !(await exists());
			if (isNew && !create) throw new CommandError(missingDatabase(config.database));
			const log = createLog({ level: 'warn', format: config.logFormat, write: (lines) => io.stderr.write(lines) });
			const { openApp } = await import('../app.ts');
			const app = await openApp(config, { log });
			const opened = identity();
			if (isNew)
				cli.note(`Created a new database: ${name}. If you already have one elsewhere, name it with --data-dir.`);
			try {
				const actor = { actor: `user:${await userName()}`, mode: 'live' as const };
				const doing = createAction({ name: action, actor: () => actor });
				app.actions.findBy(() => doing);
				await use(app);
			} finally {
				await app.close();
				log.flush();
			}
			// A restore does not wait for commands.
			if (identity() !== opened) throw new CommandError(REPLACED);
		},
		/** Leaves an entry in the audit log for what a command did without the application. */
		async record(config: Config, action: string, recorded: Recorded): Promise<void> {
			try {
				await cli.withApp({}, { config, action, use: (app) => recordAction(app.storage, recorded) });
			} catch (error) {
				cli.note(`The audit log has no entry of it: ${error instanceof Error ? error.message : error}`);
			}
		},
	};
	return cli;
}

/**
 * Gives a command `--json` and the flags that locate the database, and runs it on the opened application. What `prepare`
 * throws comes before anything is opened. `action` is the operation of the API that does the same, by which the audit log names it.
 */
export function runOnApp<O extends Options, Arguments extends unknown[]>(
	command: CliCommand,
	{ cli, action }: { cli: Cli; action?: string },
	prepare: (options: O, ...args: Arguments) => UseApp,
): void {
	withStorage(command.option('--json', 'Print JSON')).action(() => {
		const options = command.opts<O>();
		const use = prepare(options, ...(command.processedArgs as Arguments));
		const name = action ?? `${command.parent?.name()} ${command.name()}`;
		return cli.withApp(options, { action: name, use });
	});
}

/**
 * The user of the operating system, not of the environment, which may say anything and is all that Bun asks. A number where that has
 * no name, as in a container. The accounts of macOS are in no file.
 */
export async function userName(): Promise<string> {
	const uid = process.getuid?.();
	if (uid === undefined || process.platform === 'darwin') return (await import('node:os')).userInfo().username;
	const accounts = await Bun.file('/etc/passwd')
		.text()
		.catch(() => '');
	const account = accounts.split('\n').find((line) => line.split(':')[2] === `${uid}`);
	return account?.split(':')[0] || `${uid}`;
}

export function missingDatabase(place: string): string {
	const name = databaseName(place);
	if (!isFile(place)) return `There are no formsrv tables in ${name} yet. "formsrv serve" creates them.`;
	return `There is no database at ${name}. Name its folder with --data-dir, or make one with "formsrv serve".`;
}

/** Adds `--config` and the flags of the settings `keys` to a command. Secrets have none: others can read command lines. */
export function withSettings(command: CliCommand, keys: readonly Key[] = KEYS): CliCommand {
	command.optionsGroup('Settings:');
	for (const key of keys) {
		const { type, defaultText, absent, description, isSecret } = SETTINGS[key];
		if (isSecret) continue;
		const value = type.placeholder === 'true|false' ? '[true|false]' : `<${type.placeholder}>`;
		const help = `${description} (${envName(key)}; default: ${defaultText ?? absent})`;
		command.setting(`${flagName(key)} ${value}`, help, type.choices);
	}
	return command.option('--config <path>', 'Settings file (default: formsrv.toml in the working directory, if any)');
}

/** Adds the flags that locate the database. */
export function withStorage(command: CliCommand): CliCommand {
	return withSettings(command, STORAGE_SETTINGS);
}

/** The form that an entry of the audit log is about. */
export function about({ id, mode }: Form): Recorded {
	const formId = decodeId(id);
	return { mode, object: `form:${id}`, ...(formId !== undefined && { formId }) };
}

/** Finds a form by its id or slug. @throws CommandError if there is none */
export async function findFormIn(app: App, idOrSlug: string): Promise<Form> {
	return pickForm(await app.forms.list(), idOrSlug);
}

/** @throws CommandError if it is not among them */
export function pickForm(forms: readonly Form[], idOrSlug: string): Form {
	const found = forms.find(({ id }) => id === idOrSlug) ?? forms.find(({ slug }) => slug === idOrSlug.toLowerCase());
	if (found) return found;
	throw new CommandError(`There is no form "${idOrSlug}". "formsrv forms list" shows them all.`);
}

/** What every command works with: where it reads and writes, the settings, the opened application, and how it fails. */

import type { Command } from 'commander';
import type { App } from '../app.ts';
import { type Config, listSettings, loadConfig } from '../config.ts';
import type { Form } from '../forms/schema.ts';
import { printable, printableJson } from '../log/line-text.ts';
import { createLog } from '../log.ts';
import { databaseAt } from '../storage/database.ts';
import { formatTable } from './table.ts';

/** Where text goes. */
export interface Output {
	/** What it answers may be a promise for as long as the text is not taken; in the end `false` if nobody takes it. */
	write(text: string | Uint8Array): unknown;
	isTTY?: boolean;
	columns?: number;
}

/** Everything outside the program that a command can touch. */
export interface Io {
	stdout: Output;
	stderr: Output;
	env: Record<string, string | undefined>;
	cwd: string;
	/** Asks a running server to stop; without it the process's own signals do. */
	signal?: AbortSignal;
}

export type ExitCode = 0 | 1 | 2;

/** A command cannot do what it was asked; `message` is the sentence that the operator reads. 2 = it was called wrongly. */
export class CommandError extends Error {
	readonly exitCode: ExitCode;

	constructor(message: string, exitCode: ExitCode = 1) {
		super(message);
		this.name = 'CommandError';
		this.exitCode = exitCode;
	}
}

/** The options of a command as commander collects them. */
export type Options = Record<string, unknown>;

export type Cli = ReturnType<typeof createCli>;

const STORAGE_SETTINGS = ['dataDir', 'databaseUrl'];

export function createCli(io: Io) {
	const line = (text: string) => `${text}\n`;
	const loadSettings = (options: Options): Config =>
		loadConfig({ env: io.env, flags: options, cwd: io.cwd, isTerminal: io.stderr.isTTY === true });

	return {
		io,
		/** What the process ends with unless something is thrown. */
		exitCode: 0 as ExitCode,
		loadSettings,
		/** A line of result; it may hold anything. */
		print: (text: string) => io.stdout.write(line(printable(text))),
		/** A result for machines. */
		printJson: (value: unknown) => io.stdout.write(line(printableJson(JSON.stringify(value, null, 2)))),
		/** The same for what is JSON text already, which may hold more digits than a number can. */
		printJsonText: (json: string) => io.stdout.write(line(printableJson(json))),
		/** A result for people; the cells may hold anything. */
		printTable: (headers: readonly string[], rows: readonly (readonly string[])[]) =>
			io.stdout.write(formatTable(headers, rows)),
		/** A remark beside the result; it may hold anything. */
		advise: (text: string) => io.stderr.write(line(printable(text))),
		/**
		 * Runs `use` with the application opened, and closes it. Works beside a running server.
		 * @throws CommandError if there is no database yet, unless `create` asks for one
		 */
		async withApp(
			options: Options,
			{ create = false, use }: { create?: boolean; use: (app: App) => Promise<void> },
		): Promise<void> {
			const config = loadSettings(options);
			if (!databaseAt(config.databaseFile).exists()) {
				if (!create) throw new CommandError(missingDatabase(config.databaseFile));
				io.stderr.write(line(`A new database is made: ${config.databaseFile}`));
			}
			const log = createLog({ level: 'warn', format: config.logFormat, write: (lines) => io.stderr.write(lines) });
			const { openApp } = await import('../app.ts');
			const app = openApp(config, { log });
			try {
				await use(app);
			} finally {
				await app.close();
				log.flush();
			}
		},
	};
}

export function missingDatabase(file: string): string {
	return `There is no database at ${file}. Name its folder with --data-dir, or make one with "formsrv serve".`;
}

/** Gives a command the flags of some settings, and `--config`; of all settings that have a flag if none are named. */
export function withSettings(command: Command, keys?: readonly string[]): Command {
	command.optionsGroup('Settings:');
	for (const info of listSettings()) {
		if (!info.flag || (keys && !keys.includes(info.key))) continue;
		const value = info.placeholder === 'true|false' ? '[true|false]' : `<${info.placeholder}>`;
		command.option(`${info.flag} ${value}`, `${info.meaning} (${info.name}; default: ${info.default})`);
	}
	return command.option('--config <path>', 'Settings file (default: formsrv.toml in the working directory, if any)');
}

/** Gives a command the flags that say where the database is. */
export function withStorage(command: Command): Command {
	return withSettings(command, STORAGE_SETTINGS);
}

/** The end of a command's help. */
export function examples(...lines: string[]): string {
	return `\nExamples:\n${lines.map((text) => `  ${text}`).join('\n')}`;
}

/** The form that an operator names by its id or its slug. @throws CommandError if there is none */
export async function findForm(app: App, idOrSlug: string): Promise<Form> {
	const forms = await app.forms.list();
	const found = forms.find(({ id }) => id === idOrSlug) ?? forms.find(({ slug }) => slug === idOrSlug.toLowerCase());
	if (found) return found;
	throw new CommandError(`There is no form "${idOrSlug}". "formsrv forms list" shows them all.`);
}

/** The command line: the table of commands, and how every outcome becomes an exit code and a sentence. */

import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { AppError } from '../errors.ts';
import { printable } from '../log.ts';
import { VERSION } from '../version.ts';
import { type Cli, CommandError, createCli, type ExitCode, examples, type Io } from './cli.ts';

/** Adds a command, and its sub-commands, to the program. */
type Add = (program: Command, cli: Cli) => void;

/** In the order of the help. Each is loaded when it is needed: most of what the others bring along would only cost time. */
const COMMANDS: ReadonlyMap<string | undefined, () => Promise<Add>> = new Map([
	['serve', async () => (await import('./serve.ts')).addServe],
	['dashboard-link', async () => (await import('./dashboard-link.ts')).addDashboardLink],
	['keys', async () => (await import('./keys.ts')).addKeys],
	['forms', async () => (await import('./forms.ts')).addForms],
	['submissions', async () => (await import('./submissions.ts')).addSubmissions],
	['deliveries', async () => (await import('./deliveries.ts')).addDeliveries],
	['mail', async () => (await import('./mail.ts')).addMail],
	['backup', async () => (await import('./backup.ts')).addBackup],
	['restore', async () => (await import('./restore.ts')).addRestore],
	['doctor', async () => (await import('./doctor.ts')).addDoctor],
	['healthcheck', async () => (await import('./healthcheck.ts')).addHealthcheck],
	['version', async () => (await import('./version.ts')).addVersion],
]);

/**
 * Runs one command.
 * @param argv The arguments after the program's name.
 * @returns 0 = done, 1 = failed, 2 = called wrongly; in the last two cases stderr says why.
 */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
	const cli = createCli(io);
	const program = await createProgram(cli, argv);
	try {
		await program.parseAsync(argv, { from: 'user' });
		return cli.exitCode;
	} catch (error) {
		if (error instanceof CommanderError && isHelp(error)) return error.exitCode === 0 ? 0 : 2;
		const { sentences, exitCode } = explain(error, helpCommand(program, argv));
		for (const sentence of sentences) io.stderr.write(`${printable(sentence)}\n`);
		return exitCode;
	}
}

async function createProgram(cli: Cli, argv: readonly string[]): Promise<Command> {
	const { stdout, stderr } = cli.io;
	const program = new Command('formsrv')
		.description(
			'Self-hosted form backend: one binary, one SQLite file, a keyed JSON API and a public address for forms.',
		)
		.version(VERSION, '--version', 'Print the version')
		.helpOption('-h, --help', 'Show help')
		.helpCommand('help [command]', 'Show the help of a command')
		.exitOverride()
		.configureOutput({
			writeOut: (text) => stdout.write(text),
			writeErr: (text) => stderr.write(text),
			outputError: () => {},
			getOutHelpWidth: () => stdout.columns ?? 100,
			getErrHelpWidth: () => stderr.columns ?? 100,
			getOutHasColors: () => false,
			getErrHasColors: () => false,
		})
		.addHelpText(
			'after',
			examples(
				'formsrv serve                                start the server; data goes to ./formsrv-data',
				'KEY=$(formsrv keys create)                   make an API key',
				'formsrv forms create "Contact"               make a form',
				'formsrv submissions list contact-k3v9x2qm    read what people sent',
			),
		)
		.addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 called wrongly. Settings: formsrv serve --help');
	// Without a known command, all are needed for the help and for suggestions.
	const asked = COMMANDS.get(argv[0]);
	const commands = await Promise.all((asked ? [asked] : [...COMMANDS.values()]).map((load) => load()));
	for (const add of commands) add(program, cli);
	return program;
}

function isHelp(error: CommanderError): boolean {
	return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(error.code);
}

/** The call that explains the command which `argv` names, as far as it names one. */
function helpCommand(program: Command, argv: readonly string[]): string {
	let command = program;
	const names = ['formsrv'];
	for (const name of argv) {
		const next = command.commands.find((candidate) => candidate.name() === name);
		if (!next) break;
		command = next;
		names.push(name);
	}
	return `${names.join(' ')} --help`;
}

function explain(error: unknown, help: string): { sentences: string[]; exitCode: ExitCode } {
	if (error instanceof CommanderError) return { sentences: [`${usageSentence(error)} See ${help}.`], exitCode: 2 };
	if (error instanceof ConfigError) return { sentences: error.problems, exitCode: 2 };
	if (error instanceof CommandError) return { sentences: [error.message], exitCode: error.exitCode };
	if (error instanceof AppError) {
		const fields = error.details.fields?.map(({ message }) => message) ?? [];
		const isUsage = error.code === 'VALIDATION_ERROR';
		return { sentences: fields.length > 0 ? fields : [error.message], exitCode: isUsage ? 2 : 1 };
	}
	return { sentences: [error instanceof Error ? systemSentence(error) : String(error)], exitCode: 1 };
}

/** `EACCES: permission denied, mkdir '/srv/data'` → `Cannot mkdir /srv/data: permission denied.` */
function systemSentence({ message }: Error): string {
	const [, reason, call, path] = /^E[A-Z0-9]+: (.+), (\w+) '(.*)'$/s.exec(message) ?? [];
	return path === undefined ? message : `Cannot ${call} ${path}: ${reason}.`;
}

/** `error: unknown command 'kyes'\n(Did you mean keys?)` → `Unknown command 'kyes'; did you mean keys?` */
function usageSentence({ message }: CommanderError): string {
	const [, fault = '', suggestion] = /^(?:error: )?(.*?)(?:\n\(Did you mean (.*)\?\))?$/s.exec(message) ?? [];
	const sentence = fault.charAt(0).toUpperCase() + fault.slice(1).replace(/\.$/, '');
	return suggestion ? `${sentence}; did you mean ${suggestion}?` : `${sentence}.`;
}

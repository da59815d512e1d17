/** Parses the command line with Commander: the table of commands, help, and usage errors in one sentence. */

import { type Command, CommanderError } from 'commander';
import { VERSION } from '../config/version.ts';
import { capitalised } from '../text/capitalised.ts';
import { type Cli, CommandError, type ExitCode } from './cli.ts';
import { CliCommand } from './command.ts';

type Add = (program: CliCommand, cli: Cli) => void;

/** In the order of the help. Each is loaded on demand, because most imports of the others would only cost time. */
const COMMANDS: ReadonlyMap<string | undefined, () => Promise<Add>> = new Map([
	['serve', async () => (await import('./serve.ts')).addServe],
	['dashboard-link', async () => (await import('./dashboard-link.ts')).addDashboardLink],
	['sessions', async () => (await import('./sessions.ts')).addSessions],
	['keys', async () => (await import('./keys.ts')).addKeys],
	['forms', async () => (await import('./forms.ts')).addForms],
	['apply', async () => (await import('./apply.ts')).addApply],
	['submissions', async () => (await import('./submissions.ts')).addSubmissions],
	['stats', async () => (await import('./stats.ts')).addStats],
	['person', async () => (await import('./person.ts')).addPerson],
	['import', async () => (await import('./import.ts')).addImport],
	['erase', async () => (await import('./erase.ts')).addErase],
	['spam', async () => (await import('./spam.ts')).addSpam],
	['lists', async () => (await import('./lists.ts')).addLists],
	['audit', async () => (await import('./audit.ts')).addAudit],
	['webhooks', async () => (await import('./webhooks.ts')).addWebhooks],
	['deliveries', async () => (await import('./deliveries.ts')).addDeliveries],
	['suppressions', async () => (await import('./suppressions.ts')).addSuppressions],
	['mcp', async () => (await import('./mcp.ts')).addMcp],
	['mail', async () => (await import('./mail.ts')).addMail],
	['alert', async () => (await import('./alert.ts')).addAlert],
	['backup', async () => (await import('./backup.ts')).addBackup],
	['drill', async () => (await import('./drill.ts')).addDrill],
	['restore', async () => (await import('./restore.ts')).addRestore],
	['move', async () => (await import('./move.ts')).addMove],
	['doctor', async () => (await import('./doctor.ts')).addDoctor],
	['healthcheck', async () => (await import('./healthcheck.ts')).addHealthcheck],
	['completion', async () => (await import('./completion.ts')).addCompletion],
	['version', async () => (await import('./version.ts')).addVersion],
]);

/**
 * Parses the arguments and runs the command that they name.
 * @throws CommandError with exit code 2 for wrong usage, and the errors of the command.
 */
export async function runProgram(cli: Cli, argv: readonly string[]): Promise<ExitCode> {
	const program = await createProgram(cli, argv);
	const called = calledBy(program, argv);
	try {
		await program.parseAsync(called, { from: 'user' });
		return cli.exitCode;
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		if (isHelp(error)) return error.exitCode === 0 ? 0 : 2;
		throw new CommandError(`${usageSentence(error)} See ${helpCommand(program, called)}.`, 2);
	}
}

/**
 * `help keys create` and `keys help create` → `keys create --help`; `keys help nope` → `keys nope`, which is rejected. Commander would show the
 * help of `keys`. With arguments a command would not be rejected, but run.
 */
function calledBy(program: Command, argv: readonly string[]): readonly string[] {
	const [at, asking] = lastOf(commandsIn(program, argv));
	// A form may be called so.
	if (argv[at] !== 'help' || asking.commands.length === 0) return argv;
	const asked = argv.toSpliced(at, 1);
	const [end, { commands, registeredArguments }] = lastOf(commandsIn(program, asked));
	const isUnknown = end < asked.length && commands.length > 0 && registeredArguments.length === 0;
	return isUnknown ? asked : [...asked, '--help'];
}

const lastOf = (commands: Command[]) => [commands.length - 1, commands.at(-1) as Command] as const;

/** The program, and the command and sub-command that the arguments begin with, as far as there are any. */
function commandsIn(program: Command, argv: readonly string[]): Command[] {
	const called = [program];
	for (const name of argv) {
		const next = called.at(-1)?.commands.find((command) => command.name() === name);
		if (!next) break;
		called.push(next);
	}
	return called;
}

export async function createProgram(cli: Cli, argv: readonly string[]): Promise<Command> {
	const { stdout, stderr } = cli.io;
	const program = new CliCommand('formsrv')
		.description(
			'Self-hosted form backend: one binary, one SQLite file, a keyed JSON API and a public address for forms.',
		)
		.version(VERSION, '--version', 'Print the version')
		.helpOption('-h, --help', 'Show help')
		.helpCommand('help [command]', 'Show the help of a command.')
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
		.examples(
			'formsrv serve                                start the server; data goes to ./formsrv-data',
			'KEY=$(formsrv keys create)                   create an API key',
			'formsrv forms create "Contact"               create a form',
			'formsrv submissions list contact-k3v9x2qm    read what people sent',
		)
		.addHelpText(
			'after',
			'\nExit codes: 0 done, 1 failed, 2 called wrongly, 3 a dry run with something to do. Settings: formsrv serve --help',
		);
	program.hook('preAction', (_, command) => rejectNoValues(command));
	// Without a known command, help and suggestions need all of them; so does the completion.
	const asked = argv[0] === 'completion' ? undefined : COMMANDS.get(argv[0]);
	const commands = await Promise.all((asked ? [asked] : [...COMMANDS.values()]).map((load) => load()));
	for (const add of commands) add(program, cli);
	rejectRepeated(program);
	return program;
}

/** Rejects an option that takes one value and is given twice: the last would count, without a word on the others. */
function rejectRepeated(command: Command): void {
	for (const option of command.options) {
		if (option.variadic || !(option.required || option.optional)) continue;
		const name = option.long ?? option.flags;
		let isGiven = false;
		command.on(`option:${option.name()}`, () => {
			if (isGiven) throw new CommandError(`${name} must be given only once. See ${pathOf(command)} --help.`, 2);
			isGiven = true;
		});
	}
	command.commands.forEach(rejectRepeated);
}

/** Names a file, as an option or an argument does in the help. */
const FILE = /[<[](?:file|folder|path|to)[>\]]/;

/** Rejects empty texts, which a shell puts in place of unset variables, and a file "-", which would be one of that name. */
function rejectNoValues(command: Command): void {
	const given = [
		...command.options.map((option) => ({
			name: option.long ?? option.flags,
			isFile: FILE.test(option.flags),
			value: command.getOptionValue(option.attributeName()),
		})),
		...command.registeredArguments.map((argument, index) => {
			const name = `<${argument.name()}>`;
			return { name, isFile: FILE.test(name), value: command.args[index] };
		}),
	];
	const reject = (name: string, sentence: string): never => {
		throw new CommandError(`${name} ${sentence} See ${pathOf(command)} --help.`, 2);
	};
	for (const { name, isFile, value } of given) {
		if ([value].flat().includes('')) reject(name, 'must not be empty.');
		if (isFile && value === '-')
			reject(name, 'must name a file: "-" does not stand for standard input or output; ./- is a file of that name.');
	}
}

function pathOf(command: Command): string {
	return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function isHelp(error: CommanderError): boolean {
	return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(error.code);
}

/** The call for help on the command in `argv`, as far as it is known. */
function helpCommand(program: Command, argv: readonly string[]): string {
	return `${commandsIn(program, argv)
		.map((command) => command.name())
		.join(' ')} --help`;
}

/** `error: unknown command 'kyes'\n(Did you mean keys?)` → `Unknown command 'kyes'; did you mean keys?` */
function usageSentence({ message }: CommanderError): string {
	const [, fault = '', suggestion] = /^(?:error: )?(.*?)(?:\n\(Did you mean (.*)\?\))?$/s.exec(message) ?? [];
	if (fault === "unknown option '--server'")
		return 'This command takes no --server: it is about the machine that it runs on.';
	const sentence = capitalised(fault.replace(/\.$/, ''));
	return suggestion ? `${sentence}; did you mean ${suggestion}?` : `${sentence}.`;
}

/** The manual page, from the description that the program has of itself. */

import type { EventEmitter } from 'node:events';
import type { Command, Option } from 'commander';
import { createCli } from '../src/cli/cli.ts';
import { createProgram } from '../src/cli/program.ts';
import { VERSION } from '../src/config/version.ts';

const IO = { stdout: { write() {} }, stderr: { write() {} }, env: {}, cwd: '/' };
/** The group of the options that are settings; `serve` has them all. */
const SETTINGS = 'Settings:';

/** Returns `formsrv.1`, for `man`. */
export async function manPage(): Promise<string> {
	const program = await createProgram(createCli(IO), []);
	const serve = program.commands.find((command) => command.name() === 'serve');
	const blocks = [
		`.TH FORMSRV 1 "" "formsrv ${VERSION}"`,
		'.SH NAME',
		`formsrv \\- ${roff(program.description())}`,
		'.SH SYNOPSIS',
		'.B formsrv',
		'.I command\n[options]',
		'.SH COMMANDS',
		...program.commands.flatMap(commandBlocks),
		'.SH SETTINGS',
		'By option, environment variable or settings file.',
		...(serve?.options ?? []).filter(isSetting).map(optionBlock),
		'.SH NOTES',
		...remarks(program),
	];
	return `${blocks.join('\n')}\n`;
}

function commandBlocks(command: Command): string[] {
	if (command.commands.length > 0) return command.commands.flatMap(commandBlocks);
	const settings = command.options.filter(isSetting).flatMap(({ long }) => long ?? []);
	return [
		`.SS "${roff(`${pathOf(command)} ${command.usage()}`)}"`,
		roff(command.description()),
		...command.registeredArguments
			.filter(({ description }) => description !== '')
			.map((argument) => `.TP\n.I ${roff(argument.name())}\n${roff(argument.description)}`),
		...command.options.filter((option) => !isSetting(option)).map(optionBlock),
		...(settings.length > 0 && command.name() !== 'serve' ? [`.PP\nSettings: ${roff(settings.join(', '))}`] : []),
		...remarks(command),
	];
}

const isSetting = (option: Option) => option.helpGroupHeading === SETTINGS;
const pathOf = (command: Command): string =>
	command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

function optionBlock({ flags, description, argChoices }: Option): string {
	const values = argChoices ? ` (${argChoices.join(', ')})` : '';
	return `.TP\n.B ${roff(flags)}\n${roff(description + values)}`;
}

/** Examples, and whatever else stands below the help of a command. */
function remarks(command: Command): string[] {
	const texts: string[] = [];
	// The types of Commander leave out that commands are emitters.
	const emitter = command as unknown as EventEmitter;
	emitter.emit('afterHelp', { command, error: false, write: (text: string) => texts.push(text) });
	return texts.map((text) => `.PP\n.nf\n${roff(text.trim())}\n.fi`);
}

/** Text in which nothing is a request or an escape of the formatter, and hyphens can be copied. */
function roff(text: string): string {
	return text
		.replaceAll('\\', '\\e')
		.replaceAll('-', '\\-')
		.replace(/^(?=[.'])/gm, '\\&')
		.replaceAll('"', '\\(dq');
}

/** A command of the program: Commander's, with options that are one of a few words, and examples at the end of its help. */

import { Command, Option } from 'commander';

export class CliCommand extends Command {
	override createCommand(name?: string): CliCommand {
		return new CliCommand(name);
	}

	/** An option that takes one of a few words. */
	choice(flags: string, description: string, words: readonly string[]): this {
		return this.addOption(new Option(flags, description).choices(words));
	}

	/** @param lines Calls of it. */
	examples(...lines: string[]): this {
		return this.addHelpText('after', `\nExamples:\n${lines.map((text) => `  ${text}`).join('\n')}`);
	}
}

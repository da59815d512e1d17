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

	/** An option that a setting checks: its words are for the help and for completion. */
	setting(flags: string, description: string, words?: readonly string[]): this {
		const option = new Option(flags, description);
		if (words) option.argChoices = [...words];
		return this.addOption(option);
	}

	/** @param lines Calls of it. */
	examples(...lines: string[]): this {
		return this.addHelpText('after', `\nExamples:\n${lines.map((text) => `  ${text}`).join('\n')}`);
	}
}

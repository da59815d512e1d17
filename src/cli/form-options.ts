/** The options of `formsrv forms` for the settings of a form. */

import { Option } from 'commander';
import { FORM_SETTINGS, type FormInput, SETTING_NAMES } from '../forms/settings.ts';
import { parseJson } from '../text/exact-json.ts';
import { CommandError, type Options } from './cli.ts';
import type { CliCommand } from './command.ts';
import { textOrFile } from './named-file.ts';

/** In place of a value: the default. A slug may be this word. */
export const NONE = 'none';

/** Its value is kept apart from those of the server's settings, of which some have the same name: `--language`, `--time-zone`. */
class FormOption extends Option {
	override attributeName(): string {
		return `form.${super.attributeName()}`;
	}
}

export function withFormOptions(command: CliCommand, verb: 'create' | 'update'): CliCommand {
	for (const setting of Object.values(FORM_SETTINGS)) {
		const { flags, help = setting.option[verb] } = setting.option;
		if (help === undefined) continue;
		const option = new FormOption(flags, help);
		if (setting.texts) option.choices([...setting.texts, NONE]);
		command.addOption(option);
	}
	return command;
}

/**
 * The settings that the options of a call name.
 * @param folder What the name of a file is relative to.
 * @throws CommandError
 */
export function inputOf(options: Options, folder: string): FormInput {
	const values = SETTING_NAMES.map((name) => {
		const { option, blank, isJson, parse } = FORM_SETTINGS[name];
		const text = options[new FormOption(option.flags).attributeName()] as string | undefined;
		if (text === undefined) return [name, undefined] as const;
		if (text === NONE && blank !== '') return [name, null] as const;
		return [name, isJson ? readJsonOption(text, { flags: option.flags, folder }) : parse(text)] as const;
	});
	return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** The JSON in an option, or in the file that it names. @throws CommandError */
export function readJsonOption(text: string, { flags, folder }: { flags: string; folder: string }): unknown {
	const json = textOrFile(text, folder);
	try {
		return parseJson(json);
	} catch (error) {
		const [flag] = flags.split(' ');
		throw new CommandError(
			`${flag} must be JSON, or @ and the name of a file that holds it: ${(error as Error).message}`,
			2,
		);
	}
}

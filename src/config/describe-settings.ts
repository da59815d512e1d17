/** The settings as their users read them: in the help of the commands and in docs/settings.md. */

import { KEYS, SETTINGS } from './settings.ts';
import { envName, flagName } from './sources.ts';

/** A setting for help and documentation. */
export interface SettingInfo {
	key: string;
	name: string;
	/** `null` for secrets, which do not belong on a command line. */
	flag: string | null;
	/** The placeholder of the value in the help, such as `number`. */
	placeholder: string;
	/** The allowed values, such as `0–65535`. */
	values: string;
	default: string;
	description: string;
}

/** Every setting, in the order in which they are documented. */
export function listSettings(): SettingInfo[] {
	return KEYS.map((key) => {
		const { type, defaultText, absent, description, isSecret } = SETTINGS[key];
		return {
			key,
			name: envName(key),
			flag: isSecret ? null : flagName(key),
			placeholder: type.placeholder,
			values: type.values,
			default: defaultText ?? absent,
			description,
		};
	});
}

/** The table of docs/settings.md, in Markdown, with its columns aligned as the formatter aligns them. */
export function settingsTable(): string {
	const rows = listSettings().map((info) => {
		const cells = [
			`\`${info.name}\``,
			info.flag ? `\`${info.flag}\`` : '',
			info.default,
			info.values,
			info.description,
		];
		return cells.map((cell) => cell.replaceAll('|', '\\|'));
	});
	const table = [['Setting', 'Flag', 'Default', 'Values', 'Meaning'], [], ...rows];
	const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
	return table
		.map((cells) => widths.map((width, column) => cells[column]?.padEnd(width) ?? '-'.repeat(width)))
		.map((cells) => `| ${cells.join(' | ')} |`)
		.join('\n');
}

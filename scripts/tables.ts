/** Writes the tables of the guides that follow from records of the program: `bun run tables`. */

import { join } from 'node:path';
import { KEYS, SETTINGS, type Setting } from '../src/config/settings.ts';
import { envName, flagName } from '../src/config/sources.ts';
import { ALIASES } from '../src/form-values/aliases.ts';
import { SPECIAL_NAMES, type SpecialRole } from '../src/form-values/special-names.ts';
import { TOOLS } from '../src/server/mcp/tools.ts';
import { POINTS, RULES } from '../src/spam/rules.ts';

const EFFECTS: Partial<Record<SpecialRole, string>> = {
	next: 'where the browser is sent',
	subject: 'subject of the mail',
	keptSubject: 'subject of the mail, and stored like every field',
	replyTo: 'Reply-To of the mail',
	keptReplyTo: 'Reply-To of the mail, and stored like every field',
	honeypot: 'honeypot',
	honeypotBox: 'honeypot; a checkbox, `false` is not ticked',
	recaptcha: 'reCAPTCHA token',
	dropped: 'dropped',
};

/** Each by the path of its guide. The first row finds the table that is there. */
export const TABLES = {
	'docs/settings.md': settingsTable(),
	'docs/migrating.md': aliasTable(),
	'docs/spam.md': rulesTable(),
	'docs/mcp.md': toolsTable(),
};

function settingsTable(): string {
	const rows = KEYS.map((key) => {
		const { type, defaultText, absent, description, isSecret, isReloadable }: Setting<unknown> = SETTINGS[key];
		const flag = isSecret ? '' : `\`${flagName(key)}\``;
		const name = `\`${envName(key)}\`${isReloadable ? ' ↻' : ''}`;
		return [name, flag, defaultText ?? absent, type.values, description];
	});
	return markdown(['Setting', 'Flag', 'Default', 'Values', 'Meaning'], rows);
}

/** Fields that every form understands are left out. */
function aliasTable(): string {
	const rows = Object.entries(ALIASES).flatMap(([name, { label, fields }]) => {
		const special = Object.entries<SpecialRole>(fields).filter(([field, role]) => SPECIAL_NAMES.get(field) !== role);
		const groups = Map.groupBy(special, ([, role]) => role);
		return [...groups].map(([role, members], i) => [
			i === 0 ? `${label}: \`${name}\`` : '',
			members.map(([field]) => `\`${field}\``).join(', '),
			EFFECTS[role] as string,
		]);
	});
	return markdown(['Service and alias', 'Fields', 'Here'], rows);
}

function rulesTable(): string {
	const rows = Object.entries(POINTS).map(([name, points]) => [
		`\`${name}\``,
		RULES[name as keyof typeof RULES].meaning,
		points,
	]);
	return markdown(['Rule', 'What it means', 'Points'], rows);
}

function toolsTable(): string {
	const rows = Object.entries(TOOLS).map(([name, { description, permission, isTestOnly }]) => [
		`\`${name}\``,
		`\`${permission}\`${isTestOnly ? ', test keys only' : ''}`,
		description,
	]);
	return markdown(['Tool', 'Permission', 'What it does'], rows);
}

function markdown(headers: readonly string[], rows: readonly (readonly string[])[]): string {
	const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
	return [headers, headers.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** The text of a guide with its table as the program has it. */
export function withTable(text: string, table: string): string {
	const [headers = ''] = table.split(' |\n');
	const lines = text.split('\n');
	const isStart = (line: string) => line.replace(/ +\|/g, ' |').startsWith(headers);
	const start = lines.findIndex(isStart);
	const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'));
	if (start === -1) throw new Error(`There is no table ${headers}.`);
	return [...lines.slice(0, start), table, ...lines.slice(end)].join('\n');
}

if (import.meta.main) {
	for (const [path, table] of Object.entries(TABLES)) {
		const guide = join(import.meta.dir, '..', path);
		await Bun.write(guide, withTable(await Bun.file(guide).text(), table));
	}
}

/** Writes TOML: tables of values, as `formsrv forms dump` needs them. */

import { printableJson } from '../log/line-text.ts';

const BARE = /^[A-Za-z0-9_-]+$/;
const WIDTH = 100;

export type TomlValue = string | number | boolean | TomlValue[] | { [name: string]: TomlValue };

/** A table with its head, as `[forms.contact]` or `[[forms.contact.webhooks]]`. */
export function tomlTable(head: string, members: Record<string, TomlValue>): string {
	return [head, ...tomlLines(members)].map((line) => `${line}\n`).join('');
}

export function tomlKey(name: string): string {
	return BARE.test(name) ? name : text(name);
}

function tomlLines(members: Record<string, TomlValue>): string[] {
	return Object.entries(members).map(([name, value]) => `${tomlKey(name)} = ${written(value)}`);
}

function written(value: TomlValue): string {
	if (typeof value === 'string') return text(value);
	if (!Array.isArray(value)) return typeof value === 'object' ? `{ ${tomlLines(value).join(', ')} }` : String(value);
	const items = value.map(written);
	const line = `[${items.join(', ')}]`;
	// An inline table is one line, so that long lists break between their items.
	return line.length <= WIDTH ? line : `[\n${items.map((item) => `\t${item},\n`).join('')}]`;
}

/** The escapes of JSON are among those of TOML. */
function text(value: string): string {
	return printableJson(JSON.stringify(value));
}

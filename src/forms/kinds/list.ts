/** The kind of settings that are a list of texts; none of them is the empty list. */

import type { Setting, Words } from './setting.ts';

interface Input {
	placeholder?: string;
	isMono?: true;
}

interface ListOptions extends Words<string[]>, Input {
	maxEntries: number;
	/** The shape in which an entry is stored; `undefined` if it is at fault. */
	check: (entry: string) => string | undefined;
	code: string;
	/** A sentence that begins with the name of the setting. */
	error: string;
}

export interface List extends Setting<string[]>, Input {
	kind: 'list';
}

export function list({ maxEntries, check, code, error, ...shown }: ListOptions): List {
	return {
		...shown,
		kind: 'list',
		blank: [],
		schema: ({ Type }) => Type.Array(Type.String(), { description: shown.description }),
		check(entries, { name, report }) {
			if (entries.length > maxEntries) return report('TOO_MANY', `${name} holds at most ${maxEntries} entries.`);
			const checked = entries.map((entry, i) => {
				const field = `${name}.${i}`;
				return check(entry) ?? report(code, error.replace(name, field), field);
			});
			return [...new Set(checked as string[])];
		},
		format: (entries) => entries.join(', '),
		parse: (line) => line.split(','),
	};
}

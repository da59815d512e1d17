/** The kind of settings that are any of a few words. */

import type { Setting, Words } from './setting.ts';

interface Input<Name extends string> {
	choices: Record<Name, { label: string }>;
}

type ChoicesOptions<Name extends string> = Words<Name[]> & Input<Name>;

export interface Choices<Name extends string = string> extends Setting<Name[]>, Input<Name> {
	kind: 'choices';
}

export function choices<Name extends string>(shown: ChoicesOptions<Name>): Choices<Name> {
	const names = Object.keys(shown.choices) as Name[];
	return {
		...shown,
		kind: 'choices',
		blank: [],
		schema: ({ Type, stringEnum }) => Type.Array(stringEnum(names), { description: shown.description }),
		check: (sent) => names.filter((one) => sent.includes(one)),
		format: (value) => value.join(', '),
		parse: (line) => line.split(',').map((part) => part.trim()) as Name[],
	};
}

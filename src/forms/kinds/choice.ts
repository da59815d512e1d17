/** The kind of settings that are one of a few words, or none. */

import type { Allowed, Setting, Words } from './setting.ts';

interface Input<Name extends string> {
	choices: Record<Name, { label: string }>;
	/** The dashboard's label for no choice. */
	none: string;
}

interface ChoiceOptions<Name extends string> extends Words<Name | null>, Input<Name> {
	isAllowed: (choice: Name, allowed: Allowed) => boolean;
	code: string;
	/** For a choice that this server does not allow. */
	error: (choice: Name) => string;
}

export interface Choice<Name extends string = string> extends Setting<Name | null>, Input<Name> {
	kind: 'choice';
	isClearable: true;
}

export function choice<Name extends string>({ isAllowed, code, error, ...shown }: ChoiceOptions<Name>): Choice<Name> {
	const texts = Object.keys(shown.choices) as Name[];
	return {
		...shown,
		kind: 'choice',
		blank: null,
		isClearable: true,
		schema: ({ stringEnum }) => stringEnum(texts, { description: shown.description }),
		check: (sent, { allowed, report }) => (isAllowed(sent, allowed) ? sent : report(code, error(sent))),
		format: (value) => value,
		parse: (text) => text as Name,
		texts,
	};
}

/** The kinds of settings that are one of a few words, or any of them. */

import type { Allowed, Setting, Words } from './setting.ts';

interface Input<Name extends string> {
	choices: Record<Name, { label: string }>;
	/** The dashboard's label for no choice, if there may be none. */
	none?: string;
}

interface Chosen<Name extends string, Value> extends Setting<Value, Name>, Input<Name> {
	kind: 'choice';
}

export interface Choice<Name extends string> extends Chosen<Name, Name> {}

interface OptionalChoice<Name extends string> extends Chosen<Name, Name | null> {}

interface OptionalWords<Name extends string> extends Words<Name | null>, Input<Name> {
	none: string;
	isAllowed: (choice: Name, allowed: Allowed) => boolean;
	code: string;
	/** For a choice that this server does not allow. */
	error: (choice: Name) => string;
}

/** `null` stands for none. */
export function optionalChoice<Name extends string>(options: OptionalWords<Name>): OptionalChoice<Name> {
	const { isAllowed, code, error, ...shown } = options;
	return {
		...shown,
		...shared(shown),
		blank: null,
		check: (sent, { allowed, report }) => (isAllowed(sent, allowed) ? sent : report(code, error(sent))),
	};
}

/** Always one of the words; that of the example until the owner chooses. */
export function choice<Name extends string>(shown: Words<Name> & Input<Name>): Choice<Name> {
	return { ...shown, ...shared(shown), blank: shown.example, check: (sent) => sent };
}

function shared<Name extends string>({ choices, description }: Input<Name> & Pick<Words<unknown>, 'description'>) {
	const texts = Object.keys(choices) as Name[];
	return {
		kind: 'choice',
		schema: ({ stringEnum }) => stringEnum(texts, { description }),
		format: (value) => value,
		parse: (text) => text as Name,
		texts,
	} as const satisfies Partial<Setting<Name>>;
}

export interface Choices<Name extends string = string> extends Setting<Name[]>, Input<Name> {
	kind: 'choices';
}

export function choices<Name extends string>(shown: Words<Name[]> & Input<Name>): Choices<Name> {
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

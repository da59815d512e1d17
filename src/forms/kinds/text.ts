/** The kind of settings that are a text, also one that names who gets mails. */

import { formatMailbox, parseMailboxes } from '../../text/email-address.ts';
import type { Setting, Words } from './setting.ts';

interface Input extends Pick<Setting<unknown>, 'isRequired'> {
	placeholder?: string;
	isMono?: true;
	input?: 'url';
	/** More than one makes a text area. */
	lines?: number;
	maxLength?: number;
}

interface TextOptions<Value> extends Words<Value>, Input {
	/** The shape in which the text is stored; `undefined` if it is at fault. */
	check: (text: string) => string | undefined;
	code: string;
	/** A sentence that begins with the name of the setting. */
	error: string;
}

export interface Text<Value = string | null> extends Setting<Value, string>, Input {
	kind: 'text';
}

export function text({ check, code, error, ...shown }: TextOptions<string>): Text<string> {
	return {
		...shown,
		kind: 'text',
		blank: '',
		schema: ({ Type }) =>
			Type.String({ description: shown.description, ...(shown.isRequired && { examples: [shown.example] }) }),
		check: (sent, { report }) => check(sent) ?? report(code, error),
		format: (value) => value,
		parse: (line) => line,
	};
}

/** `null` stands for none. */
export function optionalText({ example, ...options }: TextOptions<string | null>): Text {
	return { ...text({ ...options, example: '' }), example, blank: null };
}

type Mailboxes = Omit<Text, 'check'> & Setting<string | null, string | string[]>;

/** Mailboxes as a text with commas between them; `undefined` unless all are valid and there are 1 to `max`. */
export function checkMailboxes(sent: string | string[], max: number): string | undefined {
	const found = [sent].flat().map((text) => parseMailboxes(text, max));
	const all = found.flatMap((some) => some ?? []);
	const isGood = !found.includes(undefined) && all.length >= 1 && all.length <= max;
	return isGood ? all.map(formatMailbox).join(', ') : undefined;
}

/** A list of mailboxes, or a text with commas between them, as which it is returned. */
export function mailboxes({ max, ...options }: Omit<TextOptions<string | null>, 'check'> & { max: number }): Mailboxes {
	const { description, code, error } = options;
	const check = (sent: string | string[]) => checkMailboxes(sent, max);
	return {
		...optionalText({ ...options, check }),
		inputSchema: ({ Type }) => Type.Union([Type.String(), Type.Array(Type.String())], { description }),
		check: (sent, { report }) => check(sent) ?? report(code, error),
	};
}

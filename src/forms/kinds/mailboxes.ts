/** The kind of the setting of who gets mails: a list of mailboxes, or a text with commas between them, as which it is returned. */

import { formatMailbox, parseMailboxes } from '../../text/email-address.ts';
import type { Setting, Words } from './setting.ts';
import { optionalText, type Text } from './text.ts';

interface MailboxesOptions extends Words<string | null> {
	max: number;
	placeholder: string;
	code: string;
	/** A sentence that begins with the name of the setting. */
	error: string;
}

export type Mailboxes = Omit<Text, 'check'> & Setting<string | null, string | string[]>;

export function mailboxes({ max, ...options }: MailboxesOptions): Mailboxes {
	const { description, code, error } = options;
	function check(sent: string | string[]): string | undefined {
		const found = [sent].flat().map((text) => parseMailboxes(text, max));
		const all = found.flatMap((some) => some ?? []);
		const isGood = !found.includes(undefined) && all.length >= 1 && all.length <= max;
		return isGood ? all.map(formatMailbox).join(', ') : undefined;
	}
	return {
		...optionalText({ ...options, check }),
		inputSchema: ({ Type }) => Type.Union([Type.String(), Type.Array(Type.String())], { description }),
		check: (sent, { report }) => check(sent) ?? report(code, error),
	};
}

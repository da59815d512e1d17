/** Pure: parses the sender of mails, such as `Forms <forms@example.com>`. */

const ADDRESS = /^[^\s@,;<>"\p{Cc}]{1,64}@[^\s@,;<>"\p{Cc}]{1,253}$/u;

export interface Mailbox {
	name: string;
	address: string;
}

/**
 * Parses the operator's `address` or `Name <address>`; `undefined` unless it is one mailbox. Its domain may be a single
 * word, such as `localhost`.
 */
export function parseMailbox(text: string): Mailbox | undefined {
	const [, name = '', bracketed] = /^([^<>\p{Cc}]*)<([^<>]+)>$/u.exec(text.trim()) ?? [];
	const address = (bracketed ?? text).trim();
	if (!ADDRESS.test(address)) return undefined;
	return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}

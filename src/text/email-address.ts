/** Recognises plain email addresses, and rejects everything else that mail software would also accept. */

const MAX_ADDRESS = 254;
const MAX_LOCAL_PART = 64;
const MAX_DOMAIN = 253;
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN_CHARACTERS = /^[\p{L}\p{M}\p{N}.-]+$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ONLY_DIGITS = /^\d+$/;

/**
 * Returns whether `text` is exactly one address `local@domain`: RFC 5321 without quoted local parts, comments, display
 * names and address literals, which disagreeing parsers have turned into other people's addresses. The domain
 * has at least two labels and may be international; the local part is ASCII.
 */
export function isEmailAddress(text: string): boolean {
	if (text.length > MAX_ADDRESS) return false;
	const at = text.lastIndexOf('@');
	if (at < 1 || at > MAX_LOCAL_PART) return false;
	return LOCAL_PART.test(text.slice(0, at)) && isMailDomain(text.slice(at + 1));
}

/** An address with its domain as browsers and mail servers write it: `a@bücher.example` has two spellings. Any other text stays. */
export function withAsciiDomain(text: string): string {
	if (!isEmailAddress(text)) return text;
	const domainStart = text.lastIndexOf('@') + 1;
	return text.slice(0, domainStart) + (URL.parse(`http://${text.slice(domainStart)}`)?.hostname ?? '');
}

/** A mail address, with the name beside it or an empty one. */
export interface Mailbox {
	name: string;
	address: string;
}

const NAME_MAX = 100;
/** More than twenty of the longest. */
const LIST_MAX = 10_000;
/** One of a list: a name, which stands in quotes if a mark of punctuation is in it, and an address in brackets; or the address alone. */
const MAILBOX = /\s*(?:(?:"((?:[^"\\]|\\.)*)"\s*|([^"<>()[\]\\,;:@]*))<([^<>]*)>|([^\s<>",]*))\s*(,|$)/y;
const PUNCTUATION = /["<>()[\]\\,;:@.]/;
const NO_NAME = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** The mailboxes of a list such as `a@example.com, Ada <ada@example.com>`; `undefined` unless all are valid and there are 1 to `max`. */
export function parseMailboxes(text: string, max: number): Mailbox[] | undefined {
	const list = text.trim();
	if (list.length > LIST_MAX || NO_NAME.test(list)) return undefined;
	const found: Mailbox[] = [];
	MAILBOX.lastIndex = 0;
	while (found.length < max) {
		const [all, quoted, bare = '', bracketed, address = bracketed ?? '', end] = MAILBOX.exec(list) ?? [];
		const name = quoted === undefined ? bare.trim() : quoted.replace(/\\(.)/g, '$1').trim();
		if (all === undefined || name.length > NAME_MAX || !isEmailAddress(address.trim())) return undefined;
		found.push({ name, address: address.trim() });
		if (end === '') return found;
	}
	return undefined;
}

const SENDER = /^[^\s@,;<>"\p{Cc}]{1,64}@[^\s@,;<>"\p{Cc}]{1,253}$/u;

/** The operator's `address` or `Name <address>`; `undefined` unless it is one. Its domain may be a single word, such as `localhost`. */
export function parseSender(text: string): Mailbox | undefined {
	const [, name = '', bracketed] = /^([^<>\p{Cc}]*)<([^<>]+)>$/u.exec(text.trim()) ?? [];
	const address = (bracketed ?? text).trim();
	if (!SENDER.test(address)) return undefined;
	return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}

/** As {@link parseMailboxes} reads it. */
export function formatMailbox({ name, address }: Mailbox): string {
	if (name === '') return address;
	return `${PUNCTUATION.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name} <${address}>`;
}

function isMailDomain(domain: string): boolean {
	if (!DOMAIN_CHARACTERS.test(domain)) return false;
	const ascii = URL.parse(`http://${domain}`)?.hostname ?? '';
	const labels = ascii.split('.');
	const [last = ''] = labels.slice(-1);
	return (
		ascii.length <= MAX_DOMAIN &&
		labels.length > 1 &&
		labels.every((label) => LABEL.test(label)) &&
		!ONLY_DIGITS.test(last)
	);
}

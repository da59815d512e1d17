/** Pure: an entry of a block or allow list, as `domain:example.com`, in the shape in which it is stored. For browsers too. */

import { isEmailAddress } from '../../text/email-address.ts';
import { folded } from '../../text/folded.ts';

const ENTRY_KINDS = ['email', 'domain', 'cidr', 'text'] as const;
type EntryKind = (typeof ENTRY_KINDS)[number];

/** The most of one list. */
export const MAX_ENTRIES = 5000;
export const MIN_TEXT = 3;
export const MAX_TEXT = 200;
const ENTRY = /^\s*([a-z]+)\s*:(.*)$/is;
const DOMAIN_MAX = 253;
const NOT_IN_DOMAIN = /[/\\:?#@\s]/;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** @param isRange Whether a text is an address or a range of addresses. */
export function parseEntry(text: string, isRange: (text: string) => boolean): string | undefined {
	const [, kind = '', value = ''] = ENTRY.exec(text) ?? [];
	const stored = storedValue(kind.toLowerCase(), value.trim().toLowerCase(), isRange);
	return stored === undefined ? undefined : `${kind.toLowerCase()}:${stored}`;
}

function storedValue(kind: string, value: string, isRange: (text: string) => boolean): string | undefined {
	if (kind === 'email') return isEmailAddress(value) ? value : undefined;
	if (kind === 'domain') return asciiDomain(value.replace(/^@/, ''));
	if (kind === 'cidr') return isRange(value) ? value : undefined;
	if (kind !== 'text') return undefined;
	const words = plainText(value);
	return words.length >= MIN_TEXT && words.length <= MAX_TEXT ? words : undefined;
}

/** As `text:` entries are compared: folded, with one blank between words. @param most The characters of it that are needed. */
export function plainText(text: string, most?: number): string {
	return folded(text, most).replace(/\s+/g, ' ').trim().slice(0, most);
}

/** As in mail addresses: `bücher.example` has two spellings. */
export function asciiDomain(domain: string): string | undefined {
	// Its spelling in ASCII is no shorter, and parsers take the square of its length.
	if (domain.length > DOMAIN_MAX || NOT_IN_DOMAIN.test(domain)) return undefined;
	const ascii = URL.parse(`http://${domain}/`)?.hostname ?? '';
	return [domain, ascii].find((name) => DOMAIN.test(name));
}

/** The kind and the value of a stored entry. */
export function splitEntry(entry: string): [kind: EntryKind, value: string] {
	const colon = entry.indexOf(':');
	return [entry.slice(0, colon) as EntryKind, entry.slice(colon + 1)];
}

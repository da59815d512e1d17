/** Recognises plain email addresses, and rejects everything else that mail software would also accept. */

const MAX_ADDRESS = 254;
const MAX_LOCAL_PART = 64;
const MAX_DOMAIN = 253;
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN_CHARACTERS = /^[\p{L}\p{M}\p{N}.-]+$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ONLY_DIGITS = /^\d+$/;

/**
 * Whether `text` is exactly one address `local@domain`: RFC 5321 without quoted local parts, comments, display
 * names and address literals, which disagreeing parsers have turned into other people's addresses. The domain
 * has at least two labels and may be international; the local part is ASCII.
 */
export function isEmailAddress(text: string): boolean {
	if (text.length > MAX_ADDRESS) return false;
	const at = text.lastIndexOf('@');
	if (at < 1 || at > MAX_LOCAL_PART) return false;
	return LOCAL_PART.test(text.slice(0, at)) && isMailDomain(text.slice(at + 1));
}

/** The addresses of a list separated by commas; `undefined` unless all are valid and there are 1 to `max`. */
export function parseEmailList(text: string, max: number): string[] | undefined {
	const addresses = text.split(',', max + 1).map((address) => address.trim());
	return addresses.length <= max && addresses.every(isEmailAddress) ? addresses : undefined;
}

function isMailDomain(domain: string): boolean {
	if (!DOMAIN_CHARACTERS.test(domain)) return false;
	const ascii = URL.parse(`http://${domain}`)?.hostname ?? '';
	const labels = ascii.split('.');
	const [last = ''] = labels.slice(-1);
	return ascii.length <= MAX_DOMAIN && labels.length > 1 && labels.every(isLabel) && !ONLY_DIGITS.test(last);
}

function isLabel(label: string): boolean {
	return LABEL.test(label);
}

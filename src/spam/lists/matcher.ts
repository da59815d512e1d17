/** Finds the entries of lists that a submission meets, in far less than a millisecond however long the lists are. */

import { type Address, ipaddr } from '../../network/address-ranges.ts';
import { withAsciiDomain } from '../../text/email-address.ts';
import { MAX_CHARACTERS, textsOf } from '../text/message.ts';
import { asciiDomain, MAX_TEXT, MIN_TEXT, plainText, splitEntry } from './entry.ts';

/** The parts of a submission that are compared. */
export interface Compared {
	/** The JSON text of the fields. */
	data: string;
	replyTo: string | undefined;
	clientAddress: string;
}

export type Matcher = ReturnType<typeof createMatcher>;

const ADDRESS = /^[^\s@"<>]{1,64}@([^\s@"<>]{1,253})$/;
const IPV4_MAPPED = '0'.repeat(80) + '1'.repeat(16);
const IPV4_OFFSET = IPV4_MAPPED.length;

export function createMatcher(entries: readonly string[]) {
	/** By their spelling with ASCII alone. */
	const emails = new Map<string, string>();
	const domains = new Set<string>();
	/** By the bits that addresses begin with. */
	const ranges = new Map<string, string>();
	/** By their first characters. */
	const texts = Map.groupBy(
		withoutLonger(entries.filter((entry) => entry.startsWith('text:')).map((entry) => plainText(splitEntry(entry)[1]))),
		(text) => text.slice(0, MIN_TEXT),
	);
	for (const entry of entries) {
		const [kind, value] = splitEntry(entry);
		if (kind === 'email') emails.set(withAsciiDomain(value), value);
		else if (kind === 'domain') domains.add(value);
		else if (kind === 'cidr') ranges.set(bitsOfRange(value), value);
	}
	const lengths = [...new Set([...ranges.keys()].map(({ length }) => length))].sort((a, b) => b - a);

	function findSender(addresses: readonly string[]): string | undefined {
		for (const address of addresses) {
			// With the full stop that ends a domain in DNS, mail arrives as well.
			const email = address.toLowerCase().replace(/\.$/, '');
			const entry = emails.get(withAsciiDomain(email));
			if (entry !== undefined) return `email:${entry}`;
			const host = ADDRESS.exec(email)?.[1] ?? '';
			const domain = domainIn(asciiDomain(host) ?? host);
			if (domain !== undefined) return `domain:${domain}`;
		}
		return undefined;
	}

	function domainIn(host: string): string | undefined {
		for (let at = 0; ; ) {
			const name = host.slice(at);
			if (domains.has(name)) return name;
			at = host.indexOf('.', at) + 1;
			if (at === 0) return undefined;
		}
	}

	function findRange(address: string): string | undefined {
		if (lengths.length === 0 || !ipaddr().isValid(address)) return undefined;
		const bits = bitsOf(ipaddr().parse(address));
		for (const length of lengths) {
			// As in settings: no address of IPv4 is in a range of IPv6 that happens to hold the notation of all of them, such as `::/0`.
			if (length < IPV4_OFFSET && bits.startsWith(IPV4_MAPPED)) return undefined;
			const range = ranges.get(bits.slice(0, length));
			if (range !== undefined) return `cidr:${range}`;
		}
		return undefined;
	}

	function findText(whole: string): string | undefined {
		for (let at = 0; at + MIN_TEXT <= whole.length; at++) {
			const some = texts.get(whole.slice(at, at + MIN_TEXT));
			const found = some && lastUpTo(some, whole.slice(at, at + MAX_TEXT));
			if (found !== undefined && whole.startsWith(found, at)) return `text:${found}`;
		}
		return undefined;
	}

	/** The first entry that a submission meets: of its sender, its address, its text. */
	return (compared: Compared): string | undefined => {
		const range = findRange(compared.clientAddress);
		if (range !== undefined || (emails.size === 0 && domains.size === 0 && texts.size === 0)) return range;
		const reading = readings.get(compared) ?? new Reading(compared);
		readings.set(compared, reading);
		return findSender(reading.addresses) ?? (texts.size > 0 ? findText(reading.whole) : undefined);
	};
}

/** The same submission is held against two lists. */
const readings = new WeakMap<Compared, Reading>();

class Reading {
	/** A field that is nothing but an address is the sender's; those in a text may be anyone's. */
	readonly addresses: readonly string[];
	private readonly sent: readonly string[];
	private text: string | undefined;

	constructor({ data, replyTo }: Compared) {
		this.sent = textsOf(data.slice(0, MAX_CHARACTERS));
		this.addresses = [...(replyTo ? [replyTo] : []), ...this.sent.map((text) => text.trim()).filter(isAddress)];
	}

	get whole(): string {
		this.text ??= plainText(this.sent.join('\n'), MAX_CHARACTERS);
		return this.text;
	}
}

/** Sorts texts, without those that begin with another: then only the last one up to a place can match there. */
function withoutLonger(texts: readonly string[]): string[] {
	const kept: string[] = [];
	for (const text of texts.toSorted()) {
		const last = kept.at(-1);
		if (last === undefined || !text.startsWith(last)) kept.push(text);
	}
	return kept;
}

/** The last of texts in order that is not after another text. */
function lastUpTo(sorted: readonly string[], text: string): string | undefined {
	let start = 0;
	let end = sorted.length;
	while (start < end) {
		const middle = (start + end) >>> 1;
		if ((sorted[middle] as string) <= text) start = middle + 1;
		else end = middle;
	}
	return sorted[start - 1];
}

function isAddress(text: string): boolean {
	return ADDRESS.test(text);
}

/** The bits of an address in the notation of IPv6, one character each. */
function bitsOf(address: Address): string {
	const bits = address
		.toByteArray()
		.map((byte) => byte.toString(2).padStart(8, '0'))
		.join('');
	return bits.length === 128 ? bits : IPV4_MAPPED + bits;
}

function bitsOfRange(range: string): string {
	if (!range.includes('/')) return bitsOf(ipaddr().process(range));
	const [network, length] = ipaddr().parseCIDR(range);
	return bitsOf(network).slice(0, network.kind() === 'ipv4' ? IPV4_OFFSET + length : length);
}

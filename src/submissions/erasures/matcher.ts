/** Recognises the addresses of people in texts by keyed hashes, from which no address can be read. */

import { addressesIn, type Joints, parseAddress } from '../../text/addresses-in.ts';
import { allStrings } from '../../text/json-string.ts';

/** One address. */
export interface Person {
	/** The key of the hash; 64 hexadecimal characters. */
	key: string;
	/** HMAC-SHA-256 of the address in the spelling of `addressesIn`, hexadecimal. */
	hash: string;
	joints: Joints;
}

export type Matcher = ReturnType<typeof createMatcher>;

/** In JSON text a sign may be escaped. */
const MAY_HOLD_ADDRESS = /[@＠﹫%]|\\u/;

/** `undefined` if the text is not one mail address. */
export function personOf(text: string, key: string): Person | undefined {
	const parsed = parseAddress(text);
	return parsed && { key, hash: hashOf(parsed.address, key), joints: parsed.joints };
}

function hashOf(address: string, key: string): string {
	return new Bun.CryptoHasher('sha256', Buffer.from(key, 'hex')).update(address).digest('hex');
}

/** @returns A function that returns which of the people, by their places in the list, texts name. */
export function createMatcher(people: readonly Person[]) {
	const groups = [
		...Map.groupBy(people.keys(), (at) => {
			const { key, joints } = people[at] as Person;
			return `${key} ${joints}`;
		}).values(),
	].map((places) => {
		const { key, joints } = people[places[0] as number] as Person;
		return { key, joints, byHash: Map.groupBy(places, (at) => (people[at] as Person).hash) };
	});

	function search(text: string, found: Set<number>): void {
		for (const { key, joints, byHash } of groups)
			for (const address of addressesIn(text, joints))
				for (const at of byHash.get(hashOf(address, key)) ?? []) found.add(at);
	}

	function searchInside(whole: string, found: Set<number>): void {
		// Not by recursion: what was submitted may be nested deeply.
		const texts = [whole];
		for (let text = texts.pop(); text !== undefined; text = texts.pop()) {
			const nested = stringsIn(text);
			if (nested === undefined) search(text, found);
			else for (const one of nested) texts.push(one);
		}
	}

	/** Looks into texts, `null` for none; in those that are JSON, into each text and each name. */
	return (texts: readonly (string | null | undefined)[]): Set<number> => {
		const found = new Set<number>();
		for (const text of texts) if (typeof text === 'string' && MAY_HOLD_ADDRESS.test(text)) searchInside(text, found);
		return found;
	};
}

/** The texts and names in a text that is JSON with members; in its escapes an address would be taken for another. */
function stringsIn(text: string): string[] | undefined {
	if (!/^\s*[{[]/.test(text)) return undefined;
	try {
		JSON.parse(text);
	} catch {
		return undefined;
	}
	return allStrings(text);
}

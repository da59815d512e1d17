/** Pure: the mail addresses in a text of any kind, each whole and in one spelling, so that the same address is the same text. */

import { folded } from './folded.ts';

const MAX_ADDRESS = 320;
const ASCII_ONLY = /^[\0-\x7f]*$/;
const AT_SIGN = /[@＠﹫]/g;
const DOT = /[.．。｡]/u;
const ENCODED = /(?:%[0-9a-f]{2})+/gi;
/** Ends an address before it is folded: blanks that can be seen, and the signs that surround addresses. */
const OUTSIDE = /(?!\ufeff)[\s\p{Cc}()<>[\]:;,"\\@＠﹫]/u;
const LOCAL_END = /[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]*$/u;
const DOMAIN_START = /^[\p{L}\p{M}\p{N}.。-]*/u;
const UNSPACED =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Signs that may stand in a local part, and far more often stand before an address, as in `?mail=ada@example.org`. */
const JOINTS = '=/?*|{}~`';

/**
 * How many characters of an address may as well be of the text around it: before the sign {@link JOINTS} and letters of scripts
 * that put no spaces between words, after it such letters. In nearly all addresses there are none.
 */
export type Joints = readonly [local: number, domain: number];

/** One address, alone in a text; `undefined` if it is none. Beside what `isEmailAddress` takes, the local part may be of any script. */
export function parseAddress(text: string): { address: string; joints: Joints } | undefined {
	const [raw = '', sign, rawDomain = '', ...more] = text.trim().split(/([@＠﹫])/u);
	const [local, domain] = [folded(raw), folded(rawDomain)];
	if (sign === undefined || more.length > 0 || OUTSIDE.test(local + domain) || text.length > MAX_ADDRESS)
		return undefined;
	const joints: Joints = [jointsIn(local, isJoint).length, jointsIn(domain, isUnspaced).length];
	const [address] = addressesIn(text.trim(), joints);
	const isWhole = address !== undefined && LOCAL_END.exec(local)?.[0] === local && !/^\.|\.$|\.\./.test(local);
	return isWhole && DOMAIN_START.exec(domain)?.[0] === domain ? { address, joints } : undefined;
}

/** Takes a time that is linear in the text. @param joints Those of the addresses that are looked for. */
export function* addressesIn(text: string, joints: Joints): Generator<string> {
	yield* plainAddressesIn(text, joints);
	if (text.includes('%')) {
		const decoded = text.replace(ENCODED, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
		if (decoded !== text) yield* plainAddressesIn(decoded, joints);
	}
}

function* plainAddressesIn(text: string, [inLocal, inDomain]: Joints): Generator<string> {
	for (const { index: at } of text.matchAll(AT_SIGN)) {
		const after = text.slice(at + 1, endAfter(text, at + 1));
		if (!DOT.test(after)) continue;
		const run = DOMAIN_START.exec(folded(after))?.[0] ?? '';
		const cut = jointsIn(run, isUnspaced)[inDomain];
		const domains = (cut === undefined ? [run] : [run.slice(0, cut), run]).map(asciiDomain);
		if (domains.every((domain) => domain === '')) continue;
		const local = localBefore(text, at, inLocal);
		if (local === '') continue;
		for (const domain of domains) if (domain !== '') yield `${local}@${domain}`;
	}
}

function localBefore(text: string, at: number, joints: number): string {
	if (text[at - 1] === '"') {
		const start = text.lastIndexOf('"', at - 2);
		return start < 0 || at - start > MAX_ADDRESS ? '' : folded(text.slice(start + 1, at - 1));
	}
	let start = at;
	while (start > 0 && at - start < MAX_ADDRESS && !isOutside(text, start - 1)) start--;
	const run = LOCAL_END.exec(folded(text.slice(start, at)))?.[0] ?? '';
	const signs = jointsIn(run, isJoint);
	const cut = signs[signs.length - 1 - joints];
	return (cut === undefined ? run : run.slice(cut + 1)).replace(/^[.']+/, '');
}

function endAfter(text: string, start: number): number {
	let end = start;
	while (end < text.length && end - start < MAX_ADDRESS && !isOutside(text, end)) end++;
	return end;
}

function isOutside(text: string, at: number): boolean {
	const code = text.charCodeAt(at);
	const isLetterOrDigit = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
	return !isLetterOrDigit && OUTSIDE.test(text[at] as string);
}

/** Where such characters are, in UTF-16 units; all of them are of one unit, or the last one counts. */
function jointsIn(text: string, isOne: (character: string) => boolean): number[] {
	const found: number[] = [];
	let at = 0;
	for (const character of text) {
		if (isOne(character)) found.push(at + character.length - 1);
		at += character.length;
	}
	return found;
}

const isUnspaced = (character: string) => character > '\x7f' && UNSPACED.test(character);
const isJoint = (character: string) => JOINTS.includes(character) || isUnspaced(character);

/** An international domain has two spellings. Without a dot it is none: an empty text. */
function asciiDomain(domain: string): string {
	const name = domain.replace(/[.。-]+$/u, '');
	if (!DOT.test(name)) return '';
	return ASCII_ONLY.test(name) ? name : (URL.parse(`http://${name}`)?.hostname ?? '');
}

/** Which address a text names: whole, in one spelling, and in a time that is linear in the text. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { addressesIn, parseAddress } from '../../src/text/addresses-in.ts';

/** Returns whether a text names an address. */
function names(text: string, email: string): boolean {
	const { address, joints } = parseAddress(email) ?? { address: '', joints: [0, 0] as const };
	expect(address).not.toBe('');
	return [...addressesIn(text, joints)].includes(address);
}

describe('ada@example.org is named by', () => {
	test.each([
		'ada@example.org',
		'ADA@Example.ORG',
		' ada@example.org ',
		'Ada <ada@example.org>; x',
		'"Ada L." <ada@example.org>, nada@example.org',
		'nada@example.org,ada@example.org',
		'mailto:ada@example.org?subject=x',
		'https://example.com/?mail=ada@example.org&page=2',
		'https://example.com/?mail=ada%40example.org',
		'%3Cada%40example%2Eorg%3E',
		'Write to ada@example.org. Thanks',
		"'ada@example.org'",
		'"ada"@example.org',
		'(ada@example.org)',
		'**ada@example.org**',
		'[ada@example.org](mailto:ada@example.org)',
		'ada@example.org\nnext line',
		'请联系ada@example.org谢谢',
		'ada@example.orgへ',
		'ａｄａ＠ｅｘａｍｐｌｅ．ｏｒｇ',
		'ad\u00ada@exam\u200bple.org',
		'\ufeffa\ufeffda@example\ufeff.org',
		'x@y@ada@example.org@',
		'…ada@example.org…',
	])('%s', (text) => expect(names(text, 'ada@example.org')).toBe(true));
});

describe('ada@example.org is not named by', () => {
	test.each([
		'nada@example.org',
		'ada@example.org.uk',
		'ada@example.orgx',
		'ada@sub.example.org',
		'x.ada@example.org',
		'ada+news@example.org',
		'ada-l@example.org',
		"o'ada@example.org",
		'_ada@example.org',
		'ñada@example.org',
		'ada@example.örg',
		'ada @example.org',
		'ada at example.org',
		'example.org',
		'ada@',
		'nada%40example.org',
	])('%s', (text) => expect(names(text, 'ada@example.org')).toBe(false));
});

describe('one address in several spellings', () => {
	test.each([
		['ada@bücher.example', 'ADA@XN--BCHER-KVA.example'],
		['ada@xn--bcher-kva.example', 'Ada <ada@BÜCHER.example>'],
		['ada@bücher.example', 'ada@bu\u0308cher.example'],
		['用户@例え.jp', 'mail: 用户@xn--r8jz45g.jp'],
		['josé@example.org', 'JOSE\u0301@example.org'],
		["o'brien@example.org", "'o'brien@example.org'"],
		['a/b=c@example.org', '?to=a/b=c@example.org'],
	])('%s and %s', (email, text) => expect(names(text, email)).toBe(true));
});

test.each([
	'',
	'ada',
	'@example.org',
	'ada@',
	'ada@localhost',
	'ada@example.org x',
	'Ada <ada@example.org>',
	'a@b@c.org',
	'.a@b.org',
])('%p is not one address', (text) => expect(parseAddress(text)).toBeUndefined());

const word = fc.stringMatching(/^[a-z0-9][a-z0-9._+-]{0,20}[a-z0-9]$/).filter((text) => !text.includes('..'));
const domain = fc.stringMatching(/^[a-z0-9]{1,10}(\.[a-z0-9]{1,8}){0,2}\.[a-z]{2,6}$/);

test('every address is found between any signs that are of none, and no other is', () => {
	const around = fc.constantFrom('', ' ', '<', '>', '"', ', ', ';', '\n', ' 谢谢', '。', '(', ')');
	fc.assert(
		fc.property(fc.tuple(word, domain), fc.tuple(word, domain), around, around, (one, another, before, after) => {
			const [email, other] = [one.join('@'), another.join('@')];
			expect(names(`${other} x${before === '' ? ' ' : before}${email}${after} y ${other}`, email)).toBe(true);
			expect(names(`${before}${other}${after}`, email)).toBe(email === other);
		}),
	);
});

test('a text made against the search takes no longer than its length', () => {
	const texts = [
		'@a'.repeat(100_000),
		'a@b.c'.repeat(40_000),
		`${'é'.repeat(300)}@`.repeat(600),
		'"@'.repeat(100_000),
		'='.repeat(200_000),
	];
	for (const text of texts) {
		const began = performance.now();
		for (const address of addressesIn(text, [0, 0])) expect(address).toContain('@');
		expect(performance.now() - began).toBeLessThan(10_000);
	}
});

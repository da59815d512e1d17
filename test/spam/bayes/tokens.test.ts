/** The tokens of a submission: words and pairs in any script, domains, and the look of the text. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { bucketOf } from '../../../src/spam/bayes/counts.ts';
import { createKeyedHash } from '../../../src/spam/bayes/keyed-hash.ts';
import { TOKENS_JSON_CHARACTERS, tokensOf as tokensIn } from '../../../src/spam/bayes/tokens.ts';

const hash = createKeyedHash('0123456789abcdef');

/** Each token with its part. */
function tokensOf(data: string): Map<string, string> {
	const tokens = tokensIn(data, hash);
	return new Map(tokens.partOf.map((part, at) => [tokens.textAt(at), part]));
}

const tokens = (...values: string[]) =>
	tokensOf(JSON.stringify(Object.fromEntries(values.map((v, i) => [`f${i}`, v]))));
/** Those that say how the text looks, and the second ones of short values, left out. */
const words = (...values: string[]) => [...tokens(...values).keys()].filter((token) => !/^(?:\[|f\d: )/.test(token));

describe('tokens', () => {
	test('are words in small letters, and pairs of neighbours', () => {
		expect(words('Buy CHEAP pills')).toEqual(['buy', 'cheap', 'buy cheap', 'pills', 'cheap pills']);
	});

	test('are words of scripts with spaces', () => {
		expect(words('Дешёвые ссылки')).toEqual(['дешёвые', 'ссылки', 'дешёвые ссылки']);
		expect(words('اربح الجائزة')).toEqual(['اربح', 'الجائزة', 'اربح الجائزة']);
	});

	test('are threes of characters where a script puts no spaces', () => {
		expect(words('代开发票')).toEqual(['代开发', '开发票']);
		expect(words('发票')).toEqual(['发票']);
		expect(words('ราคา')).toContain('ราค');
	});

	test('are runs of punctuation, of which those that are said stand in pairs', () => {
		expect(words('★★ save 9 %, or more!!!!!!!!')).toEqual([
			'★★',
			'save',
			'9',
			'#',
			'save #',
			'%,',
			'# %,',
			'or',
			'%, or',
			'more',
			'or more',
			'!!!!!!',
			'more !!!!!!',
		]);
	});

	test('of a short value count once more, with its field', () => {
		const long = 'and so on '.repeat(10);
		const found = tokensOf(JSON.stringify({ name: 'Ada 代开', message: `Ada 代开发票 ${long}` }));
		expect([...found.keys()].filter((token) => token.startsWith('name: '))).toEqual([
			'name: [length 6]',
			'name: ada',
			'name: 代开',
		]);
		expect([...found.keys()].filter((token) => token.startsWith('message: '))).toEqual([]);
		expect([...tokensOf(JSON.stringify({ ['n'.repeat(1000)]: 'Ada' })).keys()]).toContain(`${'n'.repeat(30)}: ada`);
	});

	test('see through other forms of the same letters', () => {
		expect(words('ＦＲＥＥ')).toEqual(['free']);
	});

	test('have the shape of numbers, and short ones as they are', () => {
		expect(words('call 09064012160 before 2027')).toEqual([
			'call',
			'###########',
			'call ###########',
			'before',
			'########### before',
			'2027',
			'####',
			'before ####',
		]);
	});

	test('name the domains of links and addresses, each with those above it', () => {
		const found = words('see https://www.shop.example.com:8080/cheap/pills?x=1 or mail a.b@mx.example.org');
		expect(found).toEqual(
			expect.arrayContaining([
				'link shop.example.com',
				'link example.com',
				'link .com',
				'link example',
				'link /cheap',
				'link /pills',
				'@mx.example.org',
				'@example.org',
				'@.org',
				'see [link]',
				'mail [address]',
			]),
		);
		expect(found).not.toContain('shop');
	});

	test('say how the text looks', () => {
		const found = [...tokens('WIN 1000 NOW www.a.example or www.b.example').keys()];
		const shape = found.filter((token) => /^\[(?!fields).*\d\]$/.test(token));
		expect(shape).toEqual(['[length 11]', '[links 2]', '[capitals 2/8]', '[digits 2]']);
	});

	test('are of values, not of names, at any depth', () => {
		const found = [...tokensOf('{"secret name":{"other":["deep words"]},"n":5}').keys()];
		expect(found.filter((token) => !token.includes('['))).toEqual([
			'deep',
			'other: deep',
			'words',
			'other: words',
			'deep words',
		]);
	});

	test('name the fields that are filled in', () => {
		const data = { subject: ' ', name: 'Ada', message: 'Hello there', phone: '' };
		expect([...tokensOf(JSON.stringify(data))].filter(([, part]) => part === 'fields')).toEqual([
			['[fields message, name]', 'fields'],
		]);
		expect(tokensOf('{}').size).toBe(0);
	});

	test('are of the text, which is the longest value, or of a short one, or of links or addresses', () => {
		const data = { name: 'Ada', email: 'ada@example.org', message: 'Ada knows https://shop.example' };
		const found = Map.groupBy(tokensOf(JSON.stringify(data)), ([, part]) => part);
		const of = (part: string) => found.get(part)?.map(([token]) => token);
		expect([...found.keys()].sort()).toEqual(['addresses', 'fields', 'links', 'text', '“email”', '“name”']);
		expect(of('“name”')).toEqual(['name: [length 4]', 'name: ada']);
		expect(of('links')).toEqual(['link shop.example', 'link .example', 'link shop']);
		expect(of('addresses')).toEqual(['@example.org', '@.org']);
		expect(of('text')).toEqual(expect.arrayContaining(['ada', 'knows', 'message: knows', 'ada knows', 'knows [link]']));
	});

	test('are those of the beginning of a long text, wherever that ends', () => {
		const json = JSON.stringify({ text: 'word "quoted" \\ ü '.repeat(2000) });
		expect(tokensOf(json)).toEqual(tokensOf(json.slice(0, TOKENS_JSON_CHARACTERS)));
	});

	test('are at most 2,000, those of short values before all others', () => {
		const text = Array.from({ length: 3000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');
		const found = tokensOf(JSON.stringify({ subject: '代开发票', message: text }));
		expect(found.size).toBe(2000);
		expect(found.get('subject: 代开')).toBe('“subject”');
		expect(found.has('一丁丂')).toBe(true);
	});

	test('of addresses are those whose @ has a name before it, of at most 64 characters, and a domain behind it', () => {
		const found = words('@a.example a@b @ c@d.example@e.example 𐐷é@f.example');
		expect(found.filter((word) => /^@\w|\[/.test(word))).toEqual([
			'@d.example',
			'@f.example',
			'b [address]',
			'example [address]',
		]);
		expect(words(`${'x'.repeat(70)}@a.example`)).toContain('xxxxxx');
	});

	test('are read of no more than twice the text, however long it is in another form', () => {
		// Eighteen characters each.
		const found = tokensOf(JSON.stringify({ message: `${'\ufdfa '.repeat(1000)}end` }));
		expect(found.has('وسلم')).toBe(true);
		expect(found.has('end')).toBe(false);
	});

	test('are each there once, in the bucket of its text, however it is put together', () => {
		const data = JSON.stringify({ name: 'link shop', message: 'link shop, link shop https://shop.example ☎ x ☎' });
		const found = tokensIn(data, hash);
		const { buckets } = found;
		const texts = buckets.map((_, at) => found.textAt(at));
		expect(buckets).toEqual(texts.map((text) => bucketOf(hash(text))));
		expect(new Set(texts).size).toBe(texts.length);
		expect(texts).toContain('link shop');
	});

	test('come of any JSON text, cut off anywhere', () => {
		fc.assert(
			fc.property(fc.json(), fc.nat(200), (json, length) => {
				for (const token of tokensOf(json.slice(0, length)).keys()) expect(token).not.toBe('');
			}),
		);
	});
});

describe('the keyed hash', () => {
	test('is HalfSipHash-2-4', () => {
		// The value is the reference implementation's, for the key 00 01 02 … 07 and the bytes 00 01 … of even length.
		const hash = createKeyedHash('0302010007060504');
		const input = (bytes: number) =>
			Array.from({ length: bytes / 2 }, (_, i) => String.fromCharCode(2 * i + ((2 * i + 1) << 8))).join('');
		for (const [bytes, value] of Object.entries(HALF_SIP_HASH)) expect(hash(input(Number(bytes)))).toBe(value);
	});

	test('of two texts is that of both with a blank between', () => {
		for (const [first, second] of [
			['', ''],
			['a', ''],
			['a', 'b'],
			['ab', 'cde'],
		] as const) {
			expect(hash(first, second)).toBe(hash(`${first} ${second}`));
		}
	});

	test('depends on the key', () => {
		expect(createKeyedHash('a'.repeat(64))('word')).not.toBe(createKeyedHash('b'.repeat(64))('word'));
	});
});

/** By the number of bytes. */
const HALF_SIP_HASH: Record<number, number> = { 0: 0x5b9f35a9, 2: 0x03a662fa, 4: 0x89466e2a };

/** Patterns mean what they mean in browsers, and take a time that grows with the text, whatever they are. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { atOnce } from '../../src/field-rules/check.ts';
import { compilePattern, PATTERN_MAX, STEPS_AT_A_STRETCH } from '../../src/field-rules/pattern.ts';
import { PatternFault } from '../../src/field-rules/pattern-syntax.ts';
import { PATTERN_TEXT_MAX } from '../../src/field-rules/rules.ts';

/** Returns a function that tells whether texts match. */
function matcher(source: string): (...texts: string[]) => boolean {
	const { match } = compilePattern(source);
	return (...texts) => atOnce(match(texts, { steps: 0 }));
}

const native = (pattern: string) => new RegExp(`^(?:${pattern})$`, 'v');

const ATOMS = [
	'a',
	'b',
	'[ab]',
	'[^a]',
	'\\d',
	'\\w',
	'\\s',
	'.',
	'\\p{Lu}',
	'\\u{1f600}',
	'😀',
	'\\.',
	'[\\w--a]',
	'\\-',
	'Ä',
	'[a-bÄ]',
	'[^\\p{Lu}😀]',
	'\\W',
	'\\P{Lu}',
];
const QUANTIFIERS = ['', '', '', '*', '+', '?', '*?', '{2}', '{1,3}', '{0,2}?', '{2,}'];

const { pattern } = fc.letrec<{ pattern: string; part: string; atom: string; group: string }>((tie) => ({
	pattern: fc
		.array(fc.array(tie('part'), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
		.map((options) => options.map((parts) => parts.join('')).join('|')),
	part: fc.oneof(
		{ weight: 4, arbitrary: fc.tuple(tie('atom'), fc.constantFrom(...QUANTIFIERS)).map((parts) => parts.join('')) },
		{ weight: 2, arbitrary: fc.tuple(tie('group'), fc.constantFrom(...QUANTIFIERS)).map((parts) => parts.join('')) },
		{ weight: 1, arbitrary: fc.constantFrom('^', '$', '\\b', '\\B') },
	),
	atom: fc.constantFrom(...ATOMS),
	group: fc
		.tuple(fc.constantFrom('(', '(?:', '(?<name>'), fc.oneof({ maxDepth: 2 }, tie('atom'), tie('pattern')))
		.map(([open, inside]) => `${open}${open === '(?<name>' ? inside.replaceAll('?<name>', '?:') : inside})`),
}));
const text = fc.string({
	unit: fc.constantFrom('a', 'b', 'B', '1', '_', ' ', '.', '-', '\n', 'Ä', '😀', '\ud83d'),
	maxLength: 8,
});

function isTaken(source: string): boolean {
	try {
		native(source);
		return true;
	} catch {
		// The same name twice, for example.
		return false;
	}
}

describe('a pattern', () => {
	test('matches what the browser’s own expression matches', () => {
		fc.assert(
			fc.property(pattern.filter(isTaken), fc.array(text, { minLength: 1, maxLength: 6 }), (source, texts) => {
				fc.pre(source.length <= PATTERN_MAX);
				const matches = matcher(source);
				const own = native(source);
				const expected = texts.map((sent) => [sent, own.test(sent)]);
				expect(texts.map((sent) => [sent, matches(sent)])).toEqual(expected);
				expect(matches(...texts)).toBe(expected.every(([, is]) => is));
			}),
			{ numRuns: 500 },
		);
	});

	test.each([
		['\\d{5}(?:-\\d{4})?', ['12345', '12345-6789'], ['1234', '12345-', 'x12345']],
		['[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2}', ['SW1A 1AA', 'M11AE'], ['sw1a 1aa', '12345']],
		['https?:\\/\\/.+', ['https://example.com'], ['ftp://x', 'https://']],
		['[\\p{L}\\-]{2,40}', ['Zoë', 'Jean-Luc', '李小龍'], ['x', 'a b']],
		['a|b', ['a', 'b'], ['ab', '']],
		['\\ud83d\\ude00', ['😀'], ['\ud83d']],
		['[\\p{L}&&\\p{Script=Greek}]+', ['λόγος'], ['logos']],
		['', [''], ['a']],
	])('%s', (source, good, bad) => {
		const matches = matcher(source);
		for (const sent of good) expect([sent, matches(sent)]).toEqual([sent, true]);
		for (const sent of bad) expect([sent, matches(sent)]).toEqual([sent, false]);
	});

	test.each([
		['[\\w.-]+', 'with a backslash'],
		['(a', 'as browsers read it'],
		['a{2,1}', 'as browsers read it'],
		['(a)\\1', 'refer back'],
		['(?<x>a)\\k<x>', 'refer back'],
		['(?=.*\\d).{8}', 'look ahead'],
		['(?<!a)b', 'look ahead or behind'],
		['(?i:a)', 'nor set flags'],
		['\\p{RGI_Emoji}', 'several characters'],
		['[\\q{ab|c}]', 'several characters'],
		['[[^b][^c][^d][^e][^f][^g]]', 'at most 5 times'],
		['[\\w--[a]--[b]--[c]--[d]--[e]--[f]]', 'at most 5 times'],
		['a{100000}', 'too large'],
		['(?:(?:(?:(?:){1000}){1000}){1000}){1000}', 'too large'],
		['a'.repeat(PATTERN_MAX + 1), 'at most'],
	])('%s is rejected: %s', (source, reason) => {
		expect(() => compilePattern(source)).toThrow(PatternFault);
		expect(() => compilePattern(source)).toThrow(reason);
	});
});

const REPEATED = ['a', '[a-z]', '\\w', '\\d', '.', '\\p{L}', '[^\\s!]', '(?:a|b)'];
/** Shapes for which backtracking takes exponential time, or a high power. */
const SHAPES = [
	'(X+)+',
	'(X*)*',
	'(X+)*Y',
	'(X*)+Y',
	'(X|X)*',
	'(X|X|X)*Y',
	'(X|XX)+',
	'(X?X?)*Y',
	'(X|X?)+',
	'(X+X+)+Y',
	'((X+)+)+',
	'(((X*)*)*)*Y',
	'(X*X*)*',
	'X*X*X*X*X*X*X*X*X*X*Y',
	'(X?){30}X{30}',
	'(X{1,10}){1,10}Y',
	'(.*X){12}',
	'(X+|X*)+',
	'(X*?)*?Y',
	'(?:X{2}|X{3})+Y',
	'(?:X+\\b)*Y',
	'(X|\\w)*X{20}Y',
	'^(X+)*$|^(X+)+Y$',
	'(X+\\s?)+Y',
	'(.*)*(.*)*(X+)*Y',
];
const CATASTROPHIC = SHAPES.flatMap((shape) =>
	REPEATED.map((repeated) => shape.replaceAll('X', repeated).replaceAll('Y', '!')),
);

describe('two hundred patterns that backtracking cannot finish', () => {
	test('are so many', () => {
		expect(new Set(CATASTROPHIC).size).toBe(200);
	});

	test.each(CATASTROPHIC)('%s', (source) => {
		const { size } = compilePattern(source);
		const matches = matcher(source);
		expect(size).toBeLessThanOrEqual(1000);
		// Nearly a match, of every kind of character that the patterns repeat.
		for (const repeated of ['a', '1', 'é']) {
			expect(matches(`${repeated.repeat(PATTERN_TEXT_MAX - 2)}\n\n`)).toBe(false);
		}
	});

	test('which patterns published for e-mail addresses and names are as well', () => {
		for (const source of [
			'([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@)[a-z0-9]+[.](([a-z]{2,3})|([a-z]{2,3}[.][a-z]{2,3}))',
			'(([a-z])+.)+[A-Z]([a-z])+',
			'([a-zA-Z0-9_.\\-]+)+@example',
			'(?:[a-zA-Z]+[ \\-]?)+[0-9]',
		]) {
			expect(matcher(source)('a'.repeat(PATTERN_TEXT_MAX))).toBe(false);
		}
	});
});

/** Many different characters, as many sets: each is another question to the engine. */
const HAN = Array.from({ length: PATTERN_TEXT_MAX }, (_, i) => String.fromCodePoint(0x4e00 + i));
/** Without a period that could be remembered. */
const AB = Array.from({ length: PATTERN_TEXT_MAX }, (_, i) => ((i * i * 2654435761) & 0x1000 ? 'a' : 'b')).join('');
const DEAR: [string, string][] = [
	['[ab]*a[ab]{480}', AB],
	['(?:[ab]*a[ab]{480}){2}x', AB],
	['(a?){300}b', 'a'.repeat(PATTERN_TEXT_MAX)],
	[`(?:${'\\b|'.repeat(100)}a| )*x`, AB.replaceAll('b', ' ')],
	[`(?:${HAN.slice(0, 240).join('|')}|.)*x`, HAN.join('')],
	[
		`(?:${HAN.slice(0, 115)
			.map((one) => `[${one}]`)
			.join('|')}|.)*x`,
		HAN.join(''),
	],
	[
		`(?:${HAN.slice(0, 44)
			.map((one) => `[\\p{Lu}${one}]`)
			.join('|')}|.)*x`,
		HAN.join(''),
	],
];

describe('a dear pattern and a text made for it', () => {
	test.each(DEAR)('%s asks the engine once for a character, and pauses', (source, text) => {
		const { match, size } = compilePattern(source);
		const { exec, test: ask } = RegExp.prototype;
		let calls = 0;
		const count = (method: 'exec' | 'test', real: unknown) =>
			Object.defineProperty(RegExp.prototype, method, {
				configurable: true,
				writable: true,
				value(this: RegExp, sent: string) {
					calls++;
					return (real as typeof exec).call(this, sent);
				},
			});
		count('exec', exec);
		count('test', ask);
		const work = { steps: 0 };
		const stretches: number[] = [];
		const all = match([text], work);
		try {
			while (!all.next().done) stretches.push(work.steps);
		} finally {
			Object.defineProperty(RegExp.prototype, 'exec', { configurable: true, writable: true, value: exec });
			Object.defineProperty(RegExp.prototype, 'test', { configurable: true, writable: true, value: ask });
		}
		expect(calls).toBeLessThanOrEqual(text.length);
		stretches.push(work.steps);
		const ofOneCharacter = 4 * size;
		expect(Math.max(...stretches)).toBeLessThan(STEPS_AT_A_STRETCH + ofOneCharacter);
		expect(stretches.reduce((sum, steps) => sum + steps, 0)).toBeLessThanOrEqual((text.length + 1) * ofOneCharacter);
	});

	test('of few ways pauses too, for each character that the engine is asked about', () => {
		const { match } = compilePattern('\\p{L}*');
		const all = Array.from({ length: 10 }, () => HAN.join(''));
		expect([...match(all, { steps: 0 })].length).toBeGreaterThan(3);
	});

	test('in many short values is bounded as in one long one', () => {
		const { match, size } = compilePattern('(?:a?){300}');
		const work = { steps: 0 };
		let steps = 0;
		const all = match('a'.repeat(PATTERN_TEXT_MAX).split(''), work);
		for (let next = all.next(); !next.done; next = all.next()) {
			expect(work.steps).toBeLessThan(STEPS_AT_A_STRETCH + 8 * size);
			steps += work.steps;
		}
		expect(steps).toBeLessThanOrEqual(2 * PATTERN_TEXT_MAX * 4 * size);
	});
});

test('what the engine takes long to compile counts as large, and is named before it is compiled', () => {
	expect(compilePattern('[\\p{L}--[a-z]]').size).toBeGreaterThan(200);
	for (const usual of ['[^@]+@[^@]+', '[^\\[\\^]--', '[\\p{L}\\-\\&]{2}', '\\[[^a]']) {
		expect(compilePattern(usual).size).toBeLessThan(20);
	}
	const Native = RegExp;
	let compiled = 0;
	globalThis.RegExp = new Proxy(Native, {
		construct(target, [source, flags]: [string, string]) {
			compiled += Number(flags === 'v');
			return new target(source, flags);
		},
	});
	try {
		expect(() => compilePattern('[[^b][^c][^d][^e][^f][^g]]')).toThrow(PatternFault);
	} finally {
		globalThis.RegExp = Native;
	}
	expect(compiled).toBe(0);
});

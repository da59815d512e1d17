import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createToken, displayToken, hashToken, isToken } from '../../src/keys/token.ts';

test.each([
	['live', /^sk_live_[0-9A-Za-z]{38}$/],
	['test', /^sk_test_[0-9A-Za-z]{38}$/],
	['form', /^fk_[0-9A-Za-z]{38}$/],
] as const)('a %s key has its prefix, 32 random characters and 6 of checksum', (kind, pattern) => {
	const token = createToken(kind);
	expect(token).toMatch(pattern);
	expect(isToken(token)).toBe(true);
});

test('a key with any one character changed is recognised as no key', () => {
	const token = createToken('live');
	fc.assert(
		fc.property(fc.nat(token.length - 1), fc.constantFrom(...'0Aaz9_-'), (at, character) => {
			fc.pre(token[at] !== character);
			expect(isToken(token.slice(0, at) + character + token.slice(at + 1))).toBe(false);
		}),
	);
});

test('all 62 characters are equally likely', () => {
	const counts = new Map<string, number>();
	for (let i = 0; i < 2000; i++) {
		for (const character of createToken('form').slice(3, 35)) counts.set(character, (counts.get(character) ?? 0) + 1);
	}
	expect(counts.size).toBe(62);
	// 64,000 draws: about 1,032 each; six standard deviations leave one false alarm in a hundred million.
	for (const count of counts.values()) expect(Math.abs(count - 64_000 / 62)).toBeLessThan(200);
});

test('the stored parts of a key do not reveal it', () => {
	const token = createToken('test');
	expect(displayToken(token)).toBe(`sk_test_…${token.slice(-4)}`);
	expect(hashToken(token)).toMatch(/^[0-9a-f]{64}$/);
});

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { normalized } from '../../src/text/normalized.ts';

const FORMS = ['NFC', 'NFKC', 'NFKD'] as const;
/** The characters on which marks are sorted: those up to the next one that is none, or the joiner. */
const MARKS = /[\u0300-\u034e\u0350-\u036f\u3099\u309a]+/g;
/** Each of thirty may become two. */
const MOST = 60;

describe('normalised texts', () => {
	const unit = fc.constantFrom(...'aé가ﬁ½ｶﾞ각 が\u0301\u0316\u0344\u034f\uff9e\u3099ก็Å');

	test.each(FORMS)('are what the language makes of them in %s', (form) => {
		fc.assert(
			fc.property(fc.string({ unit, maxLength: 30 }), (text) => normalized(text, form) === text.normalize(form)),
		);
	});

	test.each(FORMS)('of marks alone have few of them to sort at a time in %s', (form) => {
		for (const pair of ['\u0316\u0301', '\u0344\u0316', '\uff9e\u0316', '\u3099\u0316\u0301']) {
			const text = `a${pair.repeat(500)}`;
			const longest = Math.max(...Array.from(normalized(text, form).matchAll(MARKS), ([run]) => run.length));
			expect(longest).toBeLessThanOrEqual(MOST);
			expect(normalized(text, form).replaceAll('\u034f', '').length).toBeGreaterThan(pair.length * 400);
		}
	});
});

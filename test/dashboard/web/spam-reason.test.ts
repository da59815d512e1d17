/** Every reason that the server gives for spam has its sentence. */

import { describe, expect, test } from 'bun:test';
import { spamReasonText } from '../../../src/dashboard/web/spam-reason.ts';

describe('the reason of spam', () => {
	test.each<[string | undefined, RegExp]>([
		['honeypot', /honeypot/],
		['flood', /that minute/],
		['captcha-unavailable: turnstile did not answer: timeout', /turnstile did not answer: timeout/],
		['captcha-score: 0.2', /0\.2/],
		[undefined, /by hand/],
	])('%p is told in words', (reason, words) => {
		expect(spamReasonText(reason)).toMatch(words);
		expect(spamReasonText(reason)).toEndWith('.');
	});

	test('unknown here is shown as it is', () => {
		expect(spamReasonText('constructor')).toBe('constructor');
	});
});

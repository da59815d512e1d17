/** The sentence on a verdict fits it, also if the form's threshold has changed, or there were no reasons yet when it came. */

import { expect, test } from 'bun:test';
import { verdictSentence } from '../../../src/dashboard/web/verdict-sentence.ts';

type Row = Parameters<typeof verdictSentence>[0];

const links = (points: number) => [{ rule: 'links', points, detail: 'links' }];
const block = { rule: 'block', points: 10, detail: 'domain:a.example' };
const allow = { rule: 'allow', points: -20, detail: 'domain:a.example' };

test.each<[Row, number | null, string]>([
	[{ isSpam: true, spamReason: 'marked', spamReasons: [] }, 5, 'It was marked as spam by hand.'],
	[{ isSpam: true, spamReason: 'marked', spamReasons: [allow] }, 5, 'It was marked as spam by hand.'],
	[
		{ isSpam: true, spamReason: 'score', spamReasons: links(6) },
		5,
		'It has 6 points. This form treats 5 points or more as spam.',
	],
	...[7, null].map((threshold): [Row, number | null, string] => [
		{ isSpam: true, spamReason: 'score', spamReasons: links(6) },
		threshold,
		'It has 6 points, which made it spam by the form’s threshold at that time.',
	]),
	[
		{ isSpam: true, spamReason: 'block: domain:a.example', spamReasons: [block] },
		5,
		'It matches an entry of a block list, of this form or of all forms. That alone makes it spam.',
	],
	[
		{ isSpam: true, spamReason: 'honeypot', spamReasons: [] },
		5,
		'A hidden field was filled in. People do not see it, bots do. That alone makes it spam.',
	],
	[
		{ isSpam: true, spamReason: 'captcha-score: 0.2', spamReasons: [] },
		5,
		'The captcha took the sender for a bot. That alone makes it spam (captcha-score: 0.2).',
	],
	[{ isSpam: false, spamReasons: [allow] }, 5, 'It matches an entry of your allow list, so it is not spam.'],
	[{ isSpam: false, spamReasons: [block] }, 5, 'It was marked as genuine by hand.'],
	[
		{ isSpam: false, spamReasons: links(4) },
		3,
		'It has 4 points. It was marked as genuine by hand, or the form had a higher threshold when it came.',
	],
	[{ isSpam: false, spamReasons: links(4) }, 5, 'It has 4 points. This form treats 5 points or more as spam.'],
	[
		{ isSpam: false, spamReasons: links(4) },
		null,
		'It has 4 points, and this form treats nothing as spam because of its points.',
	],
])('%j at a threshold of %p', (row, threshold, sentence) => {
	expect(verdictSentence(row, threshold)).toBe(sentence);
});

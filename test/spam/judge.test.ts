/** The findings of the rules, which a person can recompute. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { RULES } from '../../src/spam/rules.ts';
import { createDisposableCheck } from '../../src/spam/sender/disposable.ts';
import { judgeLinks } from '../../src/spam/text/links.ts';
import { Message } from '../../src/spam/text/message.ts';
import { decisive } from '../../src/spam/verdict.ts';
import { tempFolder } from '../temp-folder.ts';
import { openJudge } from './judge.ts';

const PLAIN = {
	name: 'Ada Lovelace',
	email: 'ada@example.com',
	message: 'Hello, I would like to know more about what you do and what it costs. Please write back when you can.',
};

/** Long enough to be remembered. */
const LETTER = 'We saw what you have and can bring it to the top of all results within a few weeks, just write back';

describe('a plain message', () => {
	test('has no reasons', () => {
		expect(openJudge()(PLAIN)).toEqual({ reasons: [], score: 0, verdict: null });
	});

	test.each<[string, object]>([
		[
			'German',
			{ nachricht: 'Guten Tag, könnten Sie mir bitte die Öffnungszeiten nennen? Vielen Dank und schöne Grüße!' },
		],
		['Chinese', { 留言: '你好，请问你们周末营业吗？我想带孩子过来看看。' }],
		['Arabic', { رسالة: 'مرحبا، هل المتجر مفتوح يوم السبت؟ شكرا لكم' }],
		['short', { answer: 'yes' }],
		['of numbers', { age: 41, size: [1, 2, { deep: true }], nothing: null }],
		['empty', { message: '' }],
		['broken', { message: '\ud800 \u0000 "quoted" \\ back' }],
	])('in %s', (_title, fields) => {
		expect(openJudge()(fields).reasons).toEqual([]);
	});
});

describe('the rules', () => {
	const only = (fields: object, rule: string) => openJudge()(fields).reasons.find((reason) => reason.rule === rule);

	test.each<[string, string, number, string | RegExp]>([
		['links', 'see https://a.example/x?y and www.b.example', 1, '2 links, 0.5 each: a.example, b.example'],
		[
			'links',
			'http://a.example http://a.example http://a.example http://a.example http://a.example http://b.example',
			2.5,
			'6 links, 0.5 each, at most 2.5: a.example, a.example, a.example, …',
		],
		['link-host', 'go to https://win.prize.xyz/now', 1.5, 'win.prize.xyz'],
		['link-host', 'go to https://bit.ly/3x', 1.5, 'bit.ly'],
		['link-host', 'go to http://203.0.113.9:8080/', 1.5, '203.0.113.9:8080'],
		['markup', 'best <a href="https://a.example">here</a>', 4.5, '“<a href” in 3 words'],
		['markup', 'best [url=https://a.example]here[/url]', 4.5, '“[url” in 2 words'],
		['markup', `${'a b c d '.repeat(6)}[url=https://a.example]here[/url]`, 2.5, '“[url”'],
		['markup', `${'a b c d '.repeat(50)}[url=https://a.example]here[/url]`, 1.3, '“[url”; divided by 2, for 201 words'],
		['capitals', 'THIS IS THE ONLY CHANCE for you', 1, /^\d\d % of 25 letters$/],
		['exclamations', 'now! now! now! now!', 0.5, '4 exclamation marks'],
		['amounts', 'get $5,000 or 300 € or 20 euros or £9', 1.5, '4 sums of money, 0.5 each, at most 1.5'],
		['number', 'Please call our experts about the roof on +44 20 7946 0958 tomorrow', 1, '+44 20 7946 0958'],
		['mixed-scripts', 'Log in to your раypаl account!', 2, '“раypаl”'],
		['disposable-mail', 'write to x@mailinator.com', 2, 'mailinator.com'],
		['disposable-mail', 'write to x@sub.Mailinator.com.', 2, 'mailinator.com'],
	])('%s: %s', (rule, message, points, detail) => {
		const found = only({ message }, rule);
		expect(found).toMatchObject({ points });
		if (typeof detail === 'string') expect(found?.detail).toBe(detail);
		else expect(found?.detail).toMatch(detail);
	});

	test.each<[string, object, string]>([
		['links to the form’s own website', { m: 'https://shop.example.com/1 http://example.com' }, 'links'],
		['an address of mail', { m: 'ada@www.example.com' }, 'links'],
		['a telephone number as an answer of its own', { phone: '+44 20 7946 0958', m: 'a b c d e f g h i j' }, 'number'],
		['units with Greek letters', { m: 'µm μm Ωm' }, 'mixed-scripts'],
		['names of fields', { 'casino, viagra, https://a.example': 'Hello!' }, 'words'],
	])('do not count %s', (_title, fields, rule) => {
		const { reasons } = openJudge()(fields, { allowedDomains: ['example.com'] });
		expect(reasons.filter((reason) => reason.rule === rule)).toEqual([]);
	});

	test('words count once each, and less in a longer text', () => {
		const short = only({ m: 'viagra viagra, online casino!' }, 'words');
		expect(short).toEqual({ rule: 'words', points: 4.5, detail: '“viagra” 2, “online casino” 2, “casino” 0.5' });
		const filler = 'a tree and a river '.repeat(40);
		const long = only({ m: `viagra viagra, online casino! ${filler}` }, 'words');
		expect(long?.detail).toBe('“viagra” 2, “online casino” 2, “casino” 0.5; divided by 2, for 204 words');
		expect(long?.points).toBe(2.3);
	});

	test('links and sums of money count less in a longer text', () => {
		const filler = 'a tree and a river '.repeat(40);
		const m = `https://a.example https://b.example $5,000 ${filler}`;
		expect(only({ m }, 'links')).toEqual({
			rule: 'links',
			points: 0.5,
			detail: '2 links, 0.5 each; divided by 2, for 200 words: a.example, b.example',
		});
		expect(only({ m }, 'amounts')).toMatchObject({
			points: 0.3,
			detail: '1 sum of money, 0.5 each; divided by 2, for 200 words',
		});
	});

	test('each is in the record, with words for people', () => {
		for (const rule of Object.values(RULES)) {
			expect(rule.meaning).toMatch(/^[A-Z].*\.$/);
			expect(rule.label).toMatch(/^[A-Z]/);
		}
	});
});

test('a file takes the place of the list of disposable domains, and has to be there', async () => {
	const folder = tempFolder();
	const file = `${folder}/domains.txt`;
	await Bun.write(file, '# ours\nThrow.example\n\nother.example # as well\n');
	const judge = openJudge({ judgeMail: createDisposableCheck(file) });
	expect(judge({ email: 'x@sub.throw.example' }).reasons).toMatchObject([{ detail: 'throw.example' }]);
	expect(judge({ email: 'x@other.example' }).score).toBe(2);
	expect(judge({ email: 'x@mailinator.com' }).score).toBe(0);
	expect(() => createDisposableCheck(`${folder}/missing`)).toThrow(
		`FORMSRV_DISPOSABLE_DOMAINS names ${folder}/missing, which cannot be read: no such file or directory.`,
	);
	expect(() => createDisposableCheck('/dev/zero')).toThrow('which cannot be read: it holds more than 64 MiB.');
});

describe('links', () => {
	const judged = (text: string) =>
		judgeLinks(Object.assign(new Message('{}'), { text, hasLinks: true }), { allowedDomains: [] }).map(
			({ detail }) => detail,
		);

	test('of which one is a part of another are passed over, and its host is not read for each', () => {
		expect(judged('awww.a.example www.www.example')).toEqual(['1 link, 0.5 each: www.example']);
		// In the square of its length this would take minutes.
		expect(judged('.www'.repeat(300_000))).toEqual([]);
	});
});

test('each link is looked up among the allowed domains, not compared with all of them', () => {
	let reads = 0;
	const allowedDomains = new Proxy(
		Array.from({ length: 100 }, (_, i) => `d${i}.example`),
		{
			get(target, key) {
				if (key === '7') reads++;
				return Reflect.get(target, key);
			},
		},
	);
	const message = new Message(
		JSON.stringify({ m: 'http://a.example http://shop.d7.example/x http://d8.example '.repeat(100) }),
	);
	expect(judgeLinks(message, { allowedDomains })[0]?.detail).toStartWith('100 links, 0.5 each, at most 2.5: a.example');
	expect(reads).toBe(1);
	const long = new Message(
		JSON.stringify({ m: `http://${'a.'.repeat(400)}d7.example http://xd7.example http://d7.example:80` }),
	);
	expect(judgeLinks(long, { allowedDomains })[0]?.detail).toStartWith('2 links, 0.5 each: xd7.example, d7.example:80');
});

describe('a text that came lately', () => {
	const message = { name: 'A', message: LETTER };

	test('the domain of a mail address is judged whatever the one before was', () => {
		const judgeMail = createDisposableCheck(null);
		const domains = [
			'mailinator.com',
			'mailinator.co',
			'mailinator.com.example',
			'nailinator.com',
			'mailinator.com',
			'x.mailinator.com',
		];
		const found = domains.map((domain) => judgeMail(`{"email":"a@${domain}"}`)?.detail ?? null);
		expect(found).toEqual(['mailinator.com', null, null, null, 'mailinator.com', 'mailinator.com']);
	});

	test('gets a point for each time, up to two, to whatever form', () => {
		const judge = openJudge();
		const points = [1, 2, 3, 4].map((formId) => judge({ ...message, name: `N${formId}!` }, { formId }).score);
		expect(points).toEqual([0, 1, 2, 2]);
	});

	test('is another one in the other mode, and the reason does not say to which form it came', () => {
		for (const data of [message, { m: `${LETTER}!` }]) {
			const judge = openJudge();
			judge(data, { formId: 1 });
			expect(judge(data, { formId: 2, mode: 'test' }).reasons).toEqual([]);
			const told = judge(data, { formId: 3 }).reasons;
			judge(data, { formId: 2, mode: 'test' });
			expect(judge(data, { formId: 2, mode: 'test' }).reasons.at(-1)?.points).toBe(2);
			expect(JSON.stringify([told, RULES.repeated])).not.toMatch(/another|other form|this form/);
		}
	});

	test('is known by case, digits and punctuation changed', () => {
		const judge = openJudge();
		judge({ m: `${LETTER}!` });
		expect(judge({ m: `${LETTER.replace('We', 'WE')}, 2026!` }).reasons).toMatchObject([
			{ rule: 'repeated', points: 1, detail: 'The same text came 1 time before within a day, 1 each' },
		]);
	});

	test('is known with some words changed, and another text is not', () => {
		const judge = openJudge();
		const template = (name: string) =>
			`Dear ${name}, ${LETTER}. We have done this for many others in your town and would like to do it for you as well, so tell us when!`;
		judge({ m: template('Ada') });
		expect(judge({ m: template('Grace Hopper') }).reasons[0]?.detail).toBe(
			'Nearly the same text came 1 time before within a day, 1 each',
		);
		const other =
			'I bought a table from you last summer, and one of its legs is loose now. Could somebody come and have a look at it!';
		expect(judge({ m: other }).reasons).toEqual([]);
	});

	test('is known if exactly the same data comes, whatever it looks like', () => {
		const judge = openJudge();
		expect([1, 2, 3].map(() => judge(message).score)).toEqual([0, 1, 2]);
	});

	test('may be short as often as it likes', () => {
		const judge = openJudge();
		for (let i = 0; i < 50; i++) expect(judge({ answer: 'Yes, please!', other: '' }).reasons).toEqual([]);
	});

	test('is forgotten after a day', () => {
		let now = 0;
		const judge = openJudge({ now: () => now });
		judge({ m: `${LETTER}!` });
		now = 25 * 3600_000;
		expect(judge({ m: `${LETTER}!` }).reasons).toEqual([]);
	});

	test.each([1, 1.5, 2, 5])('never reaches a threshold of %d by itself', (threshold) => {
		const judge = openJudge();
		const verdicts = Array.from({ length: 10 }, () => judge(message, { spam: { threshold } }));
		expect(verdicts.map(({ verdict }) => verdict)).toEqual(Array(10).fill(null));
		expect(verdicts.at(-1)?.score).toBe(Math.min(2, threshold - 0.1));
	});
});

describe('a script', () => {
	const russian = { m: 'Здравствуйте, подскажите, пожалуйста, когда вы работаете' };

	test('that the form hardly gets has points, after the first 30 messages', () => {
		const judge = openJudge();
		expect(judge(russian).reasons).toEqual([]);
		for (let i = 0; i < 29; i++) judge({ m: `Question number ${i} about your shop` });
		expect(judge(russian).reasons).toEqual([
			{ rule: 'other-script', points: 1.5, detail: 'Cyrillic, as 1 of the last 30 messages of this form' },
		]);
		expect(judge(russian, { formId: 2 }).reasons).toEqual([]);
	});

	test('that the form often gets has none', () => {
		const judge = openJudge();
		for (let i = 0; i < 40; i++) judge(i % 4 ? { m: `Question number ${i}` } : russian);
		expect(judge({ m: 'Добрый вечер, сколько это стоит' }).reasons).toEqual([]);
	});
});

describe('the verdict', () => {
	test('is that of a decisive rule, else that of the score', () => {
		const judge = openJudge();
		expect(judge(PLAIN, { honeypotFilled: true })).toMatchObject({ score: 10, verdict: 'honeypot' });
		const captcha = decisive('captcha-score', '0.1');
		expect(judge(PLAIN, { captcha, spam: { threshold: null } }).verdict).toBe('captcha-score: 0.1');
		const spam = { m: 'Online CASINO [url=https://a.top]BEST VIAGRA[/url]!!!!' };
		expect(judge(spam).verdict).toBe('score');
		expect(judge(spam, { spam: { threshold: null } }).verdict).toBeNull();
	});

	test('follows from the sum of the points', () => {
		const judge = openJudge();
		const { reasons, score } = judge({
			m: 'Visit https://a.example and win $500, or call +44 20 7946 0958 now, my dear!',
		});
		const tenths = reasons.reduce((sum, { points }) => sum + Math.round(points * 10), 0);
		expect(score).toBe(tenths / 10);
		expect(judge({ m: 'Visit https://a.example' }, { spam: { threshold: 1 } }).verdict).toBeNull();
		expect(judge({ m: 'Visit https://a.example and https://b.example' }, { spam: { threshold: 1 } }).verdict).toBe(
			'score',
		);
	});

	test('of a flood leaves out what is spam anyway', () => {
		let counted = 0;
		const judge = openJudge({ formRate: { isOver: () => ++counted > 1 } });
		judge(PLAIN, { honeypotFilled: true });
		expect(judge(PLAIN).verdict).toBeNull();
		expect(judge(PLAIN).verdict).toBe('flood');
		expect(judge(PLAIN, { hasKey: true }).verdict).toBeNull();
	});
});

test('a megabyte of anything is judged at once', () => {
	const judge = openJudge();
	const units = ['a', 'a.', '"', '\\', '<a ', 'www.', 'viagra ', '9 ', '!', 'б', '[url', '@', '\ud83d\ude00'];
	for (const unit of units) {
		const started = performance.now();
		judge({ m: `x@${unit.repeat(1_000_000 / unit.length)}` });
		// Far above what it takes, far below what a quadratic pattern would.
		expect(performance.now() - started).toBeLessThan(500);
	}
});

test('of a message that is longer than what is read, the beginning is', () => {
	const { reasons } = openJudge()({ m: `Visit https://a.top ${'and so on '.repeat(1000)}` });
	expect(reasons.map(({ rule }) => rule)).toEqual(['link-host']);
});

test('a reason names the end of a host that is as long as a message', () => {
	const { reasons } = openJudge()({ m: `https://${'a.'.repeat(2000)}top` });
	expect(reasons.map(({ rule }) => rule)).toEqual(['links', 'link-host']);
	for (const { detail } of reasons) expect(detail).toMatch(/^(?:1 link, 0.5 each: )?….{97}top$/);
});

test('whatever is sent is judged, the same each time, and adds up', () => {
	const text = fc.oneof(
		fc.string({ unit: 'binary', maxLength: 400 }),
		fc
			.array(
				fc.constantFrom(
					'viagra',
					'https://a.top',
					'$5',
					'!!',
					'[url=',
					'FREE',
					'раypаl',
					'a@b.c',
					'+4420794609',
					'\\',
					'"',
					'买',
				),
				{
					maxLength: 60,
				},
			)
			.map((words) => words.join(' ')),
	);
	fc.assert(
		fc.property(fc.dictionary(text, fc.oneof(text, fc.double(), fc.array(text), fc.constant(null))), (fields) => {
			const { reasons, score } = openJudge()(fields);
			const tenths = reasons.reduce((sum, { points }) => sum + Math.round(points * 10), 0);
			expect(Math.round(score * 10)).toBe(tenths);
			for (const { rule, points, detail } of reasons) {
				expect(Object.keys(RULES)).toContain(rule);
				expect(Math.round(points * 10)).toBeCloseTo(points * 10, 6);
				expect(detail).not.toBe('');
			}
			expect(openJudge()(fields).reasons).toEqual(reasons);
		}),
		{ numRuns: 300 },
	);
});

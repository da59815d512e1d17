/** One plain email address, and lists of them. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { formatMailbox, isEmailAddress, parseMailboxes } from '../../src/text/email-address.ts';

describe('an email address', () => {
	test.each([
		'ada@example.com',
		'a@b.co',
		'Ada.Lovelace+forms@mail.Example.COM',
		"o'neill_{x}~!#$%&*/=?^`|-@example.com",
		'ada@xn--bcher-kva.example',
		'ada@bücher.example',
		'ada@例え.テスト',
		`${'a'.repeat(64)}@example.com`,
		`a@${'b'.repeat(63)}.com`,
	])('is %s', (text) => {
		expect(isEmailAddress(text)).toBe(true);
	});

	test.each([
		'',
		'ada',
		'@example.com',
		'ada@',
		'ada@example',
		'ada@localhost',
		'ada@@example.com',
		'ada@eve@example.com',
		'.ada@example.com',
		'ada.@example.com',
		'a..b@example.com',
		'ada@.example.com',
		'ada@example..com',
		'ada@example.com.',
		'ada@-example.com',
		'ada@example-.com',
		'ada@exa_mple.com',
		'ada@127.0.0.1',
		'ada@[127.0.0.1]',
		'ada@example.com:25',
		'ada@example.com/x',
		'ada@%65xample.com',
		'"ada"@example.com',
		'ada(comment)@example.com',
		'Ada <ada@example.com>',
		'<ada@example.com>',
		'ada@example.com, eve@example.com',
		'ada@example.com;eve@example.com',
		'group:ada@example.com;',
		' ada@example.com',
		'ada@example.com\n',
		'ada@example.com\r\nBcc: eve@example.com',
		'a@b.c>\r\nRCPT TO:<evil@x.y',
		'ada@exam\tple.com',
		'ada@exam\u00adple.com',
		'ada@exam\u200bple.com',
		'ada@example\uff0fcom.org',
		'ada\0@example.com',
		'ädä@example.com',
		`${'a'.repeat(65)}@example.com`,
		`a@${'b'.repeat(64)}.com`,
		`a@${'b.'.repeat(126)}com`,
		`a@${'b'.repeat(1_000_000)}`,
	])('is not %j', (text) => {
		expect(isEmailAddress(text)).toBe(false);
	});

	test('contains nothing that could end it in a header or a command', () => {
		const text = fc.stringMatching(/^[a-z.@<>,;: "\r\n\u00ad\u3002éx]{0,12}@[a-z.@<>,;: "\r\n\u00ad\u3002é]{1,12}$/);
		fc.assert(
			fc.property(text, (address) => !isEmailAddress(address) || /^[^\s<>,;:"@]+@[^\s<>,;:"@]+$/.test(address)),
			{ numRuns: 2000 },
		);
	});
});

describe('a list of addresses', () => {
	const parse = (text: string, max = 2) => parseMailboxes(text, max)?.map(({ name, address }) => [name, address]);

	test('is separated by commas', () => {
		expect(parse('ada@example.com', 10)).toEqual([['', 'ada@example.com']]);
		expect(parse(' a@b.co ,c@d.co')).toEqual([
			['', 'a@b.co'],
			['', 'c@d.co'],
		]);
	});

	test.each([
		['Ada <ada@example.com>', 'Ada'],
		['Ada Lovelace<ada@example.com>', 'Ada Lovelace'],
		['<ada@example.com>', ''],
		['"Lovelace, Ada" <ada@example.com>', 'Lovelace, Ada'],
		['"A \\"B\\" \\\\ <C>" < ada@example.com >', 'A "B" \\ <C>'],
		['Zoë 联系 🎉 <ada@example.com>', 'Zoë 联系 🎉'],
		['=?utf-8?Q?=0AX?= <ada@example.com>', '=?utf-8?Q?=0AX?='],
		['"" <ada@example.com>', ''],
	])('may have a name with each: %j', (text, name) => {
		expect(parse(text)).toEqual([[name, 'ada@example.com']]);
		expect(parse(`x@y.co, ${text}`)).toEqual([
			['', 'x@y.co'],
			[name, 'ada@example.com'],
		]);
	});

	test.each([
		'',
		',',
		'a@b.co,',
		'a@b.co c@d.co',
		'a@b.co;c@d.co',
		'a@b.co,c@d.co,e@f.co',
		'a@b.co,x',
		','.repeat(1_000_000),
		'Lovelace, Ada <a@b.co>',
		'"Ada <a@b.co>',
		'Ada" <a@b.co>',
		'"Ada" x <a@b.co>',
		'Ada <a@b.co> x',
		'Ada <a@b.co',
		'Ada a@b.co>',
		'Ada <a@b.co, c@d.co>',
		'Ada <>',
		'Ada <<a@b.co>>',
		'a@b.co <c@d.co>',
		'Ada\r\nBcc: x <a@b.co>',
		'"Ada\nBcc: x" <a@b.co>',
		'"Ada\0" <a@b.co>',
		'"Ada\u2028" <a@b.co>',
		'Ada <a@b.co>\r\nBcc: eve@d.co',
		`${'x'.repeat(101)} <a@b.co>`,
		`a@b.co,${' '.repeat(4_900)}"`,
		'group:a@b.co;',
	])('of at most two is not %j', (text) => {
		expect(parse(text)).toBeUndefined();
	});

	test('is read as it is written, whatever the names', () => {
		const name = fc.stringMatching(/^[a"\\,;:<>@ .()é=?-]{0,20}$/).map((text) => text.trim());
		fc.assert(
			fc.property(fc.array(name, { minLength: 1, maxLength: 10 }), (names) => {
				const boxes = names.map((one, i) => ({ name: one, address: `a${i}@example.com` }));
				const text = boxes.map(formatMailbox).join(', ');
				expect(parseMailboxes(text, 10)).toEqual(boxes);
				expect(text).not.toMatch(/\p{Cc}/u);
			}),
		);
	});
});

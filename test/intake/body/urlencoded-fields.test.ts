/** Bodies as plain HTML forms post them. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { rejectionOf } from '../../rejection.ts';
import { gathered, type Pair, read, URLENCODED_TYPE } from './bodies.ts';

const readForm = (body: string | Uint8Array) => read(URLENCODED_TYPE, body);

describe('a urlencoded body', () => {
	test.each<[string, Pair[]]>([
		['', []],
		['&&&', []],
		['a=b', [['a', 'b']]],
		['a', [['a', '']]],
		['=', [['', '']]],
		['=b', [['', 'b']]],
		['a=b=c', [['a', 'b=c']]],
		[
			'a&b=c',
			[
				['a', ''],
				['b', 'c'],
			],
		],
		[
			'&a=1&&b=2&',
			[
				['a', '1'],
				['b', '2'],
			],
		],
		['a+b=c+d', [['a b', 'c d']]],
		['a=%2B%26%3D%25', [['a', '+&=%']]],
		[
			'a=%c3%a9&%F0%9F%98%80=é',
			[
				['a', 'é'],
				['😀', 'é'],
			],
		],
		[
			'a=100%&b=%zz%4&c=%%41',
			[
				['a', '100%'],
				['b', '%zz%4'],
				['c', '%A'],
			],
		],
		['a=%00%0d%0A', [['a', '\0\r\n']]],
		['%EF%BB%BFa=%EF%BB%BF', [['\ufeffa', '\ufeff']]],
		[
			'a.b=1&a[]=2&a[999999999]=3&__proto__=4',
			[
				['a.b', '1'],
				['a[]', '2'],
				['a[999999999]', '3'],
				['__proto__', '4'],
			],
		],
		[
			'a=1&b=2&a=3&c=4&a=5',
			[
				['a', '1'],
				['b', '2'],
				['a', '3'],
				['c', '4'],
				['a', '5'],
			],
		],
	])('%p is read as the URL standard says', (body, pairs) => {
		expect(readForm(body)).toEqual(gathered(pairs));
	});

	test('is read as URLSearchParams reads it, wherever that keeps every byte', () => {
		const piece = fc.constantFrom(
			'a',
			'é',
			'😀',
			'+',
			'%',
			'%4',
			'%41',
			'%C3',
			'%A9',
			'%f0%9f%98%80',
			'&',
			'=',
			' ',
			';',
			'\0',
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
				const body = pieces.join('');
				const pairs = [...new URLSearchParams(`&${body}`)] as Pair[];
				if (pairs.flat().some((text) => text.includes('\ufffd'))) {
					expect(rejectionOf(() => readForm(body)).code).toBe('INVALID_BODY');
				} else {
					expect(readForm(body)).toEqual(gathered(pairs));
				}
			}),
			{ numRuns: 2000 },
		);
	});

	test.each(['a=%FF', '%ff=a', 'a=%C3', 'a=%C3&b=%A9', 'a%C3=%A9', 'a=%ED%A0%80', 'a=%C0%80', 'a=%F4%90%80%80'])(
		'%p is rejected, since it is not UTF-8',
		(body) => {
			expect(rejectionOf(() => readForm(body))).toEqual({
				code: 'INVALID_BODY',
				message: 'A name or value in the body is not valid UTF-8.',
			});
		},
	);

	test('is rejected when its raw bytes are not UTF-8', () => {
		expect(rejectionOf(() => readForm(Buffer.from('a=\xe9', 'latin1'))).code).toBe('INVALID_BODY');
	});

	test.each(['a&', 'a=&', '%C3&'])('of more than a thousand pairs is rejected before they are decoded (%s)', (pair) => {
		expect(rejectionOf(() => readForm(pair.repeat(300_000)))).toEqual({
			code: 'PAYLOAD_TOO_LARGE',
			message: 'A submission may have at most 1000 fields.',
		});
	});

	test('may repeat one name a thousand times', () => {
		expect(readForm('a=b&'.repeat(1000))).toEqual([{ name: 'a', json: JSON.stringify(new Array(1000).fill('b')) }]);
	});

	test('with a name over the limit is rejected', () => {
		expect(readForm(`${'%C3%A9'.repeat(128)}=`)).toHaveLength(1);
		expect(rejectionOf(() => readForm(`${'%C3%A9'.repeat(129)}=`))).toEqual({
			code: 'PAYLOAD_TOO_LARGE',
			message: 'The name of a field may have at most 256 bytes.',
		});
	});
});

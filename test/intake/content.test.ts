import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readContent } from '../../src/intake/content.ts';
import { mediaKind, readFields } from '../../src/intake/read-fields.ts';
import { dataJson, splitSpecialFields } from '../../src/intake/special-fields.ts';
import { BOUNDARY, CLOSING, JSON_TYPE, LIMITS, MULTIPART_TYPE, multipart, part, URLENCODED_TYPE } from './bodies.ts';

/** What either road says: the content, or the code and sentence of the refusal. */
function outcome(read: () => unknown): unknown {
	try {
		return read();
	} catch (error) {
		const { code, message } = error as { code: string; message: string };
		return { code, message };
	}
}

function expectSameOnBothRoads(text: string | Uint8Array, type = JSON_TYPE) {
	const body = Buffer.from(text as string);
	const media = mediaKind(type);
	const scanned = outcome(() => {
		const { special, fields } = splitSpecialFields(readFields(body, media, LIMITS));
		return { special, names: fields.map(({ name }) => name), data: dataJson(fields) };
	});
	expect(outcome(() => readContent(body, media, LIMITS))).toEqual(scanned);
}

const names = fc.oneof(
	fc.constantFrom('_next', '_gotcha', '_subject', '_replyto', 'altcha', '__proto__', 'a', '1', '0', 'constructor', ''),
	fc.string({ unit: 'binary', maxLength: 8 }),
);
const values = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.double({ noNaN: true, noDefaultInfinity: true }),
	fc.boolean(),
	fc.constantFrom(null, '', 'a@example.com', -0, 1e21, 'x'.repeat(300)),
	fc.array(fc.string(), { maxLength: 2 }),
);

test('the short road for flat JSON and the scanner say the same', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(names, values), { maxLength: 8 }), (members) => {
			expectSameOnBothRoads(
				`{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
			);
			expectSameOnBothRoads(JSON.stringify(Object.fromEntries(members)));
		}),
		{ numRuns: 500 },
	);
});

test.each([
	'{"a":1,"a":2}',
	'{"a":1.0}',
	'{"a":1e3}',
	'{"a":-0}',
	'{"a":12345678901234567890}',
	'{"a":"\\u0041"}',
	'{"b":1,"1":2}',
	'{ "a":1}',
	'\ufeff{"a":1}',
	'{"a":"\\ud800"}',
	'[1]',
	'"x"',
	'',
	'{',
	`{${Array.from({ length: 1001 }, (_, i) => `"f${i}":1`).join(',')}}`,
	`{"${'x'.repeat(257)}":1}`,
	`{"a":${'['.repeat(40)}${']'.repeat(40)}}`,
	'['.repeat(100_000),
])('both roads say the same of %p', (text) => expectSameOnBothRoads(text));

const formPiece = fc.constantFrom(
	...[
		'a',
		'b',
		'1',
		'0',
		'__proto__',
		'_next',
		'_gotcha',
		'altcha',
		'%',
		'%4',
		'%41',
		'%zz',
		'%C3',
		'%A9',
		'%e9',
		'é',
		'😀',
	],
	...[
		'+',
		'&',
		'&',
		'&',
		'=',
		'=',
		'=',
		' ',
		'"',
		'%22',
		'\\',
		'%5c',
		'\0',
		'%00',
		'\n',
		'%0d%0A',
		'%7F',
		'%E2%80%A8',
		'\ufeff',
		'%ef%bb%bf',
	],
);

test('the short road for form bodies and the reader of any say the same', () => {
	fc.assert(
		fc.property(fc.array(formPiece, { maxLength: 24 }), (pieces) => {
			expectSameOnBothRoads(pieces.join(''), URLENCODED_TYPE);
		}),
		{ numRuns: 5000 },
	);
	fc.assert(
		fc.property(fc.array(fc.tuple(names, fc.string({ unit: 'binary' })), { maxLength: 6 }), (pairs) => {
			expectSameOnBothRoads(new URLSearchParams(pairs.map((pair) => [...pair])).toString(), URLENCODED_TYPE);
		}),
		{ numRuns: 1000 },
	);
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => expectSameOnBothRoads(bytes, URLENCODED_TYPE)),
		{ numRuns: 2000 },
	);
});

test.each([
	'',
	'&&',
	'=',
	'a',
	`${'x'.repeat(257)}=1`,
	'a='.padEnd(16 * 1024, 'é"'),
	'a='.padEnd(17 * 1024, 'b'),
	'a&'.repeat(1001),
])('both roads say the same of the form body %p', (text) => expectSameOnBothRoads(text, URLENCODED_TYPE));

const partPiece = fc.constantFrom(
	...['a', 'b', '1', '0x', '__proto__', '_next', '_gotcha', 'a"', 'a%22', 'a%0D', 'a\r\nX: y', 'é', '', '\\'].map(
		(name) => part(`form-data; name="${name}"`, 'value'),
	),
	...['', '"', '\\', '\0\n', 'é😀', `--${BOUNDARY}`, `\n--${BOUNDARY}`, '\r\n', ' '].map((value) =>
		part('form-data; name="v"', value),
	),
	part('form-data; name="file"; filename=""', ''),
	part('form-data; name="file"; filename="a.txt"', 'x'),
	part('FORM-DATA;name=a', 'x'),
	part('form-data; name="t"\r\nContent-Type: text/plain; charset=utf-8', 'x'),
	`--${BOUNDARY}\r\nContent-Disposition: form-data; name="e"\r\n\r\n`,
	`--${BOUNDARY} \r\nContent-Disposition: form-data; name="p"\r\n\r\n\r\n`,
);
const ending = fc.constantFrom(CLOSING, CLOSING.trimEnd(), `${CLOSING}\r\n`, `${CLOSING}x`, `--${BOUNDARY}`, '');

test('the short road for multipart bodies and the reader of any say the same', () => {
	fc.assert(
		fc.property(fc.array(partPiece, { maxLength: 4 }), ending, (parts, end) => {
			expectSameOnBothRoads(parts.join('') + end, MULTIPART_TYPE);
		}),
		{ numRuns: 5000 },
	);
	fc.assert(
		fc.property(fc.array(fc.tuple(names, fc.string({ unit: 'binary' })), { maxLength: 6 }), (pairs) => {
			expectSameOnBothRoads(multipart(pairs), MULTIPART_TYPE);
		}),
		{ numRuns: 1000 },
	);
});

test('bytes that are no UTF-8 are refused on both roads', () => {
	const body = Buffer.concat([
		Buffer.from(part('form-data; name="a"', 'x').slice(0, -2)),
		Buffer.from([0xe9, 0x0d, 0x0a]),
	]);
	expectSameOnBothRoads(Buffer.concat([body, Buffer.from(CLOSING)]), MULTIPART_TYPE);
});

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { contentOf, readContent } from '../../../src/intake/body/content.ts';
import { mediaKind } from '../../../src/intake/body/media.ts';
import { dataJson, specialNamesOf, splitSpecialFields, USUAL_NAMES } from '../../../src/intake/body/special-fields.ts';
import {
	BOUNDARY,
	CLOSING,
	JSON_TYPE,
	LIMITS,
	MULTIPART_TYPE,
	multipart,
	part,
	readAny,
	URLENCODED_TYPE,
} from './bodies.ts';

const OTHER_HONEYPOTS = specialNamesOf({ spam: { threshold: 5, honeypot: ['a', 'constructor'] }, aliases: [] });

/** The result of either path: the content, or the code and sentence of the error. */
function outcome(read: () => unknown): unknown {
	try {
		return read();
	} catch (error) {
		const { code, message } = error as { code: string; message: string };
		return { code, message };
	}
}

function expectSameOnBothRoads(text: string | Uint8Array, type = JSON_TYPE, limits = LIMITS) {
	const body = Buffer.from(text as string);
	const media = mediaKind(type);
	for (const specialNames of [USUAL_NAMES, OTHER_HONEYPOTS]) {
		const rules = { ...limits, specialNames };
		const scanned = outcome(() => {
			const { special, fields } = splitSpecialFields(readAny(body, media, limits), specialNames);
			return { special, names: fields.map(({ name }) => name), data: dataJson(fields) };
		});
		const read = () => readContent(body, media, rules) ?? contentOf(readAny(body, media, limits), specialNames);
		expect(outcome(read)).toEqual(scanned);
	}
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

test('the fast path for flat JSON and the parser agree', () => {
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

const plainText = fc.string({ unit: fc.constantFrom(...'ab1 ,:{}[]_~'), maxLength: 5 });
const plainName = fc.oneof({ weight: 8, arbitrary: plainText }, { weight: 1, arbitrary: names });
const plainBody = fc
	.array(fc.tuple(plainName, plainText), { maxLength: 18 })
	.map((members) => `{${members.map((pair) => pair.map((text) => JSON.stringify(text)).join(':')).join()}}`);
/** Replacements for up to two bytes anywhere. */
const slip = fc.record({
	at: fc.nat(),
	cut: fc.nat({ max: 2 }),
	put: fc.constantFrom(
		'',
		'"',
		',',
		':',
		'{',
		'}',
		' ',
		'\\',
		'\\u0061',
		'\n',
		'\0',
		'\x7f',
		'\x80',
		'Ã©',
		'1',
		'[]',
		'"a":"b",',
	),
});
const FEW = { maxFields: 3, maxNameBytes: 4, maxDepth: 2 };

function withSlips(text: string, slips: { at: number; cut: number; put: string }[]): Uint8Array {
	const bytes = [...Buffer.from(text)];
	for (const { at, cut, put } of slips) bytes.splice(at % (bytes.length + 1), cut, ...Buffer.from(put, 'latin1'));
	return Uint8Array.from(bytes);
}

test('all parsers agree on a plain JSON body, and on one that nearly is', () => {
	fc.assert(
		fc.property(plainBody, fc.array(slip, { maxLength: 2 }), (text, slips) => {
			const body = withSlips(text, slips);
			expectSameOnBothRoads(body);
			expectSameOnBothRoads(body, JSON_TYPE, FEW);
		}),
		{ numRuns: 5000 },
	);
});

test.each([
	['{"2":"b","1":"a","_proto":""}', ['2', '1', '_proto']],
	['{"":" ~"}', ['']],
	['{"__proto__":"a","b":"{}[],:"}', ['__proto__', 'b']],
])('%p is stored as it stands', (data, names) => {
	const rules = { ...LIMITS, specialNames: USUAL_NAMES };
	expect(readContent(Buffer.from(data), mediaKind(JSON_TYPE), rules)).toMatchObject({ data, names });
	expectSameOnBothRoads(data);
});

test.each([
	'{}',
	'{"',
	'{"a',
	'{"a"',
	'{"a":',
	'{"a":"',
	'{"a":"b',
	'{"a":"b"',
	'{"a":"b",',
	'{"a":"b",}',
	'{"a":"b"}}',
	'{"a":"b"}\n',
	'{"a":"b","a":"c"}',
	'{"a":"b","_next":"c"}',
	'{"a":"\\n"}',
	'{"a":"é"}',
	'["a"]',
])('both roads say the same of the nearly plain %p', (text) => expectSameOnBothRoads(text));

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

test('the fast path for urlencoded bodies and the parser agree', () => {
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

test('the fast path for multipart bodies and the parser agree', () => {
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

test('invalid UTF-8 is rejected on both paths', () => {
	const body = Buffer.concat([
		Buffer.from(part('form-data; name="a"', 'x').slice(0, -2)),
		Buffer.from([0xe9, 0x0d, 0x0a]),
	]);
	expectSameOnBothRoads(Buffer.concat([body, Buffer.from(CLOSING)]), MULTIPART_TYPE);
});

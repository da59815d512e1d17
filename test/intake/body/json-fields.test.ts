/** JSON bodies: values are the source text, and ambiguous JSON is rejected. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../../src/errors.ts';
import { readJsonFields } from '../../../src/intake/body/json-fields.ts';
import { rejectionOf } from '../../rejection.ts';
import { LIMITS, read } from './bodies.ts';

const readJson = (text: string) => readJsonFields(text, LIMITS);
const rejection = (text: string) => rejectionOf(() => readJson(text));
const members = (count: number) => Array.from({ length: count }, (_, i) => `"${i}":0`).join(',');

describe('a value', () => {
	test.each([
		'123456789012345678901234567890',
		'0.10000000000000000000000000000000001',
		'-0',
		'1.0',
		'1E+400',
		'1e-7',
		'"\\u0041\\/\\ud83d\\ude00"',
		'"lone \\ud800 surrogate"',
		'"é e\u0301 \u2028 \u007f 你 😀"',
		'"\\u0000"',
		'true',
		'null',
		'[]',
		'{}',
		'[[],{},[{}]]',
		'{"2":1,"1":2,"__proto__":{"x":1}}',
	])('%s is kept as it is written', (json) => {
		expect(readJson(`{"value":${json}}`)).toEqual([{ name: 'value', json }]);
	});

	test('loses the blanks around it and inside it, but not those in strings', () => {
		expect(readJson(' \t\r\n{ "a" : [ 1 , { "b c" : " d " , "e" : [ ] } ] , "f" : { } } \n')).toEqual([
			{ name: 'a', json: '[1,{"b c":" d ","e":[]}]' },
			{ name: 'f', json: '{}' },
		]);
	});

	test('keeps its place, also under a name that looks like a number', () => {
		expect(readJson('{"b":1,"10":2,"9":3,"a":4}').map(({ name }) => name)).toEqual(['b', '10', '9', 'a']);
	});
});

describe('a name', () => {
	test('is decoded', () => {
		const names = ['', '__proto__', 'a.b', 'a[999999999]', 'tab\t', '\ud800', '😀', '"'];
		const body = `{${names.map((name) => `${JSON.stringify(name)}:1`).join(',')},"\\u0061":2}`;
		expect(readJson(body).map(({ name }) => name)).toEqual([...names, 'a']);
	});

	test.each([
		['{"a":1,"a":2}', '"a"', 'line 1, column 8'],
		['{"a":1,\n "\\u0061":2}', '"a"', 'line 2, column 2'],
		['{"x":[{"b":1,"b":1}]}', '"b"', 'line 1, column 14'],
		['{"__proto__":1,"__proto__":1}', '"__proto__"', 'line 1, column 16'],
	])('that occurs twice is rejected: %s', (body, name, place) => {
		expect(rejection(body)).toEqual({
			code: 'INVALID_BODY',
			message: `The name ${name} occurs twice in one object, at ${place}.`,
		});
	});

	test('may occur in different objects', () => {
		expect(readJson('{"a":{"a":1},"b":[{"a":1},{"a":2}]}')).toHaveLength(2);
	});
});

describe('JSON that is not valid', () => {
	test.each([
		['', 'The body is empty; a JSON object of fields is expected.'],
		['  ', 'The body is empty; a JSON object of fields is expected.'],
		['null', 'The body must be a JSON object of fields, such as {"email": "…"}.'],
		['["a"]', 'The body must be a JSON object of fields, such as {"email": "…"}.'],
		['"a"', 'The body must be a JSON object of fields, such as {"email": "…"}.'],
		['{', 'The JSON is not valid: expected a name or a string in double quotes at line 1, column 2, where it ends.'],
		['{"a":1', 'The JSON is not valid: expected a comma or a closing brace at line 1, column 7, where it ends.'],
		['{"a":1}x', 'The JSON is not valid: expected nothing more after the closing brace at line 1, column 8.'],
		['{"a":1}{"b":1}', 'The JSON is not valid: expected nothing more after the closing brace at line 1, column 8.'],
		['{"a":1,}', 'The JSON is not valid: expected a name or a string in double quotes at line 1, column 8.'],
		['{,"a":1}', 'The JSON is not valid: expected a name or a string in double quotes at line 1, column 2.'],
		['{\n"a" 1}', 'The JSON is not valid: expected a colon at line 2, column 5.'],
		['{\r\n"a":\r\n01}', 'The JSON is not valid: expected a comma or a closing brace at line 3, column 2.'],
		['{"a":[1 2]}', 'The JSON is not valid: expected a comma or a closing bracket at line 1, column 9.'],
		['{"a":[1,]}', 'The JSON is not valid: expected a value at line 1, column 9.'],
		['{"a":[1}}', 'The JSON is not valid: expected a comma or a closing bracket at line 1, column 8.'],
		[
			'{"a":"b\n"}',
			'The JSON is not valid: expected an escape such as \\n instead of a control character at line 1, column 8.',
		],
		['{"a":"\\x"}', 'The JSON is not valid: expected a valid escape after the backslash at line 1, column 7.'],
		['{"a":"\\u12', 'The JSON is not valid: expected a valid escape after the backslash at line 1, column 7.'],
		['{"a":"b', 'The JSON is not valid: expected a closing double quote at line 1, column 8, where it ends.'],
		['{"a":-}', 'The JSON is not valid: expected a digit at line 1, column 7.'],
		['{"a":1.}', 'The JSON is not valid: expected a digit at line 1, column 8.'],
		['{"a":NaN}', 'The JSON is not valid: expected a value at line 1, column 6.'],
		["{'a':1}", 'The JSON is not valid: expected a name or a string in double quotes at line 1, column 2.'],
	])('%j is rejected with its place', (body, message) => {
		expect(rejection(body)).toEqual({ code: 'INVALID_BODY', message });
	});

	test('that is not UTF-8 is rejected', () => {
		const body = Buffer.from('{"a":"\xff"}', 'latin1');
		expect(rejectionOf(() => read('application/json', body))).toEqual({
			code: 'INVALID_BODY',
			message: 'The body is not valid UTF-8.',
		});
	});

	test('is distinguished from valid JSON exactly as by JSON.parse', () => {
		const token = fc.constantFrom(
			...'{}[],:"\\ \n',
			'"a"',
			'"b":',
			'1',
			'-0.5e+3',
			'01',
			'true',
			'nul',
			'\\u00e9',
			'\t',
			'é',
		);
		const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
		const scrambled = fc.tuple(fc.json(), fc.nat(), fc.nat({ max: 2 }), token).map(([json, place, removed, added]) => {
			const at = place % (json.length + 1);
			return `{"a":${json.slice(0, at)}${added}${json.slice(at + removed)}}`;
		});
		const loose = fc.array(token, { maxLength: 12 }).map((tokens) => `{${tokens.join('')}}`);
		fc.assert(
			fc.property(fc.oneof(scrambled, loose), (text) => {
				let value: unknown;
				try {
					value = JSON.parse(text);
				} catch {
					return rejection(text).code === 'INVALID_BODY';
				}
				try {
					const json = readJson(text).map((field) => `${JSON.stringify(field.name)}:${field.json}`);
					expect(JSON.parse(`{${json.join(',')}}`)).toEqual(value);
					return isObject(value);
				} catch (error) {
					return error instanceof AppError && (!isObject(value) || /twice/.test(error.message));
				}
			}),
			{ numRuns: 5000 },
		);
	});
});

describe('a limit', () => {
	const tooDeep = {
		code: 'PAYLOAD_TOO_LARGE',
		message: 'Objects and arrays may be nested at most 32 levels deep.',
	};

	test('of depth counts the body itself', () => {
		expect(readJson(`{"a":${'['.repeat(31)}${']'.repeat(31)}}`)).toHaveLength(1);
		expect(rejection(`{"a":${'['.repeat(32)}${']'.repeat(32)}}`)).toEqual(tooDeep);
	});

	test.each(['[', '{"a":', '[ {"a": '])(
		'of depth is met before the rest of a million levels is read (%s)',
		(opening) => {
			expect(rejection(`{"a":${opening.repeat(1_000_000)}`)).toEqual(tooDeep);
		},
	);

	test('of fields is met before the rest of a million is read', () => {
		expect(readJson(`{${members(1000)}}`)).toHaveLength(1000);
		expect(rejection(`{${members(1_000_000)}`)).toEqual({
			code: 'PAYLOAD_TOO_LARGE',
			message: 'A submission may have at most 1000 fields.',
		});
	});

	test('of nested values counts members and elements of all fields together', () => {
		const tooMany = {
			code: 'PAYLOAD_TOO_LARGE',
			message: 'A submission may have at most 10000 values inside objects and arrays.',
		};
		const elements = (count: number) => `[${'0,'.repeat(count - 1)}0]`;
		expect(readJson(`{"a":${elements(5000)},"b":{${members(5000)}}}`)).toHaveLength(2);
		expect(rejection(`{"a":${elements(5000)},"b":{${members(5001)}}}`)).toEqual(tooMany);
		expect(rejection(`{"a":[${'0,'.repeat(1_000_000)}`)).toEqual(tooMany);
	});

	test.each([
		['x'.repeat(256), 'x'.repeat(257)],
		['é'.repeat(128), 'é'.repeat(129)],
		['\\u0061'.repeat(256), '\\u0061'.repeat(257)],
		['\\ud83d\\ude00'.repeat(64), '\\ud83d\\ude00'.repeat(65)],
	])('of names counts bytes of UTF-8 at every level', (good, bad) => {
		const message = 'The name of a field may have at most 256 bytes.';
		expect(readJson(`{"${good}":[{"${good}":1}]}`)).toHaveLength(1);
		expect(rejection(`{"${bad}":1}`)).toEqual({ code: 'PAYLOAD_TOO_LARGE', message });
		expect(rejection(`{"a":[{"${bad}":1}]}`)).toEqual({ code: 'PAYLOAD_TOO_LARGE', message });
		expect(rejection(`{"${bad.repeat(4000)}":1}`)).toEqual({ code: 'PAYLOAD_TOO_LARGE', message });
	});
});

test('a submission leaves no trace in Object.prototype', () => {
	readJson('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
	expect('polluted' in {}).toBe(false);
});

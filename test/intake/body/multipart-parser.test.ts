/** multipart/form-data bodies: entirely valid, or rejected. */

import { describe, expect, test } from 'bun:test';
import { rejectionOf } from '../../rejection.ts';
import { BOUNDARY, CLOSING, gathered, MULTIPART_TYPE, multipart, type Pair, part, read } from './bodies.ts';

const readForm = (body: string | Uint8Array) => read(MULTIPART_TYPE, body);
const rejection = (body: string | Uint8Array) => rejectionOf(() => readForm(body));
const invalidBody = (what: string) => ({ code: 'INVALID_BODY', message: `The multipart body is not valid: ${what}.` });
const invalidPart = (what: string) => ({
	code: 'INVALID_BODY',
	message: `A part of the multipart body is not valid: ${what}.`,
});
/** A body of one part with these header lines. */
const withHeaders = (lines: string, value = 'v') => `--${BOUNDARY}\r\n${lines}\r\n\r\n${value}\r\n${CLOSING}`;

describe('a multipart body', () => {
	test.each<[string, Pair[]]>([
		['no part', []],
		[
			'empty values',
			[
				['a', ''],
				['b', ''],
			],
		],
		[
			'lines and things like boundaries',
			[
				['a', '\r\n--\r\n--x--\r\n\r\n'],
				['b', `--${BOUNDARY.slice(0, -1)}`],
			],
		],
		[
			'repeated names',
			[
				['a', '1'],
				['b', '2'],
				['a', '3'],
			],
		],
		[
			'odd names',
			[
				['', '1'],
				['__proto__', '2'],
				['a.b', '3'],
				['a[9]', '4'],
				['é"\r\n%25%0d\\', '5'],
				['a;b="', '6'],
			],
		],
		[
			'values that look like JSON',
			[
				['a', '{"x":1}'],
				['b', '[1'],
				['c', '123456789012345678901234567890'],
			],
		],
		['a byte order mark', [['a', '\ufeffx']]],
	])('is kept exactly: %s', (_, pairs) => {
		expect(readForm(multipart(pairs))).toEqual(gathered(pairs));
	});

	test.each([
		['header names in capitals', withHeaders('CONTENT-DISPOSITION: FORM-DATA; NAME="a"')],
		['no blanks', withHeaders('Content-Disposition:form-data;name="a"')],
		['a name without quotes', withHeaders('Content-Disposition: form-data; name=a')],
		['a type', withHeaders('Content-Type: text/plain;charset="UTF-8"\r\nContent-Disposition: form-data; name="a"')],
		['an encoding', withHeaders('Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: 8BIT')],
		[
			'padding',
			`\r\n--${BOUNDARY} \t\r\nContent-Disposition: form-data; name="a"\r\n\r\nv\r\n--${BOUNDARY}-- \r\n\r\n`,
		],
		['no last line end', withHeaders('Content-Disposition: form-data; name="a"').trimEnd()],
	])('may have %s', (_, body) => {
		expect(readForm(body)).toEqual([{ name: 'a', json: '"v"' }]);
	});

	test('may leave out the line end of a part without content', () => {
		const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name=`;
		expect(readForm(`${head}"a"\r\n\r\n${head}"b"\r\n\r\nv\r\n${CLOSING}`)).toEqual(
			gathered([
				['a', ''],
				['b', 'v'],
			]),
		);
	});

	test.each([undefined, '', 'x'.repeat(71), '"a "', 'a<b'])('with the boundary %p is rejected', (boundary) => {
		const type = boundary === undefined ? 'multipart/form-data' : `multipart/form-data; boundary=${boundary}`;
		expect(rejectionOf(() => read(type, CLOSING))).toEqual(
			invalidBody('the Content-Type needs a boundary of 1 to 70 characters'),
		);
	});

	test.each([
		['nothing', '', 'it does not start with the boundary'],
		['another boundary', '--other--\r\n', 'it does not start with the boundary'],
		['junk before the first boundary', `junk\r\n${CLOSING}`, 'it does not start with the boundary'],
		['junk on the line of a boundary', `--${BOUNDARY}x\r\n`, 'a boundary is not followed by the end of its line'],
		[
			'line feeds alone',
			`--${BOUNDARY}\nContent-Disposition: form-data; name="a"\n\nv\n`,
			'a boundary is not followed by the end of its line',
		],
		[
			'one dash at the end',
			`${part('form-data; name="a"', 'v')}--${BOUNDARY}-`,
			'a boundary is not followed by the end of its line',
		],
		['no headers', `--${BOUNDARY}\r\n`, 'a part has no blank line after its headers'],
		['no final boundary', part('form-data; name="a"', 'v'), 'the last part is not ended by the boundary'],
		['something behind the end', `${CLOSING}x`, 'something follows the final boundary'],
		['a long way to the end', `${CLOSING}${' '.repeat(2000)}`, 'something follows the final boundary'],
		['a long way to the beginning', `${'\r\n'.repeat(2000)}${CLOSING}`, 'it does not start with the boundary'],
	])('with %s is rejected', (_, body, what) => {
		expect(rejection(body)).toEqual(invalidBody(what));
	});

	test('is rejected wherever it is cut off', () => {
		const whole = multipart([
			['a', 'b'],
			['c', 'd\r\n'],
		]).trimEnd();
		for (let length = 0; length < whole.length; length++) {
			expect(rejection(whole.slice(0, length)).code).toBe('INVALID_BODY');
		}
	});
});

describe('a part', () => {
	const needsName = 'it needs a header such as Content-Disposition: form-data; name="email"';
	test.each([
		['Content-Type: text/plain', needsName],
		['Content-Disposition: form-data', needsName],
		['Content-Disposition: form-data; filename="a"', needsName],
		['Content-Disposition: attachment; name="a"', needsName],
		['Content-Disposition: form-data-x; name="a"', needsName],
		['Content-Disposition: form-data; name="a"b"', needsName],
		['Content-Disposition: form-data; name="a\\"b"', 'a quote in a name must be written as %22'],
		['Content-Disposition: form-data; name="a', needsName],
		['Content-Disposition: form-data; name="a"; name="b"', needsName],
		["Content-Disposition: form-data; name*=utf-8''a", needsName],
		['no colon', 'a line of its headers cannot be read'],
		['Content-Disposition: form-data;\r\n name="a"', 'a line of its headers cannot be read'],
		['Content-Disposition : form-data; name="a"', 'a line of its headers cannot be read'],
		['Content-Disposition: form-data; name="a\nb"', 'a line of its headers cannot be read'],
		['Content-Disposition: form-data; name="a\rb"', 'a line of its headers cannot be read'],
		[
			'Content-Disposition: form-data; name="a"\r\ncontent-disposition: form-data; name="b"',
			'one of its headers comes twice',
		],
		[
			'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64',
			'its Content-Transfer-Encoding must be 7bit, 8bit or binary',
		],
		[
			'Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset="x',
			'its Content-Type cannot be read',
		],
	])('with the headers %j is rejected', (headers, what) => {
		expect(rejection(withHeaders(headers))).toEqual(invalidPart(what));
	});

	test('in another charset is rejected', () => {
		const headers = 'Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=latin1';
		expect(rejection(withHeaders(headers))).toEqual({
			code: 'UNSUPPORTED_MEDIA_TYPE',
			message: 'Every part of the multipart body must be in UTF-8.',
		});
	});

	test.each(['name', 'value'])('whose %s is not UTF-8 is rejected', (where) => {
		const body =
			part(`form-data; name="${where === 'name' ? '\xe9' : 'a'}"`, where === 'value' ? '\xe9' : 'v') + CLOSING;
		expect(rejection(Buffer.from(body, 'latin1'))).toEqual(invalidBody('a part is not valid UTF-8'));
	});
});

describe('a file', () => {
	const octets = 'Content-Type: application/octet-stream';
	const file = (filename: string, value: string) =>
		part(`form-data; name="cv"; ${filename}\r\n${octets}`, value) + multipart([['é', 'ü']]);

	test('that was not chosen is skipped', () => {
		expect(readForm(file('filename=""', ''))).toEqual([{ name: 'é', json: '"ü"' }]);
	});

	test.each([
		file('filename="cv.pdf"', 'x'),
		file('filename="cv.pdf"', ''),
		file('filename=""', 'x'),
		file("filename*=utf-8''cv.pdf", 'x'),
		file('filename=""; filename*=utf-8\'\'cv.pdf', ''),
		Buffer.concat([Buffer.from(file('filename="é.pdf"', '…')), Buffer.from([0xff])]),
		Buffer.from(file('filename="cv.pdf"', '%PDF\xff\xfe\0').replace('é', 'e').replace('ü', 'u'), 'latin1'),
	])('is rejected, and the error names its field (%#)', (body) => {
		expect(rejection(body)).toEqual({
			code: 'FILES_NOT_SUPPORTED',
			message: 'This form does not accept files; the field "cv" holds one. Leave the file out and send the rest.',
		});
	});
});

describe('a limit', () => {
	test('of parts counts fields and unused file inputs alike', () => {
		const parts = part('form-data; name="a"', 'v') + part('form-data; name="f"; filename=""', '');
		expect(readForm(parts.repeat(500) + CLOSING)).toHaveLength(1);
		expect(rejection(parts.repeat(100_000))).toEqual({
			code: 'PAYLOAD_TOO_LARGE',
			message: 'A submission may have at most 1000 fields.',
		});
	});

	test('of a part’s headers holds for their length and their lines', () => {
		const headers = (line: string, count: number) =>
			withHeaders(`Content-Disposition: form-data; name="a"${line.repeat(count)}`);
		const numbered = Array.from({ length: 16 }, (_, i) => `\r\nX-${i}: y`);
		expect(readForm(headers(numbered.slice(1).join(''), 1))).toHaveLength(1);
		expect(rejection(headers(numbered.join(''), 1))).toEqual({
			code: 'PAYLOAD_TOO_LARGE',
			message: 'One part may have at most 16 lines of headers.',
		});
		for (const body of [headers('x', 1_000_000), headers('\r\nX: y', 200_000)]) {
			expect(rejection(body)).toEqual({
				code: 'PAYLOAD_TOO_LARGE',
				message: 'The headers of one part may have at most 8192 characters.',
			});
		}
	});

	test('of names counts bytes of UTF-8', () => {
		expect(readForm(multipart([['é'.repeat(128), '']]))).toHaveLength(1);
		expect(rejection(multipart([['é'.repeat(129), '']]))).toEqual({
			code: 'PAYLOAD_TOO_LARGE',
			message: 'The name of a field may have at most 256 bytes.',
		});
	});
});

/** Multipart bodies of usual forms are read in a shorter way, to the same fields. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { mediaKind, readFields } from '../../../src/intake/body/media.ts';
import { BOUNDARY, CLOSING, LIMITS, MULTIPART_TYPE, multipart, part, readMultipart } from './bodies.ts';

const MEDIA = mediaKind(MULTIPART_TYPE);
const FEW = { maxFields: 3, maxNameBytes: 4, maxDepth: 2 };

/** The fields, or the code and sentence of the error. */
function outcome(read: () => unknown): unknown {
	try {
		return read();
	} catch (error) {
		const { code, message } = error as { code: string; message: string };
		return { code, message };
	}
}

function expectSame(text: string | Uint8Array) {
	const body = Buffer.from(text as string);
	for (const limits of [LIMITS, FEW]) {
		const fields = outcome(() => readFields(body, MEDIA, limits)?.fields);
		const wanted = outcome(() => readMultipart(body, MEDIA, limits));
		if (fields) expect(fields).toEqual(wanted as object);
	}
}

const names = fc.oneof(
	fc.constantFrom('_next', '_gotcha', 'altcha', '__proto__', 'a', '1', '0', 'constructor', ''),
	fc.string({ unit: 'binary', maxLength: 8 }),
);

test('a body as browsers send it takes the shorter way', () => {
	const body = Buffer.from(
		multipart([
			['name', 'Ada'],
			['message', 'two\r\nlines, é'],
		]),
	);
	expect(readFields(body, MEDIA, LIMITS)?.fields).toEqual([
		{ name: 'name', json: '"Ada"' },
		{ name: 'message', json: '"two\\r\\nlines, é"' },
	]);
});

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

test('the short way for multipart bodies and the reader agree', () => {
	fc.assert(
		fc.property(fc.array(partPiece, { maxLength: 4 }), ending, (parts, end) => {
			expectSame(parts.join('') + end);
		}),
		{ numRuns: 5000 },
	);
	fc.assert(
		fc.property(fc.array(fc.tuple(names, fc.string({ unit: 'binary' })), { maxLength: 6 }), (pairs) => {
			expectSame(multipart(pairs));
		}),
		{ numRuns: 1000 },
	);
});

test('invalid UTF-8 is rejected both ways', () => {
	const body = Buffer.concat([
		Buffer.from(part('form-data; name="a"', 'x').slice(0, -2)),
		Buffer.from([0xe9, 0x0d, 0x0a]),
	]);
	expectSame(Buffer.concat([body, Buffer.from(CLOSING)]));
});

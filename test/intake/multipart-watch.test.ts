/** Multipart bodies in chunks of every size: rejected as soon as an error is certain, and never otherwise. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../src/errors.ts';
import { createMultipartWatch } from '../../src/intake/multipart-watch.ts';
import { BOUNDARY, CLOSING, LIMITS, part } from './bodies.ts';

const MAX_TEXT = 1000;
const tooMuch = 'PAYLOAD_TOO_LARGE: The text fields of a multipart body may have at most 1000 bytes together.';
const noFiles = (name: string) =>
	`FILES_NOT_SUPPORTED: This form takes no files; the field "${name}" holds one. Leave the file out and send the rest.`;

/** The result for a body in chunks of this size, and the number of bytes read by then. */
function watch(body: string, pieceBytes = 50, boundary: string | undefined = BOUNDARY) {
	const bytes = Buffer.from(body);
	const look = createMultipartWatch(boundary, { ...LIMITS, maxTextBytes: MAX_TEXT });
	for (let end = pieceBytes; ; end += pieceBytes) {
		try {
			look(bytes.subarray(0, end));
		} catch (error) {
			if (!(error instanceof AppError)) throw error;
			return { outcome: `${error.code}: ${error.message}`, arrived: Math.min(end, bytes.length) };
		}
		if (end >= bytes.length) return { outcome: 'taken', arrived: bytes.length };
	}
}

const text = (name: string, bytes: number) => part(`form-data; name="${name}"`, 'x'.repeat(bytes));
const file = (name: string, filename: string, bytes: number) =>
	part(`form-data; name="${name}"; filename="${filename}"\r\nContent-Type: application/pdf`, 'x'.repeat(bytes));

test.each([
	['one field as large as may be', text('a', 1000) + CLOSING, 'taken'],
	['one byte more', text('a', 1001) + CLOSING, tooMuch],
	['many fields as large as may be', text('a', 10).repeat(100) + CLOSING, 'taken'],
	['many fields of one byte more', text('a', 10).repeat(100) + text('b', 1) + CLOSING, tooMuch],
	['nothing but frames', text('a', 0).repeat(100) + CLOSING, 'taken'],
	['a body that never ends', text('a', 100_000).slice(0, -2), tooMuch],
	['a file', file('cv', 'cv.pdf', 5000) + CLOSING, noFiles('cv')],
	['a file behind text', text('a', 900) + file('größe', 'cv.pdf', 5000) + CLOSING, noFiles('größe')],
	['an unused file input', text('a', 1000) + file('cv', '', 0) + CLOSING, 'taken'],
	['a file behind too much text', text('a', 1001) + file('cv', 'cv.pdf', 5000) + CLOSING, tooMuch],
	[
		'more fields than may be',
		text('a', 0).repeat(1001) + CLOSING,
		'PAYLOAD_TOO_LARGE: A submission may have at most 1000 fields.',
	],
	['headers that never end', `--${BOUNDARY}\r\n${'X: y\r\n'.repeat(1000)}`, tooMuch],
	['headers that hold the text', part(`form-data; name="a"\r\nX-Text: ${'x'.repeat(2000)}`, ''), tooMuch],
	['no boundary at all', 'x'.repeat(5000), tooMuch],
	['line ends before the first boundary', `\r\n\r\n${text('a', 1000)}${CLOSING}`, 'taken'],
])('%s, in pieces of any size', (_, body, outcome) => {
	for (const pieceBytes of [1, 7, 50, 999, 100_000]) expect(watch(body, pieceBytes).outcome).toBe(outcome);
});

test('a body without a boundary is left to the parser, unless it is too large', () => {
	const look = createMultipartWatch(undefined, { ...LIMITS, maxTextBytes: MAX_TEXT });
	expect(() => look(Buffer.from(text('a', 100)))).not.toThrow();
	expect(() => look(Buffer.from(text('a', 5000)))).toThrow('at most 1000 bytes');
});

test('the chunk size makes no difference, and the decision comes as early as possible', () => {
	const parts = fc.array(
		fc.oneof(
			fc.integer({ min: 0, max: 400 }).map((bytes) => text('a', bytes)),
			fc.integer({ min: 0, max: 400 }).map((bytes) => file('f', bytes % 3 === 0 ? '' : 'f.txt', bytes)),
			fc.string({ maxLength: 300 }).map((value) => part('form-data; name="b"', value)),
		),
		{ maxLength: 12 },
	);
	fc.assert(
		fc.property(parts, fc.integer({ min: 1, max: 700 }), (all, pieceBytes) => {
			const body = all.join('') + CLOSING;
			const whole = watch(body, body.length);
			const { outcome, arrived } = watch(body, pieceBytes);
			expect(outcome).toBe(whole.outcome);
			const frames = all.length * 256;
			if (outcome !== 'taken') expect(arrived).toBeLessThanOrEqual(MAX_TEXT + frames + 400 + pieceBytes);
		}),
		{ numRuns: 2000 },
	);
});

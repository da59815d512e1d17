/** Multipart bodies in chunks of every size, with any boundary, files and names: exact, or rejected as when they come at once. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../../src/errors.ts';
import { createMultipartReader } from '../../../src/intake/body/multipart-reader.ts';
import { BOUNDARY, CLOSING, gathered, LIMITS, type Pair, part } from './bodies.ts';
import { boundary, bytesFor, chunkSizes, cut, encode, filename, type Sent, wellFormed } from './sent-files.ts';

const MAX_TEXT = 1000;
const KIB = 1024;

interface Received {
	field: string;
	filename: string;
	claimedType: string;
	bytes: Buffer;
}

const tooMuch = 'PAYLOAD_TOO_LARGE: The text fields of a multipart body may have at most 1000 bytes together.';

/** Reads a body in these chunks. The memory of each is overwritten once it was read. */
async function readChunks(chunks: Iterable<Uint8Array>, { boundary = BOUNDARY, maxTextBytes = MAX_TEXT } = {}) {
	const files: Received[] = [];
	let open = 0;
	const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
	const reader = createMultipartReader(boundary, {
		limits: { ...LIMITS, maxTextBytes },
		files: {
			async begin({ field, filename, claimedType }) {
				expect(open++).toBe(0);
				files.push({ field, filename, claimedType, bytes: Buffer.alloc(0) });
				return filename;
			},
			async write(bytes) {
				const file = files.at(-1) as Received;
				await turn();
				file.bytes = Buffer.concat([file.bytes, bytes]);
			},
			async end() {
				expect(open--).toBe(1);
			},
		},
	});
	for (const chunk of chunks) {
		const own = Uint8Array.from(chunk);
		await reader.push(own);
		own.fill(0x2d);
	}
	return { fields: reader.end(), files };
}

async function outcomeOf(chunks: Iterable<Uint8Array>) {
	try {
		return await readChunks(chunks);
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		return `${error.code}: ${error.message}`;
	}
}

const fileOf = ({ name, filename = '', type = '', value }: Sent): Received => ({
	field: name,
	filename,
	claimedType: type,
	bytes: Buffer.from(value),
});

test('whatever is sent comes back byte for byte', async () => {
	const text = (name: string, value: string): Sent => ({ name, value: Buffer.from(value) });
	const form = boundary.chain((delimiter) =>
		fc.record({
			delimiter: fc.constant(delimiter),
			parts: fc.array(
				fc.oneof(
					fc
						.tuple(wellFormed, fc.string({ unit: 'binary', maxLength: 60 }))
						.map(([name, value]) => text(name, value.toWellFormed()))
						.filter(({ value }) => !`\r\n${value}`.includes(`\r\n--${delimiter}`)),
					fc.record({
						name: wellFormed,
						value: bytesFor(delimiter),
						filename: filename.filter((name) => name !== ''),
						type: fc.constantFrom('application/pdf', 'text/plain; charset=latin1', '', ';;', 'x'.repeat(300)),
					}),
				),
				{ maxLength: 6 },
			),
			sizes: chunkSizes,
		}),
	);
	await fc.assert(
		fc.asyncProperty(form, async ({ delimiter, parts, sizes }) => {
			const { fields, files } = await readChunks(cut(encode(parts, delimiter), sizes), {
				boundary: delimiter,
				maxTextBytes: 200 * KIB,
			});
			const pairs = parts.map(({ name, filename: of, value }): Pair => [name, of ?? Buffer.from(value).toString()]);
			expect(fields).toEqual(gathered(pairs));
			expect(files).toEqual(parts.filter((sent) => sent.filename !== undefined).map(fileOf));
		}),
		{ numRuns: 150 },
	);
}, 60_000);

test('an empty file may omit the line end before the boundary', async () => {
	const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="empty"\r\n\r\n`;
	const body = Buffer.from(head + part('form-data; name="a"', 'v') + CLOSING);
	for (const size of [1, 7, 100_000]) {
		const { fields, files } = await readChunks(cut(body, [size]));
		expect(fields).toEqual([
			{ name: 'f', json: '"empty"' },
			{ name: 'a', json: '"v"' },
		]);
		expect(files.map(({ bytes }) => bytes.length)).toEqual([0]);
	}
});

test.each([
	[`filename="a%22.txt"; filename*=utf-8''a%2522.txt`, 'a%22.txt'],
	["filename*=UTF-8''100%25%E2%82%AC.txt", '100%€.txt'],
	[`filename="a%22.txt"; filename*=iso-8859-1''%E4.txt`, 'a".txt'],
	[`filename*=utf-8''%E4.txt; filename="a.txt"`, 'a.txt'],
	["filename*=utf-8''%E4.txt", "utf-8''%E4.txt"],
	// The byte alone is not UTF-8.
	['filename="\xe9.txt"; filename*=utf-8\'\'%C3%A9.txt', 'é.txt'],
	['filename="\xe9.txt"; filename*=utf-8\'\'%C3%83%C2%A9.txt', 'Ã©.txt'],
])('an extended name stands for itself, and comes first if it can be read: %s', async (sent, filename) => {
	const body = part(`form-data; name="cv"; ${sent}`, 'x') + CLOSING;
	const { files } = await readChunks([Buffer.from(body, 'latin1')]);
	expect(files.map((file) => file.filename)).toEqual([filename]);
});

test('a body that was cut, changed or mixed up is judged alike, however it is cut into chunks', async () => {
	const file = (name: string, bytes: number) =>
		part(`form-data; name="f"; filename="${name}"\r\nContent-Type: application/pdf`, 'x'.repeat(bytes));
	const piece = fc.oneof(
		fc.integer({ min: 0, max: 400 }).map((bytes) => part('form-data; name="a"', 'x'.repeat(bytes))),
		fc.integer({ min: 0, max: 400 }).map((bytes) => file(bytes % 3 === 0 ? '' : 'f.txt', bytes)),
		fc.constantFrom(
			'\r\n',
			' ',
			`--${BOUNDARY}`,
			'\r\n\r\n',
			CLOSING,
			'-',
			'X: y\r\n'.repeat(2000),
			' '.repeat(1030),
			'\xff',
		),
	);
	await fc.assert(
		fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.boolean(), chunkSizes, async (pieces, isClosed, sizes) => {
			const body = Buffer.from(pieces.join('') + (isClosed ? CLOSING : ''), 'latin1');
			expect(await outcomeOf(cut(body, sizes))).toEqual(await outcomeOf([body]));
		}),
		{ numRuns: 150 },
	);
}, 60_000);

const text = (name: string, bytes: number) => part(`form-data; name="${name}"`, 'x'.repeat(bytes));

test.each([
	['one field as large as may be', text('a', 1000) + CLOSING, 'taken'],
	['one byte more', text('a', 1001) + CLOSING, tooMuch],
	['many fields as large as may be', text('a', 10).repeat(100) + CLOSING, 'taken'],
	['many fields of one byte more', text('a', 10).repeat(100) + text('b', 1) + CLOSING, tooMuch],
	['nothing but frames', text('a', 0).repeat(100) + CLOSING, 'taken'],
	['a body that never ends', text('a', 100_000).slice(0, -2), tooMuch],
	[
		'more fields than may be',
		text('a', 0).repeat(1001) + CLOSING,
		'PAYLOAD_TOO_LARGE: A submission may have at most 1000 fields.',
	],
	[
		'headers that never end',
		`--${BOUNDARY}\r\n${'X: y\r\n'.repeat(10_000)}`,
		'PAYLOAD_TOO_LARGE: The headers of one part may have at most 8192 characters.',
	],
	['headers that hold the text', part(`form-data; name="a"\r\nX-Text: ${'x'.repeat(2000)}`, '') + CLOSING, tooMuch],
	[
		'a file of more bytes than text may have',
		part('form-data; name="a"; filename="a"', 'x'.repeat(5000)) + CLOSING,
		'taken',
	],
])('%s, in chunks of any size', async (_, body, wanted) => {
	for (const size of [1, 7, 50, 999, 100_000]) {
		const outcome = await outcomeOf(cut(Buffer.from(body), [size]));
		expect(typeof outcome === 'string' ? outcome : 'taken').toBe(wanted);
	}
});

test('a large file passes through in little memory, and is not copied where chunks allow', async () => {
	const size = 25 * KIB * KIB;
	const value = crypto.getRandomValues(new Uint8Array(64 * KIB));
	const head = Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n`);
	let bytes = 0;
	const hasher = new Bun.CryptoHasher('sha256');
	const reader = createMultipartReader(BOUNDARY, {
		limits: { ...LIMITS, maxTextBytes: MAX_TEXT },
		files: {
			begin: async () => 'f',
			async write(piece) {
				bytes += piece.length;
				hasher.update(piece);
			},
			end: async () => {},
		},
	});
	await reader.push(head);
	const wanted = new Bun.CryptoHasher('sha256');
	for (let sent = 0; sent < size; sent += value.length) {
		value[0] = sent;
		wanted.update(value);
		await reader.push(value);
		expect(reader.heldBytes()).toBeLessThan(BOUNDARY.length + 4);
	}
	await reader.push(Buffer.from(`\r\n${CLOSING}`));
	expect(reader.end()).toEqual([{ name: 'f', json: '"f"' }]);
	expect(bytes).toBe(size);
	expect(hasher.digest('hex')).toBe(wanted.digest('hex'));
});

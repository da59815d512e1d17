/** Multipart bodies with files for tests: any names, boundaries and bytes, cut into chunks of any size. */

import fc from 'fast-check';
import { BOUNDARY } from './bodies.ts';

const KIB = 1024;

export interface Sent {
	name: string;
	value: Uint8Array;
	filename?: string;
	type?: string;
}

export function* cut(body: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
	for (let at = 0, i = 0; at < body.length; i++) {
		const size = sizes[i % sizes.length] as number;
		yield body.subarray(at, at + size);
		at += size;
	}
}

const escaped = (name: string) => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** As browsers encode a form. */
export function encode(parts: readonly Sent[], boundary = BOUNDARY): Buffer {
	const pieces = parts.flatMap(({ name, value, filename, type }) => {
		const file = filename === undefined ? '' : `; filename="${escaped(filename)}"\r\nContent-Type: ${type}`;
		const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"${file}\r\n\r\n`;
		return [Buffer.from(head), value, Buffer.from('\r\n')];
	});
	return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

/** Well-formed texts: the escapes of the HTML standard cannot be told from the characters that they stand for. */
export const wellFormed = fc
	.string({ unit: 'binary', maxLength: 40 })
	.map((text) => text.toWellFormed())
	.filter((text) => !/%(?:22|0[ad])/i.test(text));
export const filename = fc.oneof(
	wellFormed,
	fc.constantFrom(
		'../../etc/passwd',
		'..\\..\\boot.ini',
		'CON',
		'nul.txt.',
		'a"b\r\nc.pdf',
		'\0',
		'\u202efdp.exe',
		'ملف.pdf',
	),
	fc.integer({ min: 1000, max: 5000 }).map((length) => `${'ä'.repeat(length)}.pdf`),
);
export const boundary = fc.oneof(
	fc.constant(BOUNDARY),
	fc.stringMatching(/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/),
	fc.constantFrom('-', '--', "'()+,./:=?", 'x'.repeat(70)),
);
/** Bytes with much in them that looks like the end of a part. */
export const bytesFor = (delimiter: string) =>
	fc
		.array(
			fc.oneof(
				fc.uint8Array({ maxLength: 50 }),
				fc.constantFrom('\r', '\n', '\r\n', '\r\n-', '\r\n--', '--').map((text) => Buffer.from(text)),
				fc.nat({ max: delimiter.length + 3 }).map((end) => Buffer.from(`\r\n--${delimiter}`.slice(0, end))),
			),
			{ maxLength: 12 },
		)
		.map((pieces) => Buffer.concat(pieces))
		.filter(
			(bytes) => !`\r\n${bytes.toString('latin1')}\r\n--${delimiter}`.slice(0, -1).includes(`\r\n--${delimiter}`),
		);
export const chunkSizes = fc.oneof(
	fc.constant([1]),
	fc.constant([64 * KIB]),
	fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 }),
);

/** Attachments of a mail: it is written with a gap for each, which is filled with the encoded file while it is sent. */

import type { Attachment } from './attachments.ts';

/** A line of base64 in a mail has 76 characters, of 57 bytes. */
const LINE_BYTES = 57;
const LINE_CHARACTERS = 76;
const LINE_END = '\r\n';
/** Whole lines, of nearly as many bytes as a stream holds of its own accord. */
const PIECE_BYTES = 840 * LINE_BYTES;

/** The stand-in for a file: one line of random bytes, which occurs nowhere else. */
export function newGap(): Buffer {
	return Buffer.from(crypto.getRandomValues(new Uint8Array(LINE_BYTES)));
}

/** @param written The mail with the gaps, encoded, in their order. */
export function filled(
	written: Buffer,
	{ gaps, attachments }: { gaps: readonly Buffer[]; attachments: readonly Attachment[] },
) {
	const parts: Buffer[] = [];
	let end = 0;
	for (const gap of gaps) {
		const at = written.indexOf(gap.toString('base64'), end);
		if (at === -1) throw new Error('an attachment has no place in it');
		parts.push(written.subarray(end, at));
		end = at + LINE_CHARACTERS;
	}
	const rest = written.subarray(end);
	const encoded = attachments.reduce((sum, { file }) => sum + encodedSize(file.bytes), 0);
	return {
		size: written.length - gaps.length * LINE_CHARACTERS + encoded,
		async *pieces(): AsyncGenerator<Uint8Array> {
			for (const [index, part] of parts.entries()) {
				yield part;
				yield* encode((attachments[index] as Attachment).read());
			}
			yield rest;
		},
	};
}

function encodedSize(bytes: number): number {
	const characters = 4 * Math.ceil(bytes / 3);
	return characters + LINE_END.length * Math.max(0, Math.ceil(characters / LINE_CHARACTERS) - 1);
}

/** In lines; the last one has no end. */
async function* encode(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	const piece = Buffer.allocUnsafe(PIECE_BYTES);
	let used = 0;
	let isFirst = true;
	const take = () => {
		const lines = isFirst ? [] : [''];
		for (let at = 0; at < used; at += LINE_BYTES)
			lines.push(piece.toString('base64', at, Math.min(at + LINE_BYTES, used)));
		isFirst = false;
		used = 0;
		return Buffer.from(lines.join(LINE_END), 'latin1');
	};
	for await (const chunk of chunks) {
		for (let at = 0; at < chunk.length; ) {
			const taken = Math.min(PIECE_BYTES - used, chunk.length - at);
			piece.set(chunk.subarray(at, at + taken), used);
			used += taken;
			at += taken;
			if (used === PIECE_BYTES) yield take();
		}
	}
	if (used > 0) yield take();
}

/** Streams in chunks of every size: joined exactly, within bounds, without blocking the event loop. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../src/errors.ts';
import { collectChunks } from '../../src/http/collect-chunks.ts';
import { rejectionOfAsync } from '../rejection.ts';

const admitAll = () => {};
const tooSmall = {
	code: 'INVALID_BODY',
	message: 'The body comes in too many small pieces; send it in chunks of at least 64 bytes.',
};

/** Returns one chunk per pull without waiting, and records whether it was cancelled. */
function streamOf(chunks: Iterable<Uint8Array>) {
	const iterator = chunks[Symbol.iterator]();
	const seen = { cancelled: false };
	const source: UnderlyingDefaultSource<Uint8Array> = {
		pull(controller) {
			const next = iterator.next();
			if (next.done) controller.close();
			else controller.enqueue(next.value);
		},
		cancel() {
			seen.cancelled = true;
		},
	};
	const body = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
	return { body, seen };
}

function* pieces(count: number, bytes: number): Generator<Uint8Array> {
	for (let i = 0; i < count; i++) yield new Uint8Array(bytes).fill(i);
}

test('the bytes come back unchanged, in chunks of any size', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 60 }), async (chunks) => {
			const totals: number[] = [];
			const bytes = await collectChunks(streamOf(chunks).body, (total) => totals.push(total));
			expect(Buffer.from(bytes)).toEqual(Buffer.concat(chunks));
			expect(totals).toHaveLength(chunks.length);
			expect(totals.at(-1) ?? 0).toBe(bytes.length);
		}),
	);
});

test('a single chunk is not copied', async () => {
	const chunk = Uint8Array.of(1, 2, 3);
	expect(await collectChunks(streamOf([chunk]).body, admitAll)).toBe(chunk);
});

test('of many small chunks only the bytes are kept', async () => {
	function* reused() {
		yield new Uint8Array(3);
		const chunk = new Uint8Array(3);
		for (let i = 1; i < 16_000; i++) yield chunk.fill(i);
	}
	const bytes = await collectChunks(streamOf(reused()).body, admitAll);
	expect(bytes).toEqual(Uint8Array.from({ length: 48_000 }, (_, i) => i / 3));
	expect(bytes.buffer.byteLength).toBeLessThanOrEqual(2 * 48_000);
});

test('the event loop runs other work while chunks keep coming', async () => {
	let turns = 0;
	let isReading = true;
	const count = () => {
		turns++;
		if (isReading) setImmediate(count);
	};
	setImmediate(count);
	await collectChunks(streamOf(pieces(1600, 1)).body, admitAll);
	isReading = false;
	expect(turns).toBeGreaterThanOrEqual(100);
});

test('very many chunks are rejected if they are very small, and only then', async () => {
	const { body, seen } = streamOf(pieces(1_000_000, 63));
	expect(await rejectionOfAsync(() => collectChunks(body, admitAll))).toEqual(tooSmall);
	expect(seen.cancelled).toBe(true);
	expect(await collectChunks(streamOf(pieces(16_384, 1)).body, admitAll)).toHaveLength(16_384);
	expect(await collectChunks(streamOf(pieces(16_385, 64)).body, admitAll)).toHaveLength(16_385 * 64);
});

test('an exception of admit ends the reading and cancels the stream', async () => {
	const { body, seen } = streamOf(pieces(100, 10));
	const full = new AppError('PAYLOAD_TOO_LARGE', 'That is enough.');
	const totals: number[] = [];
	const reading = collectChunks(body, (total) => {
		totals.push(total);
		if (total > 25) throw full;
	});
	expect(await reading.catch((error: unknown) => error)).toBe(full);
	expect(totals).toEqual([10, 20, 30]);
	expect(seen.cancelled).toBe(true);
});

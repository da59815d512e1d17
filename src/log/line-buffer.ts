/** Buffers log lines: collects them, writes them together, and counts the waiting bytes. */

const WRITE_AFTER_MS = 100;
const WRITE_AT_BYTES = 65_536;
/** Room for one more line after the one that triggers a write; nearly every line is shorter. */
const LONG_LINE_BYTES = 4096;

export interface LineBufferOptions {
	/** Writes one or more whole lines. Only `flush` calls it again before a returned promise has resolved. */
	write(lines: Uint8Array): unknown;
	/** Called after each write. */
	onWritten(): void;
}

export type LineBuffer = ReturnType<typeof createLineBuffer>;

export function createLineBuffer({ write, onWritten }: LineBufferOptions) {
	const encoder = new TextEncoder();
	/** The newest lines. */
	const newest = { bytes: new Uint8Array(0), length: 0 };
	/** Older lines. */
	let chunks: Uint8Array[] = [];
	/** Bytes of the chunks, and of the one being written. */
	let waitingBytes = 0;
	let isWriting = false;
	let timer: ReturnType<typeof setTimeout> | undefined;

	function closeChunk(): void {
		if (newest.length === 0) return;
		chunks.push(newest.bytes.slice(0, newest.length));
		waitingBytes += newest.length;
		newest.length = 0;
	}

	async function writeOut(): Promise<void> {
		clearTimeout(timer);
		timer = undefined;
		closeChunk();
		if (isWriting) return;
		isWriting = true;
		try {
			for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) {
				const taken = write(chunk);
				if (taken instanceof Promise) await taken;
				waitingBytes -= chunk.length;
				onWritten();
			}
		} finally {
			isWriting = false;
		}
	}

	/** Makes room for a line of `size` bytes in `newest`, into which the caller then writes it. */
	function reserve(size: number): void {
		const { bytes, length } = newest;
		if (length + size <= bytes.length) return;
		closeChunk();
		if (size > bytes.length) newest.bytes = new Uint8Array(Math.max(size, WRITE_AT_BYTES + LONG_LINE_BYTES));
	}

	/** Call this after writing a line into `newest`. */
	function added(): void {
		if (waitingBytes + newest.length >= WRITE_AT_BYTES && !isWriting) void writeOut();
		else timer ??= setTimeout(writeOut, WRITE_AFTER_MS).unref();
	}

	return {
		newest,
		reserve,
		added,
		add(line: string): void {
			const bytes = encoder.encode(line);
			reserve(bytes.length);
			newest.bytes.set(bytes, newest.length);
			newest.length += bytes.length;
			added();
		},
		/** Bytes added and not yet written. */
		waiting: () => waitingBytes + newest.length,
		/** Writes all lines now, or right after the write in progress. */
		writeOut: () => void writeOut(),
		/** Writes all lines, even while a write is in progress. Call it before the process ends. */
		flush(): void {
			clearTimeout(timer);
			timer = undefined;
			closeChunk();
			const last = chunks;
			chunks = [];
			for (const chunk of last) {
				waitingBytes -= chunk.length;
				write(chunk);
			}
		},
	};
}

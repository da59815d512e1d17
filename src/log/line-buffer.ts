/** Buffers log lines: collects them, writes them together, and counts the waiting bytes. */

const WRITE_AFTER_MS = 100;
const WRITE_AT_CHARACTERS = 65_536;

interface LineBufferOptions {
	/** Writes one or more whole lines. Only `flush` calls it again before a returned promise has resolved. */
	write(lines: Uint8Array): unknown;
	/** Called after each write. */
	onWritten(): void;
}

export function createLineBuffer({ write, onWritten }: LineBufferOptions) {
	const encoder = new TextEncoder();
	let waiting = '';
	/** Bytes that are being written. */
	let writing = 0;
	/** True if more is to be written once these are. */
	let isDue = false;
	let timer: ReturnType<typeof setTimeout> | undefined;

	function take(): Uint8Array {
		const lines = encoder.encode(waiting);
		waiting = '';
		return lines;
	}

	async function writeOut(): Promise<void> {
		clearTimeout(timer);
		timer = undefined;
		isDue = waiting !== '';
		if (writing > 0) return;
		try {
			while (isDue) {
				isDue = false;
				const lines = take();
				writing = lines.length;
				const taken = write(lines);
				if (taken instanceof Promise) await taken;
				onWritten();
			}
		} finally {
			writing = 0;
		}
	}

	return {
		add(line: string): void {
			waiting += line;
			if (waiting.length >= WRITE_AT_CHARACTERS) void writeOut();
			else timer ??= setTimeout(writeOut, WRITE_AFTER_MS).unref();
		},
		/** Bytes that are being written, and characters that were added since. */
		waiting: () => writing + waiting.length,
		/** Writes all lines now, or right after the write in progress. */
		writeOut: () => void writeOut(),
		/** Writes all lines, even while a write is in progress. Call it before the process ends. */
		flush(): void {
			if (waiting !== '') write(take());
		},
	};
}

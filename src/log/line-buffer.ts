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
	let newest = '';
	/** Older lines. */
	let chunks: Uint8Array[] = [];
	/** Bytes of the chunks, and of the one being written. */
	let waitingBytes = 0;
	let isWriting = false;
	let timer: ReturnType<typeof setTimeout> | undefined;

	function closeChunk(): void {
		clearTimeout(timer);
		timer = undefined;
		if (newest === '') return;
		const chunk = encoder.encode(newest);
		newest = '';
		chunks.push(chunk);
		waitingBytes += chunk.length;
	}

	async function writeOut(): Promise<void> {
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

	return {
		add(line: string): void {
			newest += line;
			if (newest.length >= WRITE_AT_CHARACTERS) void writeOut();
			else timer ??= setTimeout(writeOut, WRITE_AFTER_MS).unref();
		},
		/** Bytes added and not yet written; of the newest lines, their characters. */
		waiting: () => waitingBytes + newest.length,
		/** Writes all lines now, or right after the write in progress. */
		writeOut: () => void writeOut(),
		/** Writes all lines, even while a write is in progress. Call it before the process ends. */
		flush(): void {
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

/** Lines on their way out of the process: collected, written together, and counted for as long as they wait. */

const WRITE_AFTER_MS = 100;
const WRITE_AT_BYTES = 65_536;
/** Nearly every line fits in behind the last one with which it is time to write. */
const LONG_LINE_BYTES = 4096;

export interface LineBufferOptions {
	/** Takes one or more whole lines. For as long as a promise that it returned is open, it is given no others. */
	write(lines: Uint8Array): unknown;
	/** Called each time some were taken. */
	onTaken(): void;
}

export type LineBuffer = ReturnType<typeof createLineBuffer>;

export function createLineBuffer({ write, onTaken }: LineBufferOptions) {
	const encoder = new TextEncoder();
	/** The newest lines. */
	const newest = { bytes: new Uint8Array(0), length: 0 };
	/** Those before them. */
	let chunks: Uint8Array[] = [];
	/** Of the chunks, and of the one that is being taken. */
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
				onTaken();
			}
		} finally {
			isWriting = false;
		}
	}

	/** Makes room for a line of that many bytes behind `newest`, into which the caller then writes it. */
	function reserve(size: number): void {
		const { bytes, length } = newest;
		if (length + size <= bytes.length) return;
		closeChunk();
		if (size > bytes.length) newest.bytes = new Uint8Array(Math.max(size, WRITE_AT_BYTES + LONG_LINE_BYTES));
	}

	/** To be called after a line was written into `newest`. */
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
		/** How many bytes were added and not taken yet. */
		waiting: () => waitingBytes + newest.length,
		/** Writes what there is at once, unless lines before it are still being taken. */
		writeOut: () => void writeOut(),
		/** Writes what there is, whatever is being taken. To be called before the process ends: what waits does not keep it alive. */
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

/** Writes the JSON text of submissions: whole, or, if large, as a stream with one large submission in memory at a time. */

import type { ByteBudget } from '../byte-budget.ts';
import type { Streamed } from '../http/streamed.ts';
import type { Turns } from '../http/turns.ts';
import type { Storage } from '../storage/storage.ts';
import type { PageEntry } from '../storage/submission.ts';
import { presentAround, presentWith } from './present.ts';

export interface PageParts {
	formId: number;
	/** The text before and after the entries. */
	head: string;
	entries: readonly PageEntry[];
	tail: string;
}

export type JsonText = string | Streamed;

export interface PageWriterOptions {
	/** Accounts for large texts in memory. */
	budget: Pick<ByteBudget, 'take'>;
	/** Limits concurrent streams. */
	turns: Turns;
}

/** Up to this size a page is sent whole; nearly every page is smaller. */
const MAX_WHOLE_BYTES = 256 * 1024;
/** Small submissions of a large page are sent together, in chunks of this size. */
const PIECE_CHARACTERS = 64 * 1024;
/** Copies of a text in memory: SQLite's and ours. */
const COPIES = 2;
/** After waiting this long for memory, a stream breaks off. */
const MAX_WAIT_MS = 20_000;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

export function createPageWriter(storage: Pick<Storage, 'submissions' | 'clock'>, options: PageWriterOptions) {
	const { submissions, clock } = storage;
	const { budget, turns } = options;

	async function readText(formId: number, id: number): Promise<string | undefined> {
		const bytes = await submissions.text({ formId, id });
		return bytes && decoder.decode(bytes);
	}

	async function whole({ formId, head, entries, tail }: PageParts): Promise<string> {
		const texts: string[] = [];
		for (const entry of entries) {
			const data = typeof entry.data === 'string' ? entry.data : await readText(formId, entry.id);
			if (data !== undefined) texts.push(presentWith(data, entry, clock.timeline()));
		}
		return head + texts.join(',') + tail;
	}

	/** A submission that was removed since it was found is left out. */
	async function* stream({ formId, head, entries, tail }: PageParts): AsyncGenerator<Uint8Array> {
		let text = head;
		let separator = '';
		for (const entry of entries) {
			if (typeof entry.data === 'string') {
				text += separator + presentWith(entry.data, entry, clock.timeline());
				separator = ',';
				if (text.length < PIECE_CHARACTERS) continue;
				yield encoder.encode(text);
				text = '';
				continue;
			}
			const release = await budget.take(COPIES * entry.data, AbortSignal.timeout(MAX_WAIT_MS));
			try {
				const bytes = await submissions.text({ formId, id: entry.id });
				if (bytes === undefined) continue;
				const [before, after] = presentAround(entry, clock.timeline());
				yield encoder.encode(text + separator + before);
				yield bytes;
				text = after;
				separator = ',';
			} finally {
				release();
			}
			// A fast client would otherwise block the event loop for the whole page.
			await new Promise((resolve) => setImmediate(resolve));
		}
		yield encoder.encode(text + tail);
	}

	async function withFiles(entries: readonly PageEntry[]): Promise<readonly PageEntry[]> {
		const files = await submissions.files(entries.map(({ id }) => id));
		return entries.map((entry) => ({ ...entry, files: files.get(entry.id) }));
	}

	/**
	 * @param caller Whose concurrency limit a large page counts towards; without a caller there is no limit.
	 * @throws AppError UNAVAILABLE if a turn does not come in time
	 */
	return async (page: PageParts, caller?: string): Promise<JsonText> => {
		const hasFiles = await submissions.hasFiles(page.formId);
		const parts = hasFiles ? { ...page, entries: await withFiles(page.entries) } : page;
		let size = 0;
		// The characters of a small text are near enough to its bytes.
		for (const { data } of parts.entries) size += typeof data === 'string' ? data.length : data;
		if (size <= MAX_WHOLE_BYTES) return whole(parts);
		const end = caller === undefined ? () => {} : await turns.take(caller);
		return { chunks: stream(parts), end };
	};
}

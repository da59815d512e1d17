/** Writes the JSON text of submissions: whole, or, if large, as a stream with one large submission in memory at a time. */

import { ofFormOnly, presentAround, presentWith } from '../delivery/present-submission.ts';
import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import type { Streamed } from '../http/streamed.ts';
import { encodeId } from '../ids.ts';
import type { Storage } from '../storage/contract.ts';
import { NO_DATA } from '../storage/damage.ts';
import { createDamageCheck } from '../storage/damage-check.ts';
import type { PageEntry } from '../storage/submission.ts';
import type { ByteBudget } from '../tasks/byte-budget.ts';
import { checked } from '../tasks/checked-chunks.ts';

export interface PageParts {
	formId: number;
	/** True if the caller sees nothing of other forms. */
	isFormLevel?: boolean | undefined;
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
	turns: ConcurrencyLimit;
}

/** Up to this size a page is sent whole; nearly every page is smaller. */
const MAX_WHOLE_BYTES = 256 * 1024;
/** Small submissions of a large page are sent together, in chunks of this size. */
const PIECE_CHARACTERS = 64 * 1024;
/** Copies of a text in memory: SQLite's, ours, and what it is checked as. */
const COPIES = 4;
/** After waiting this long for memory, a stream breaks off. */
const MAX_WAIT_MS = 20_000;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

export function createPageWriter(
	storage: Pick<Storage, 'submissions' | 'clock' | 'findFormId' | 'findings'>,
	options: PageWriterOptions,
) {
	const { submissions, clock, findFormId } = storage;
	const damage = createDamageCheck(storage);
	const { budget, turns } = options;

	/** A large text, and its submission as it is to be shown with it. */
	async function readLarge(
		formId: number,
		entry: PageEntry,
	): Promise<{ bytes: Uint8Array; shown: PageEntry } | undefined> {
		const bytes = await submissions.text({ formId, id: entry.id });
		if (!bytes) return undefined;
		const shown = damage.withText(entry, bytes);
		return { bytes: shown.isDamaged ? encoder.encode(NO_DATA) : bytes, shown };
	}

	async function inOne({ formId, head, entries, tail }: PageParts): Promise<string> {
		const texts: string[] = [];
		for (const entry of entries) {
			if (typeof entry.data === 'string') texts.push(presentWith(entry.data, entry, clock.timeline()));
			else {
				const large = await readLarge(formId, entry);
				if (large) texts.push(presentWith(decoder.decode(large.bytes), large.shown, clock.timeline()));
			}
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
				const large = await readLarge(formId, entry);
				if (!large) continue;
				const [before, after] = presentAround(large.shown, clock.timeline());
				yield encoder.encode(text + separator + before);
				yield large.bytes;
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
		const whole = await damage.rows(page.formId, page.entries);
		const entries = page.isFormLevel ? whole.map(ofFormOnly) : whole;
		const hasFiles = await submissions.hasFiles(page.formId);
		const parts = { ...page, entries: hasFiles ? await withFiles(entries) : entries };
		let size = 0;
		// The characters of a small text are near enough to its bytes.
		for (const { data } of parts.entries) size += typeof data === 'string' ? data.length : data;
		if (size <= MAX_WHOLE_BYTES) return inOne(parts);
		const end = caller === undefined ? () => {} : await turns.take(caller);
		return { chunks: checked(stream(parts), () => findFormId(encodeId(page.formId))), end };
	};
}

/** Puts a count of field names, made beside the writer, in the place of the list. */

import type { Database } from 'bun:sqlite';
import { lazy } from '../../tasks/lazy.ts';
import { namesOf } from '../rows.ts';
import type { FormIndex } from './form-index.ts';
import type { NameCounter } from './name-count.ts';
import { inTransaction, type Writer } from './writer.ts';

/** Submissions since the count that are counted inside the transaction, and how many bytes one of them may have. */
const MAX_LATEST = { count: 50, bytes: 64 * 1024 };

interface Relisting {
	isSpam: boolean;
	/** Version of the list when the count began; see {@link FormIndex}. */
	version: number;
	fromId: number;
	counter: NameCounter;
}

export type NameRelisting = ReturnType<typeof createNameRelisting>;

export function createNameRelisting(client: Database, { writer, index }: { writer: Writer; index: FormIndex }) {
	const latestData = lazy(() =>
		client.prepare(
			`select iif(octet_length(data) <= ${MAX_LATEST.bytes}, data, null) from submissions
				where form_id = ? and id >= ? and is_spam = ? order by id limit ${MAX_LATEST.count + 1}`,
		),
	);
	const form = lazy(() => client.prepare('select id from forms where id = ? and deleted_at is null'));

	/** `undefined` if they are too many for a transaction. */
	function namesSince(formId: number, { isSpam, fromId }: Relisting): string[] | undefined {
		const rows = latestData().values(formId, fromId, isSpam ? 1 : 0) as [string | null][];
		if (rows.length > MAX_LATEST.count || rows.some(([data]) => data === null)) return undefined;
		return rows.flatMap(([data]) => namesOf(data as string));
	}

	/** Returns whether the list is as it should be, or will not become so by this count. */
	function relistNow(formId: number, relisting: Relisting): boolean {
		const { isSpam, version, counter } = relisting;
		// Names of a form that is gone could not be written, and the whole commit would fail.
		if (index.staleNames(formId, isSpam) !== version || form().values(formId).length === 0) return true;
		const since = namesSince(formId, relisting);
		if (!since) return false;
		const whole = counter.copy();
		whole.add(since.map((name) => [name, 1] as const));
		index.relistNames(formId, { isSpam, counts: whole.counts, isPartial: whole.isPartial });
		return true;
	}

	return {
		/** Resolves once everything that was enqueued before is on disk. */
		committed: () =>
			new Promise<void>((resolve, reject) => {
				writer.enqueue({ compound: false, run: () => {}, resolve, reject });
			}),
		/**
		 * Lists a form's field names by what was counted of its submissions before `fromId`; the few since are counted here.
		 * Resolves with `false` if they are too many for that. Nothing is done if the list is not of that version any more.
		 */
		relist: (formId: number, relisting: Relisting) => inTransaction(writer, () => relistNow(formId, relisting)),
	};
}

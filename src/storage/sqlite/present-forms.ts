/** Looks up the existing forms of a transaction, and how much they accept: once, however many submissions it holds. */

import type { Database } from 'bun:sqlite';
import { FormGone } from '../errors.ts';

export type PresentForms = ReturnType<typeof createPresentForms>;

export function createPresentForms(client: Database) {
	const select = client.prepare('select max_submissions from forms where id = ? and deleted_at is null');
	const found = new Map<number, number | null>();
	return {
		/**
		 * How many submissions a form takes, `null` for any number. To be called inside the writer's transaction.
		 * @throws FormGone if the form was deleted
		 */
		maxSubmissions(formId: number): number | null {
			const known = found.get(formId);
			if (known !== undefined) return known;
			const [row] = select.values(formId) as [number | null][];
			if (!row) throw new FormGone('The form was deleted in the meantime.');
			found.set(formId, row[0]);
			return row[0];
		},
		/** To be called when a transaction begins, and before what may change forms in it. */
		forget(): void {
			found.clear();
		},
	};
}

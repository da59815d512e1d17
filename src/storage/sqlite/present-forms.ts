/** Which forms are there for what is being stored: looked up once in a transaction, however many submissions it holds. */

import type { Database } from 'bun:sqlite';
import { FormGone } from '../errors.ts';

export type PresentForms = ReturnType<typeof createPresentForms>;

export function createPresentForms(client: Database) {
	const select = client.prepare('select 1 from forms where id = ? and deleted_at is null');
	const found = new Set<number>();
	return {
		/** To be called inside the writer's transaction. @throws FormGone if the form was deleted */
		check(formId: number): void {
			if (found.has(formId)) return;
			if (select.values(formId).length === 0) {
				throw new FormGone('The form was deleted in the meantime.');
			}
			found.add(formId);
		},
		/** To be called when a transaction begins, and before what may change forms in it. */
		forget(): void {
			found.clear();
		},
	};
}

/** Finds the form that a request names. One that was deleted, or is of another mode, does not exist. */

import { and, eq, isNull, sql } from 'drizzle-orm';
import { rowId } from '../ids.ts';
import { lazy } from '../tasks/lazy.ts';
import type { Db } from './contract.ts';
import { FormGone } from './errors.ts';
import { type FormRow, forms, type Mode } from './tables.ts';

export function createFindForm(db: Db) {
	const selectById = lazy(() =>
		db
			.select()
			.from(forms)
			.where(and(eq(forms.id, sql.placeholder('id')), isNull(forms.deletedAt)))
			.prepare(),
	);

	return async function findForm(id: string, mode?: Mode): Promise<FormRow> {
		const [form] = await selectById().execute({ id: rowId(id) });
		if (!form || (mode && form.mode !== mode)) throw new FormGone();
		return form;
	};
}

/** Finds the form that a request names. One that was deleted, or is of another mode, does not exist. */

import { and, eq, isNull, sql } from 'drizzle-orm';
import { rowId } from '../ids.ts';
import { lazy } from '../tasks/lazy.ts';
import type { Db, Storage } from './contract.ts';
import { FormGone } from './errors.ts';
import { type FormRow, forms, type Mode } from './tables.ts';

export function createFindForm(db: Db): Pick<Storage, 'findForm' | 'findFormId'> {
	const isNamed = and(eq(forms.id, sql.placeholder('id')), isNull(forms.deletedAt));
	const select = lazy(() => db.select().from(forms).where(isNamed).prepare());
	const selectId = lazy(() => db.select({ id: forms.id, mode: forms.mode }).from(forms).where(isNamed).prepare());

	function existing<Row extends Pick<FormRow, 'mode'>>([form]: Row[], mode?: Mode): Row {
		if (!form || (mode && form.mode !== mode)) throw new FormGone();
		return form;
	}

	return {
		findForm: async (id, mode) => existing(await select().execute({ id: rowId(id) }), mode),
		findFormId: async (id, mode) => existing(await selectId().execute({ id: rowId(id) }), mode).id,
	};
}

/** The forms of form-level keys: those that a new key names, and those of stored keys. */

import { and, asc, eq, isNull, or } from 'drizzle-orm';
import { AppError, invalidField } from '../errors.ts';
import { encodeId, rowId } from '../ids.ts';
import type { Storage } from '../storage/contract.ts';
import { type ApiKeyRow, keyForms } from '../storage/session-tables.ts';
import { type FormRow, forms, type Mode, type Permission } from '../storage/tables.ts';
import { FORM_KEY_PERMISSIONS, KEY_FORMS_MAX } from './bounds.ts';

interface Wanted {
	forms?: readonly string[];
	permissions: readonly Permission[];
	mode: Mode;
	isModeStrict?: boolean;
}

export type KeyForms = ReturnType<typeof createKeyForms>;

export function createKeyForms(storage: Pick<Storage, 'db'>) {
	async function findForm(idOrSlug: string): Promise<FormRow | undefined> {
		const id = rowId(idOrSlug);
		const byIdOrSlug = or(eq(forms.id, id), eq(forms.slug, idOrSlug.toLowerCase()));
		const found = await storage.db
			.select()
			.from(forms)
			.where(and(byIdOrSlug, isNull(forms.deletedAt)));
		return found.find((form) => form.id === id) ?? found[0];
	}

	return {
		/** The public ids of the forms of form-level keys, by key, in the order in which the forms were made. */
		async of(rows: readonly ApiKeyRow[]): Promise<Map<number, string[]>> {
			const own = rows.filter(({ formId }) => formId !== null);
			if (own.length === 0) return new Map();
			const { keyId, formId } = keyForms;
			const only = rows.length === 1 ? eq(keyId, rows[0]?.id ?? -1) : undefined;
			const several = await storage.db.select({ keyId, formId }).from(keyForms).where(only).orderBy(asc(formId));
			const byKey = Map.groupBy(several, (row) => row.keyId);
			return new Map(
				own.map(({ id, formId: first }) => [
					id,
					(byKey.get(id)?.map((row) => row.formId) ?? [first as number]).map(encodeId),
				]),
			);
		},
		/** The forms that a new key is for, each once, in the order in which they were made. @throws AppError VALIDATION_ERROR, FORM_NOT_FOUND */
		async find({ forms: named, permissions, mode, isModeStrict }: Wanted): Promise<FormRow[]> {
			if (named === undefined) return [];
			if (named.length < 1 || named.length > KEY_FORMS_MAX) {
				throw invalidField('forms', 'INVALID_VALUE', `forms must name 1 to ${KEY_FORMS_MAX} forms.`);
			}
			if (permissions.some((one) => !FORM_KEY_PERMISSIONS.includes(one))) {
				const may = FORM_KEY_PERMISSIONS.join(', ');
				throw invalidField('permissions', 'INVALID_VALUE', `A form-level key may have any of ${may}.`);
			}
			const found = new Map<number, FormRow>();
			for (const idOrSlug of named) {
				const form = await findForm(idOrSlug);
				const [first = form] = found.values();
				if (!form || (isModeStrict && form.mode !== mode)) {
					throw new AppError('FORM_NOT_FOUND', `There is no form "${idOrSlug}".`);
				}
				if (form.mode !== first?.mode) {
					throw invalidField('forms', 'CONFLICT', 'forms must be all live or all test forms: a key has one mode.');
				}
				found.set(form.id, form);
			}
			return [...found.values()].sort((a, b) => a.id - b.id);
		},
	};
}

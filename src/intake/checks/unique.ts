/** Rejects a submission with a value that another one of its form has, or lets it go without storing it. */

import { and, eq, inArray } from 'drizzle-orm';
import { notUnique } from '../../field-rules/check.ts';
import { createUniqueValues, type UniqueValue } from '../../forms/unique-values.ts';
import type { Storage } from '../../storage/contract.ts';
import type { FormRow } from '../../storage/tables.ts';
import { uniqueValues } from '../../storage/unique-table.ts';
import type { Content } from '../body/content.ts';
import { FieldsRejected } from './field-rules.ts';

/** Its form keeps the first submission with a value, and its sender sees the usual success. */
export class FirstKept extends Error {}

export function createUniqueCheck(storage: Storage) {
	const { valuesOf } = createUniqueValues(storage);

	async function heldOf(formId: number, values: readonly UniqueValue[]): Promise<Set<string>> {
		const { hash } = uniqueValues;
		const hashes = values.map((value) => value.hash);
		const rows = await storage.db
			.select({ hash })
			.from(uniqueValues)
			.where(and(eq(uniqueValues.formId, formId), inArray(hash, hashes), eq(uniqueValues.isHeld, true)));
		return new Set(rows.map((row) => row.hash));
	}

	return {
		/** Returns what no other submission may have. */
		valuesOf: (form: FormRow, { data }: Content): Promise<UniqueValue[]> => valuesOf(form, data),
		/**
		 * The cheap look, so that no captcha is used up in vain; the engine decides, where it stores.
		 * @returns whether the form keeps another one in its place
		 * @throws FieldsRejected
		 */
		async isSpare(formId: number, values: readonly UniqueValue[], content: Content): Promise<boolean> {
			if (values.length === 0) return false;
			const held = await heldOf(formId, values);
			const faulty = values.filter(({ hash }) => held.has(hash)).map(({ rule }) => rule);
			// It is not stored anyway: there is nothing to correct.
			if (faulty.some(({ onDuplicate }) => onDuplicate === 'keepFirst')) return true;
			if (faulty.length > 0) throw new FieldsRejected(faulty.map(notUnique), content);
			return false;
		},
	};
}

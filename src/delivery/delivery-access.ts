/** Which deliveries can be reached: those of forms that are there, of one mode if one is given. */

import { and, eq, exists, inArray, isNull, type SQL } from 'drizzle-orm';
import { AppError } from '../errors.ts';
import { decodeId } from '../ids.ts';
import type { Storage } from '../storage/storage.ts';
import { type DeliveryRow, deliveries, forms, type Mode } from '../storage/tables.ts';

/**
 * Spelled so that pages come from an index however many deliveries there are: row by row where most rows will do, by
 * form where few will, as in the test world.
 */
export function isReachable({ db }: Storage, mode?: Mode): SQL {
	const isThere = and(isNull(forms.deletedAt), mode && eq(forms.mode, mode));
	const there = db.select({ id: forms.id }).from(forms);
	if (mode === 'test') return inArray(deliveries.formId, there.where(isThere));
	return exists(there.where(and(eq(forms.id, deliveries.formId), isThere)));
}

/** @throws AppError NOT_FOUND */
export async function findDelivery(storage: Storage, { id, mode }: { id: string; mode?: Mode }): Promise<DeliveryRow> {
	const isIt = and(eq(deliveries.id, decodeId(id) ?? -1), isReachable(storage, mode));
	const [row] = await storage.db.select().from(deliveries).where(isIt);
	if (!row) throw new AppError('NOT_FOUND', 'There is no such delivery.');
	return row;
}

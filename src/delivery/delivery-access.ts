/** The deliveries that an owner can reach: those of existing forms, of one mode if one is given. */

import { and, eq, exists, inArray, isNull, type SQL } from 'drizzle-orm';
import { AppError } from '../errors.ts';
import { decodeId } from '../ids.ts';
import type { Storage } from '../storage/contract.ts';
import { type DeliveryRow, deliveries, forms, type Mode } from '../storage/tables.ts';

/**
 * Written so that an index provides every page: checked row by row where most rows match, selected by form where few
 * do, as in test mode.
 */
export function reachable({ db }: Storage, mode?: Mode): SQL {
	const existing = and(isNull(forms.deletedAt), mode && eq(forms.mode, mode));
	const reachableForms = db.select({ id: forms.id }).from(forms);
	if (mode === 'test') return inArray(deliveries.formId, reachableForms.where(existing));
	return exists(reachableForms.where(and(eq(forms.id, deliveries.formId), existing)));
}

/** @throws AppError NOT_FOUND */
export async function findDelivery(storage: Storage, { id, mode }: { id: string; mode?: Mode }): Promise<DeliveryRow> {
	const byId = and(eq(deliveries.id, decodeId(id) ?? -1), reachable(storage, mode));
	const [row] = await storage.db.select().from(deliveries).where(byId);
	if (!row) throw new AppError('NOT_FOUND', 'There is no such delivery.');
	return row;
}

/** Removes the rows of deleted forms, and frees the slugs of those deleted long ago. */

import { eq, isNotNull } from 'drizzle-orm';
import type { Storage } from '../storage/contract.ts';
import { forms } from '../storage/tables.ts';
import { inChunks, type Pause } from '../tasks/in-chunks.ts';
import { expireReservations } from './former-slugs.ts';

const CHUNK = 250;

/** In chunks, so that requests need not wait. It can stop at any pause and start again. */
export async function sweepForms(
	storage: Pick<Storage, 'batch' | 'clock' | 'db' | 'submissions'>,
	{ pause, now = Date.now }: { pause: Pause; now?: () => number },
): Promise<void> {
	await storage.batch((tx) => [expireReservations(tx, storage.clock, now())]);
	const rows = await storage.db.select({ id: forms.id }).from(forms).where(isNotNull(forms.deletedAt));
	for (const { id } of rows) {
		if (!(await inChunks(() => storage.submissions.sweep(id, CHUNK), pause))) return;
		await storage.batch((tx) => [tx.delete(forms).where(eq(forms.id, id))]);
	}
}

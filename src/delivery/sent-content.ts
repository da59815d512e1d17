/** Deletes the content of deliveries sent long ago; the deliveries themselves stay. */

import { and, asc, inArray, isNotNull, lt } from 'drizzle-orm';
import type { Storage } from '../storage/contract.ts';
import { deliveries } from '../storage/tables.ts';
import { DAY_MS } from '../tasks/durations.ts';
import { inChunks, type Pause } from '../tasks/in-chunks.ts';

const KEPT_MS = 30 * DAY_MS;
const CHUNK = 500;

export async function expireSentContent(
	{ db, batch }: Pick<Storage, 'batch' | 'db'>,
	{ pause, now = Date.now }: { pause: Pause; now?: () => number },
): Promise<void> {
	const expired = and(isNotNull(deliveries.content), lt(deliveries.finishedAt, now() - KEPT_MS));
	await inChunks(async () => {
		const rows = await db
			.select({ id: deliveries.id })
			.from(deliveries)
			.where(expired)
			.orderBy(asc(deliveries.finishedAt))
			.limit(CHUNK);
		if (rows.length === 0) return false;
		const ids = rows.map(({ id }) => id);
		await batch((tx) => [tx.update(deliveries).set({ content: null }).where(inArray(deliveries.id, ids))]);
		return rows.length === CHUNK;
	}, pause);
}

/** Deletes the content of deliveries sent long ago; the deliveries themselves stay, but for those about a submission that is gone. */

import { and, asc, eq, gt, gte, inArray, isNotNull, lt, or } from 'drizzle-orm';
import type { Storage } from '../storage/contract.ts';
import { type DeliveryRow, deliveries } from '../storage/tables.ts';
import { inChunks, type Pause } from '../tasks/in-chunks.ts';

export const SENT_CONTENT_DAYS = 30;
const CHUNK = 500;

/**
 * @param before Milliseconds since 1970.
 * @param formId Only of this form.
 * @returns Whether it came to its end.
 */
export async function expireSentContent(
	{ db, batch }: Pick<Storage, 'batch' | 'db'>,
	{ pause, before, formId }: { pause: Pause; before: number; formId?: number },
): Promise<boolean> {
	const { id, channel, submissionId } = deliveries;
	let after = { finishedAt: 0, id: 0 };
	return inChunks(async () => {
		const rows = await db
			.select({ id, formId: deliveries.formId, channel, submissionId, finishedAt: deliveries.finishedAt })
			.from(deliveries)
			.where(and(isNotNull(deliveries.content), lt(deliveries.finishedAt, before), isBehind(after)))
			.orderBy(asc(deliveries.finishedAt), asc(deliveries.id))
			.limit(CHUNK);
		const last = rows.at(-1);
		if (last) after = { finishedAt: last.finishedAt ?? 0, id: last.id };
		const due = rows.filter((row) => formId === undefined || row.formId === formId);
		if (due.length > 0) {
			const { gone = [], kept = [] } = Object.groupBy(due, (row) => (isAboutGone(row) ? 'gone' : 'kept'));
			const among = (some: typeof due) =>
				inArray(
					id,
					some.map((row) => row.id),
				);
			await batch((tx) => [
				tx.delete(deliveries).where(among(gone)),
				tx.update(deliveries).set({ content: null }).where(among(kept)),
			]);
		}
		return rows.length === CHUNK;
	}, pause);
}

/** No submission takes them with it, so that they would stay for ever. */
const isAboutGone = ({ channel, submissionId }: Pick<DeliveryRow, 'channel' | 'submissionId'>): boolean =>
	channel === 'webhook' && submissionId === null;

/** Those of other forms stay, so that a chunk begins behind the one before. */
function isBehind({ finishedAt, id }: { finishedAt: number; id: number }) {
	const isSame = and(eq(deliveries.finishedAt, finishedAt), gt(deliveries.id, id));
	return and(gte(deliveries.finishedAt, finishedAt), or(gt(deliveries.finishedAt, finishedAt), isSame));
}

/** Deletes what forms no longer keep by their `retention`, and says what goes next. */

import { and, asc, eq, isNotNull, isNull, lt } from 'drizzle-orm';
import type { RetentionRules } from '../form-values/retention-rules.ts';
import type { Storage } from '../storage/contract.ts';
import type { Filter } from '../storage/filters.ts';
import { deliveries, files, forms } from '../storage/tables.ts';
import { DAY_MS } from '../tasks/durations.ts';
import { inChunks, type Pause } from '../tasks/in-chunks.ts';

const CHUNK = 200;

type RetentionStorage = Pick<Storage, 'batch' | 'clock' | 'db' | 'submissions'>;

interface RetainedForm {
	id: number;
	retention: RetentionRules | null;
}

/** Which submissions go after how many days. */
function limitsOf({ days, spamDays }: RetentionRules): { filter: Filter; days: number }[] {
	const ofSpam = spamDays ?? days;
	return [
		...(days === null ? [] : [{ filter: 'all' as const, days }]),
		...(ofSpam === null ? [] : [{ filter: 'spam' as const, days: ofSpam }]),
	];
}

/**
 * Deletes submissions, files and kept mails that are older than their form keeps them. In chunks; it can stop at any pause and
 * start again. For a settled clock only: a deletion is final.
 */
export async function applyRetention(
	storage: RetentionStorage,
	{ pause, now }: { pause: Pause; now: number },
): Promise<void> {
	const rows: RetainedForm[] = await storage.db
		.select({ id: forms.id, retention: forms.retention })
		.from(forms)
		.where(and(isNotNull(forms.retention), isNull(forms.deletedAt)));
	for (const { id: formId, retention } of rows) {
		if (retention === null) continue;
		for (const { filter, days } of limitsOf(retention)) {
			const beforeId = idOf(storage, now - days * DAY_MS);
			const deleteSome = async () => {
				const ids = await storage.submissions.ids({ formId, filter, beforeId }, { order: 'asc', limit: CHUNK });
				if (ids.length > 0) await storage.submissions.remove(formId, ids);
				return ids.length === CHUNK;
			};
			if (!(await inChunks(deleteSome, pause))) return;
		}
		if (retention.days !== null) await forgetMails(storage, formId, now - retention.days * DAY_MS);
		if (retention.filesDays !== null) {
			const beforeId = idOf(storage, now - retention.filesDays * DAY_MS);
			if (!(await inChunks(() => dropSomeFiles(storage, formId, beforeId), pause))) return;
		}
	}
}

/** The lowest id that is younger than a moment. */
function idOf({ clock }: Pick<Storage, 'clock'>, millis: number): number {
	return clock.timeline().firstIdAfter(millis);
}

/** A digest shows many submissions, and goes with none of them. */
async function forgetMails({ batch }: RetentionStorage, formId: number, before: number): Promise<void> {
	const isOld = and(eq(deliveries.formId, formId), isNotNull(deliveries.content), lt(deliveries.finishedAt, before));
	await batch((tx) => [tx.update(deliveries).set({ content: null }).where(isOld)]);
}

/** @returns Whether there may be more. */
async function dropSomeFiles(
	{ db, submissions }: RetentionStorage,
	formId: number,
	beforeId: number,
): Promise<boolean> {
	const rows = await db
		.selectDistinct({ id: files.submissionId })
		.from(files)
		.where(and(eq(files.formId, formId), isNotNull(files.key), lt(files.submissionId, beforeId)))
		.orderBy(asc(files.submissionId))
		.limit(CHUNK);
	if (rows.length > 0)
		await submissions.dropFiles(
			formId,
			rows.map(({ id }) => id),
		);
	return rows.length === CHUNK;
}

/** When submissions are deleted next, at the earliest, and how many are by a day after that. */
export interface NextDeletion {
	at: string;
	count: number;
}

/** @returns `null` if the form keeps everything, or has nothing to delete */
export async function nextDeletion(
	storage: RetentionStorage,
	{ id, retention }: RetainedForm,
): Promise<NextDeletion | null> {
	if (retention === null) return null;
	const timeline = storage.clock.timeline();
	const queues = await Promise.all(
		limitsOf(retention).map(async ({ filter, days }) => {
			const [oldest] = await storage.submissions.ids({ formId: id, filter }, { order: 'asc', limit: 1 });
			return {
				filter,
				days,
				at: oldest === undefined ? Number.POSITIVE_INFINITY : timeline.millisOf(oldest) + days * DAY_MS,
			};
		}),
	);
	const at = Math.min(...queues.map((queue) => queue.at));
	if (!Number.isFinite(at)) return null;
	const counts = await Promise.all(
		queues.map(({ filter, days }) => {
			const end = timeline.firstIdAfter(at + DAY_MS - days * DAY_MS);
			return storage.submissions.count({ formId: id, filter, beforeId: end });
		}),
	);
	return { at: new Date(at).toISOString(), count: counts.reduce((sum, count) => sum + count, 0) };
}

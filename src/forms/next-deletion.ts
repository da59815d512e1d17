/** Says which submissions a form deletes next by its `retention`. */

import type { RetentionRules } from '../form-values/retention-rules.ts';
import type { Storage } from '../storage/contract.ts';
import type { Filter } from '../storage/filters.ts';
import { DAY_MS } from '../tasks/durations.ts';

type NextStorage = Pick<Storage, 'clock' | 'submissions'>;

/** Which submissions go after how many days. */
export function limitsOf({ days, spamDays }: RetentionRules): { filter: Filter; days: number }[] {
	const ofSpam = spamDays ?? days;
	return [
		...(days === null ? [] : [{ filter: 'all' as const, days }]),
		...(ofSpam === null ? [] : [{ filter: 'spam' as const, days: ofSpam }]),
	];
}

/** When submissions are deleted next, at the earliest, and how many are by a day after that. */
export interface NextDeletion {
	at: string;
	count: number;
}

interface Keeping {
	id: number;
	retention: RetentionRules | null;
}

/** @returns `null` if the form keeps everything, has nothing to delete, or cannot be read now */
export async function nextDeletion(storage: NextStorage, { id, retention }: Keeping): Promise<NextDeletion | null> {
	return retention && next(storage, id, retention).catch(() => null);
}

/** The same of each form; those that keep everything, as most do, are left out. */
export async function nextDeletions(
	storage: NextStorage,
	forms: readonly Keeping[],
): Promise<Map<number, NextDeletion | null>> {
	const limited = forms.filter(({ retention }) => retention);
	return new Map(await Promise.all(limited.map(async (form) => [form.id, await nextDeletion(storage, form)] as const)));
}

async function next(storage: NextStorage, formId: number, rules: RetentionRules): Promise<NextDeletion | null> {
	const timeline = storage.clock.timeline();
	const queues = await Promise.all(
		limitsOf(rules).map(async ({ filter, days }) => {
			const { rows } = await storage.submissions.list({ formId, filter, order: 'asc', limit: 1, offset: 0 });
			const [oldest] = rows;
			return { filter, days, at: oldest ? timeline.millisOf(oldest.id) + days * DAY_MS : Number.POSITIVE_INFINITY };
		}),
	);
	const at = Math.min(...queues.map((queue) => queue.at));
	if (!Number.isFinite(at)) return null;
	const counts = await Promise.all(
		queues.map(({ filter, days }) => {
			const end = timeline.firstIdAfter(at + DAY_MS - days * DAY_MS);
			return storage.submissions.count({ formId, filter, beforeId: end });
		}),
	);
	return { at: new Date(at).toISOString(), count: counts.reduce((sum, count) => sum + count, 0) };
}

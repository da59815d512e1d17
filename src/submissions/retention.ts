/** Deletes what forms no longer keep by their `retention`, and what waited in vain to be confirmed. */

import { and, asc, eq, gt, isNotNull, isNull, or, sql } from 'drizzle-orm';
import { expireSentContent, SENT_CONTENT_DAYS } from '../delivery/sent-content.ts';
import type { RetentionRules } from '../form-values/retention-rules.ts';
import { CONFIRMATION_DAYS } from '../form-values/visitor-mails.ts';
import { limitsOf } from '../forms/next-deletion.ts';
import type { Log } from '../log/log.ts';
import type { Storage } from '../storage/contract.ts';
import { PLACE } from '../storage/filters.ts';
import { presentOf } from '../storage/present.ts';
import { readServerValue, setServerValue } from '../storage/server-values.ts';
import { files, forms } from '../storage/tables.ts';
import { DAY_MS } from '../tasks/durations.ts';
import { inChunks, type Pause } from '../tasks/in-chunks.ts';

const CHUNK = 200;
/** How much further than the one before a pass goes at most: a wrong clock deletes no more until it is noticed. */
const STEP_MS = DAY_MS;
/** The name in the database under which the moment is kept that the last pass took for the present. */
const REACHED = 'retention';

type RetentionStorage = Pick<Storage, 'batch' | 'clock' | 'db' | 'isShared' | 'submissions'>;

const hasPending = sql`exists (select 1 from submissions where form_id = ${forms.id} and is_spam = ${PLACE.pending})`;

/**
 * Deletes submissions, files and kept mails that are older than their form keeps them, and pending submissions whose time to be
 * confirmed is over. In chunks; it can stop at any pause and
 * start again, and stops for a form whose rules change meanwhile. For a settled clock only: a deletion is final.
 * @returns The moment that it took for the present; `undefined` if it did not come to its end.
 */
export async function applyRetention(
	storage: RetentionStorage,
	{ pause, now, log }: { pause: Pause; now: number; log: Pick<Log, 'error'> },
): Promise<number | undefined> {
	const { db } = storage;
	const present = await nextPresent(storage, now);
	if (present === undefined) return undefined;
	const rows = await db
		.select({ id: forms.id, retention: forms.retention })
		.from(forms)
		.where(and(or(isNotNull(forms.retention), hasPending), isNull(forms.deletedAt)));
	for (const { id, retention } of rows) {
		try {
			if (!(await applyTo(storage, { formId: id, rules: retention, present, pause }))) return undefined;
		} catch (cause) {
			log.error('The deletion by age failed for a form; it is tried again in an hour.', { cause });
		}
	}
	return present;
}

/**
 * The moment that a pass takes for the present. It goes on by a day from pass to pass at most; `undefined` at the first, which only
 * notes where to begin.
 */
async function nextPresent(storage: RetentionStorage, now: number): Promise<number | undefined> {
	const { batch, db } = storage;
	const present = presentOf(storage, () => now);
	const reached = await readServerValue({ db }, REACHED);
	const next = reached === undefined ? present : Math.min(present, Number(reached) + STEP_MS);
	await batch((tx) => [setServerValue(tx, REACHED, String(next))]);
	return reached === undefined ? undefined : next;
}

interface Pass {
	formId: number;
	rules: RetentionRules | null;
	present: number;
	pause: Pause;
}

/** @returns Whether to go on with other forms. */
async function applyTo(storage: RetentionStorage, { formId, rules, present, pause }: Pass): Promise<boolean> {
	const { submissions } = storage;
	const ageOf = (days: number) => present - days * DAY_MS;
	const call = {};
	const idOf = (days: number) => storage.clock.timeline().firstIdAfter(ageOf(days));
	const pendingDays = Math.min(CONFIRMATION_DAYS, rules?.days ?? CONFIRMATION_DAYS);
	for (const { filter, days } of [
		{ filter: 'pending' as const, days: pendingDays },
		...(rules ? limitsOf(rules) : []),
	]) {
		const beforeId = idOf(days);
		const deleteSome = async () => {
			if (!(await isInForce(storage, formId, rules))) return false;
			const ids = await submissions.ids({ formId, filter, beforeId }, { order: 'asc', limit: CHUNK });
			if (ids.length > 0) await submissions.remove(formId, ids, { call });
			return ids.length === CHUNK;
		};
		if (!(await inChunks(deleteSome, pause))) return false;
	}
	if (rules === null) return true;
	const { days, filesDays } = rules;
	// A digest shows many submissions, and goes with none of them.
	if (
		days !== null &&
		days < SENT_CONTENT_DAYS &&
		!(await expireSentContent(storage, { pause, before: ageOf(days), formId }))
	)
		return false;
	return filesDays === null || dropFiles(storage, { formId, rules, pause, beforeId: idOf(filesDays) });
}

async function isInForce({ db }: RetentionStorage, formId: number, rules: RetentionRules | null): Promise<boolean> {
	const [row] = await db.select({ retention: forms.retention }).from(forms).where(eq(forms.id, formId));
	return row !== undefined && Bun.deepEquals(row.retention, rules);
}

/** Goes through the files of a form once, in the order of their ids; those of imported submissions are younger than these. */
async function dropFiles(
	storage: RetentionStorage,
	{ formId, rules, pause, beforeId }: Omit<Pass, 'present'> & { beforeId: number },
): Promise<boolean> {
	let after = 0;
	return inChunks(async () => {
		if (!(await isInForce(storage, formId, rules))) return false;
		const rows = await storage.db
			.select({ id: files.id, submissionId: files.submissionId, key: files.key })
			.from(files)
			.where(and(eq(files.formId, formId), gt(files.id, after)))
			.orderBy(asc(files.id))
			.limit(CHUNK);
		after = rows.at(-1)?.id ?? after;
		const old = rows.filter(({ key, submissionId }) => key !== null && submissionId < beforeId);
		const ids = [...new Set(old.map(({ submissionId }) => submissionId))];
		if (ids.length > 0) await storage.submissions.dropFiles(formId, ids);
		return rows.length === CHUNK;
	}, pause);
}

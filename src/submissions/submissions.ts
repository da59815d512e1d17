/** The owner's inbox: lists, reads, flags, exports and removes submissions. */

import { presentFlagged } from '../delivery/present-submission.ts';
import type { Retries } from '../delivery/retries.ts';
import { invalidField } from '../errors.ts';
import { encodeId, IDS_PER_MILLISECOND, rowId } from '../ids.ts';
import type { Clock, Storage } from '../storage/contract.ts';
import { SubmissionGone } from '../storage/errors.ts';
import type { PageEntry, Selection } from '../storage/submission.ts';
import type { Mode } from '../storage/tables.ts';
import { DAY_MS } from '../tasks/durations.ts';
import { createOneAtATime } from '../tasks/one-at-a-time.ts';
import { type Export, type ExportQuery, openExport } from './export/export.ts';
import { type ListQuery, toCondition } from './list-query.ts';
import { storedOwned } from './own-words.ts';
import { createPageWriter, type JsonText, type PageWriterOptions } from './page-writer.ts';
import type { SubmissionChange } from './schema.ts';

/** The server that gave a cursor may have another clock. */
const CLOCKS_DIFFER_IDS = DAY_MS * IDS_PER_MILLISECOND;

export type Submissions = ReturnType<typeof createSubmissions>;

interface SubmissionsOptions extends PageWriterOptions {
	release: Retries['release'];
	now: () => number;
}

interface RequestScope {
	mode?: Mode;
	/** The key or session whose concurrency limit applies; without one none does. */
	caller?: string;
	/** True for a form-level key, which sees nothing of other forms, and teaches them nothing. */
	isFormLevel?: boolean;
}

/** Returns submissions as JSON text: stored data is inserted as it is, never parsed. */
export function createSubmissions(storage: Storage, options: SubmissionsOptions) {
	const { budget, turns, release, now } = options;
	const { submissions, clock } = storage;
	const write = createPageWriter(storage, options);
	const oneAtATime = createOneAtATime();

	/** @param form Its row id. */
	async function find(form: number, id: string): Promise<PageEntry> {
		const [found] = await submissions.entries(form, [rowId(id)]);
		if (!found) throw new SubmissionGone();
		return found;
	}

	return {
		/**
		 * One page of a form's submissions, as the JSON text of a `SubmissionList`. Large texts are read while it is sent; a
		 * submission that was removed by then is left out.
		 * @param readQuery Called once the form is known to exist.
		 * @throws AppError FORM_NOT_FOUND, VALIDATION_ERROR, UNAVAILABLE above the limit of large responses
		 */
		async list(
			formId: string,
			{ mode, caller, isFormLevel, readQuery }: RequestScope & { readQuery: () => ListQuery },
		): Promise<JsonText> {
			const form = await storage.findFormId(formId, mode);
			const query = readQuery();
			const { limit, offset, order, afterId } = query;
			const selection: Selection = { ...toCondition(query, clock.timeline()), formId: form };
			if (afterId !== undefined) selection.fromId = Math.max(selection.fromId ?? 0, behind(afterId, clock));
			const { fromId } = selection;
			let horizon = 0;
			if (fromId !== undefined) {
				// The next request continues from the newest submission of this one: none may appear behind it.
				horizon = await clock.horizon();
				selection.beforeId = Math.min(selection.beforeId ?? Number.POSITIVE_INFINITY, horizon);
			}
			const { rows: entries, total, namesJson } = await submissions.list({ ...selection, limit, offset, order });
			const isContinued = fromId !== undefined && order === 'asc';
			const reached = entries.at(-1)?.id ?? afterId ?? Math.min(fromId ?? 0, horizon) - 1;
			const cursor = isContinued ? encodeId(Math.max(0, reached)) : undefined;
			const pagination = JSON.stringify({ limit, offset, total, hasMore: offset + limit < total, cursor });
			const tail = `],"fields":${namesJson},"pagination":${pagination}}`;
			return write({ formId: form, isFormLevel, head: '{"submissions":[', entries, tail }, caller);
		},
		/** One submission, as JSON text. @throws AppError FORM_NOT_FOUND, NOT_FOUND */
		async get(formId: string, { mode, caller, isFormLevel, id }: RequestScope & { id: string }): Promise<JsonText> {
			const form = await storage.findFormId(formId, mode);
			return write({ formId: form, isFormLevel, head: '', entries: [await find(form, id)], tail: '' }, caller);
		},
		/**
		 * Sets what owners write. @returns the submission after the change, as JSON text
		 * @param readChange Called once the submission is known to exist.
		 * @param mayRead Whether the response contains the data.
		 */
		async update(
			formId: string,
			request: RequestScope & { id: string; mayRead: boolean; readChange: () => Promise<SubmissionChange> },
		): Promise<JsonText> {
			const { mode, caller, isFormLevel, id, mayRead, readChange } = request;
			const form = await storage.findFormId(formId, mode);
			const before = await find(form, id);
			const { sendWithheld, ...change } = await readChange();
			const set = storedOwned(change);
			const teaches = isFormLevel ? 'form' : 'all';
			if (Object.keys(set).length > 0) await submissions.change(form, [before.id], set, { teaches });
			if (set.isSpam === false && sendWithheld) await release(form, [before.id]);
			const after = await find(form, id);
			if (!mayRead) return presentFlagged(after, clock.timeline());
			return write({ formId: form, isFormLevel, head: '', entries: [after], tail: '' }, caller);
		},
		/** See {@link openExport}. @throws AppError FORM_NOT_FOUND, VALIDATION_ERROR, UNAVAILABLE above the limit of exports */
		async openExport(
			formId: string,
			{ mode, caller, isFormLevel = false, readQuery }: RequestScope & { readQuery: () => ExportQuery },
		): Promise<Export> {
			const form = await storage.findForm(formId, mode);
			const query = readQuery();
			const end = caller === undefined ? () => {} : await turns.take(caller);
			try {
				return await openExport(storage, { form, isFormLevel, query, now, budget, oneAtATime, end });
			} catch (error) {
				end();
				throw error;
			}
		},
		/** @throws AppError FORM_NOT_FOUND, NOT_FOUND */
		async remove(formId: string, { mode, id }: { mode?: Mode; id: string }): Promise<void> {
			const form = await storage.findFormId(formId, mode);
			const removed = await submissions.remove(form, [rowId(id)]);
			if (removed.length === 0) throw new SubmissionGone();
		},
	};
}

/** @throws AppError VALIDATION_ERROR if there has been no such id, nor can there be soon */
function behind(id: number, clock: Pick<Clock, 'end'>): number {
	if (id < clock.end() + CLOCKS_DIFFER_IDS) return id + 1;
	throw invalidField(
		'after',
		'INVALID_CURSOR',
		'after names a place behind all submissions: take the pagination.cursor of a page.',
	);
}

/** The owner's inbox: lists, reads, flags, exports and removes submissions. */

import type { Retries } from '../delivery/retries.ts';
import { AppError } from '../errors.ts';
import { decodeId } from '../ids.ts';
import { createOneAtATime } from '../one-at-a-time.ts';
import type { Storage } from '../storage/storage.ts';
import type { PageEntry, Selection } from '../storage/submission.ts';
import type { FormRow, Mode } from '../storage/tables.ts';
import { type Export, type ExportQuery, openExport } from './export/export.ts';
import { type ListQuery, toCondition } from './list-query.ts';
import { createPageWriter, type JsonText, type PageWriterOptions } from './page-writer.ts';
import { presentFlagged } from './present.ts';
import type { UpdateSubmission } from './schema.ts';

export type Submissions = ReturnType<typeof createSubmissions>;

export interface SubmissionsOptions extends PageWriterOptions {
	release: Retries['release'];
	now?: () => number;
}

/** On whose behalf. */
export interface RequestScope {
	mode?: Mode;
	/** The key or session whose concurrency limit applies; without one none does. */
	caller?: string;
}

/** Returns submissions as JSON text: stored data is inserted as it is, never parsed. */
export function createSubmissions(storage: Storage, options: SubmissionsOptions) {
	const { budget, turns, release, now = Date.now } = options;
	const { submissions, clock } = storage;
	const write = createPageWriter(storage, options);
	const oneAtATime = createOneAtATime();

	async function find(form: FormRow, id: string): Promise<PageEntry> {
		const [found] = await submissions.entries(form.id, [decodeId(id) ?? -1]);
		if (!found) throw notFound();
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
			{ mode, caller, readQuery }: RequestScope & { readQuery: () => ListQuery },
		): Promise<JsonText> {
			const form = await storage.findForm(formId, mode);
			const query = readQuery();
			const { limit, offset, order } = query;
			const selection: Selection = { ...toCondition(query, clock.timeline()), formId: form.id };
			if (selection.fromId !== undefined) {
				// The next request continues from the newest submission of this one: none may appear behind it.
				selection.beforeId = Math.min(selection.beforeId ?? Number.POSITIVE_INFINITY, await clock.horizon());
			}
			const { rows: entries, total, namesJson } = await submissions.list({ ...selection, limit, offset, order });
			const pagination = JSON.stringify({ limit, offset, total, hasMore: offset + limit < total });
			const tail = `],"fields":${namesJson},"pagination":${pagination}}`;
			return write({ formId: form.id, head: '{"submissions":[', entries, tail }, caller);
		},
		/** One submission, as JSON text. @throws AppError FORM_NOT_FOUND, NOT_FOUND */
		async get(formId: string, { mode, caller, id }: RequestScope & { id: string }): Promise<JsonText> {
			const form = await storage.findForm(formId, mode);
			return write({ formId: form.id, head: '', entries: [await find(form, id)], tail: '' }, caller);
		},
		/**
		 * Sets flags. @returns the submission after the change, as JSON text
		 * @param readChange Called once the submission is known to exist.
		 * @param mayRead Whether the response contains the data.
		 */
		async update(
			formId: string,
			change: RequestScope & { id: string; mayRead: boolean; readChange: () => Promise<UpdateSubmission> },
		): Promise<JsonText> {
			const { mode, caller, id, mayRead, readChange } = change;
			const form = await storage.findForm(formId, mode);
			const before = await find(form, id);
			const { isRead, isStarred, isSpam, sendWithheld } = await readChange();
			const flags = Object.entries({ isRead, isStarred, isSpam }).filter(([, value]) => value !== undefined);
			if (flags.length > 0) await submissions.change(form.id, [before.id], Object.fromEntries(flags));
			if (isSpam === false && sendWithheld) await release(form.id, [before.id]);
			const after = await find(form, id);
			if (!mayRead) return presentFlagged(after, clock.timeline());
			return write({ formId: form.id, head: '', entries: [after], tail: '' }, caller);
		},
		/** See {@link openExport}. @throws AppError FORM_NOT_FOUND, VALIDATION_ERROR, UNAVAILABLE above the limit of exports */
		async openExport(
			formId: string,
			{ mode, caller, readQuery }: RequestScope & { readQuery: () => ExportQuery },
		): Promise<Export> {
			const form = await storage.findForm(formId, mode);
			const query = readQuery();
			const end = caller === undefined ? () => {} : await turns.take(caller);
			try {
				return await openExport(storage, { form, query, now, budget, oneAtATime, end });
			} catch (error) {
				end();
				throw error;
			}
		},
		/** @throws AppError FORM_NOT_FOUND, NOT_FOUND */
		async remove(formId: string, { mode, id }: { mode?: Mode; id: string }): Promise<void> {
			const form = await storage.findForm(formId, mode);
			const removed = await submissions.remove(form.id, [decodeId(id) ?? -1]);
			if (removed.length === 0) throw notFound();
		},
	};
}

function notFound(): AppError {
	return new AppError('NOT_FOUND', 'There is no such submission.');
}

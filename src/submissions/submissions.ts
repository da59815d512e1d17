/** The owner's inbox: submissions listed, read, flagged and removed. */

import type { Retries } from '../delivery/retries.ts';
import { AppError } from '../errors.ts';
import type { Forms } from '../forms/forms.ts';
import { decodeId } from '../ids.ts';
import type { Storage } from '../storage/storage.ts';
import type { Page, StoredSubmission } from '../storage/submission-log.ts';
import type { FormRow, Mode } from '../storage/tables.ts';
import { type Export, type ExportQuery, openExport } from './export/export.ts';
import { type ListQuery, toNarrowing } from './list-query.ts';
import type { Names } from './names/names.ts';
import { presentJson } from './present.ts';
import type { Reader } from './reader.ts';
import type { UpdateSubmission } from './schema.ts';

export type Submissions = ReturnType<typeof createSubmissions>;

export interface SubmissionsOptions {
	forms: Forms;
	reader: Reader;
	names: Names;
	release: Retries['release'];
	now?: () => number;
}

/** JSON text is answered as text: what was stored is spliced in untouched, never parsed on the way. */
export function createSubmissions(
	storage: Storage,
	{ forms, reader, names, release, now = Date.now }: SubmissionsOptions,
) {
	const { submissions, clock } = storage;
	const present = (row: StoredSubmission, withData = true) =>
		presentJson(row, { timeline: clock.timeline(), withData });

	function find(form: FormRow, id: string): StoredSubmission {
		const found = submissions.read(form.id, decodeId(id) ?? -1);
		if (!found) throw notFound();
		return found;
	}

	/** A page of what the search finds; what was removed since it was found is left out. */
	async function search(formId: number, query: ListQuery): Promise<Page> {
		const { limit, offset, order } = query;
		const selection = { ...toNarrowing(query, clock.timeline()), formId };
		const { ids, total } = await reader.call('count', selection, { limit, offset, order });
		return { rows: submissions.readSome(formId, ids), total };
	}

	return {
		/**
		 * One page of a form's submissions, as the JSON text of a `SubmissionList`.
		 * @param readQuery Called once the form is known to exist.
		 * @throws AppError FORM_NOT_FOUND, VALIDATION_ERROR
		 */
		async list(formId: string, { mode, readQuery }: { mode?: Mode; readQuery: () => ListQuery }): Promise<string> {
			const form = await forms.row(formId, mode);
			const query = readQuery();
			const { limit, offset, order, filter } = query;
			const { rows, total } = query.terms
				? await search(form.id, query)
				: submissions.page({ ...toNarrowing(query, clock.timeline()), limit, offset, order, formId: form.id });
			await names.settle(form.id, filter === 'spam');
			const fields = submissions.namesJson(form.id, filter === 'spam');
			const hasMore = offset + rows.length < total;
			const applied = hasMore ? Math.min(limit, rows.length) : limit;
			const pagination = JSON.stringify({ limit: applied, offset, total, hasMore });
			return `{"submissions":[${rows.map((row) => present(row)).join(',')}],"fields":${fields},"pagination":${pagination}}`;
		},
		/** One submission, as JSON text. @throws AppError FORM_NOT_FOUND, NOT_FOUND */
		async get(formId: string, { mode, id }: { mode?: Mode; id: string }): Promise<string> {
			return present(find(await forms.row(formId, mode), id));
		},
		/**
		 * Sets flags; answers the submission after the change, as JSON text.
		 * @param readChange Called once the submission is known to exist.
		 * @param mayRead Whether the answer holds what the sender wrote.
		 */
		async update(
			formId: string,
			options: { mode?: Mode; id: string; mayRead: boolean; readChange: () => Promise<UpdateSubmission> },
		): Promise<string> {
			const { mode, id, mayRead, readChange } = options;
			const form = await forms.row(formId, mode);
			const before = find(form, id);
			const { isRead, isStarred, isSpam, sendWithheld } = await readChange();
			const flags = Object.entries({ isRead, isStarred, isSpam }).filter(([, value]) => value !== undefined);
			if (flags.length > 0) await submissions.change(form.id, [before.id], Object.fromEntries(flags));
			if (isSpam === false && sendWithheld) await release(form.id, [before.id]);
			return present(find(form, id), mayRead);
		},
		/** See {@link openExport}. @throws AppError FORM_NOT_FOUND, VALIDATION_ERROR */
		async openExport(
			formId: string,
			{ mode, readQuery }: { mode?: Mode; readQuery: () => ExportQuery },
		): Promise<Export> {
			const form = await forms.row(formId, mode);
			return openExport(storage, { reader, names, form, query: readQuery(), now });
		},
		/** @throws AppError FORM_NOT_FOUND, NOT_FOUND, also for a second time */
		async remove(formId: string, { mode, id }: { mode?: Mode; id: string }): Promise<void> {
			const form = await forms.row(formId, mode);
			const removed = await submissions.remove(form.id, [decodeId(id) ?? -1]);
			if (removed.length === 0) throw notFound();
		},
	};
}

function notFound(): AppError {
	return new AppError('NOT_FOUND', 'There is no such submission.');
}

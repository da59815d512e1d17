/** Submissions read as the contract says: what is quick by this thread, searches and scans by the other. */

import type { Database } from 'bun:sqlite';
import { lazy } from '../../tasks/lazy.ts';
import type { ListedReads, Storage } from '../contract.ts';
import { COUNTERS, placeOfFilter, toCounts } from '../filters.ts';
import type { Reader } from '../reader.ts';
import { isSought, type ListQuery, type Page } from '../submission.ts';
import type { FormIndex } from './form-index.ts';
import type { SubmissionPages } from './submission-pages.ts';
import type { SqliteReads } from './submission-reader.ts';

/** After as many forms, others get their turn. */
const FORMS_AT_A_STRETCH = 20;
const NONE = { order: 'asc', limit: 0, offset: 0 } as const;

export interface ListSources {
	entries: Storage['submissions']['entries'];
	pages: SubmissionPages;
	index: Pick<FormIndex, 'namesJson' | 'hasUnlistedNames'>;
	reader: Reader<SqliteReads>;
	/** Notices what another process wrote. */
	refresh(): void;
}

export function createSubmissionLists(client: Database, { entries, pages, index, reader, refresh }: ListSources) {
	const selectCounts = lazy(() =>
		client.prepare(`select id, ${COUNTERS.join(', ')} from forms where id in (select value from json_each(?))`),
	);

	function page(query: ListQuery): Page {
		refresh();
		return pages.page(query);
	}

	/** A page of what the search finds; what was removed since it was found is left out. */
	async function search(query: ListQuery): Promise<Page> {
		const { limit, offset, order, formId } = query;
		const { ids, total } = await reader.call('count', query, { limit, offset, order });
		return { rows: await entries(formId, ids), total };
	}

	const reads: ListedReads = {
		async list(query) {
			const { rows, total } = isSought(query) ? await search(query) : page(query);
			return { rows, total, namesJson: index.namesJson(query.formId, placeOfFilter(query.filter)) };
		},
		async count(selection) {
			if (!isSought(selection)) return page({ ...selection, ...NONE }).total;
			return (await reader.call('count', selection, NONE)).total;
		},
		async counts(formIds) {
			const rows = selectCounts().values(JSON.stringify(formIds));
			const found = new Map(rows.map(([id, ...counts]) => [id, counts]));
			return new Map(formIds.map((id) => [id, toCounts(found.get(id))]));
		},
		async countsBetween(formIds, range) {
			const counts = new Map<number, number[]>();
			for (const id of formIds) {
				if (counts.size % FORMS_AT_A_STRETCH === FORMS_AT_A_STRETCH - 1) await Bun.sleep(0);
				refresh();
				counts.set(id, pages.countBetween(id, range));
			}
			return counts;
		},
		async names(formId, place) {
			refresh();
			const listed = JSON.parse(index.namesJson(formId, place)) as string[];
			return { names: listed, isPartial: index.hasUnlistedNames(formId, place) };
		},
		/** A name goes with the last submission that has it. */
		async forgetNames() {},
		ids: async (selection, part) => reader.call('ids', selection, part),
		prepareScan: reader.open,
		scan: async (name, request) => (await reader.call('scan', name, request)) as never,
	};
	return { ...reads, page, namesJson: index.namesJson };
}

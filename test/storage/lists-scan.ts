/** Compares the lists, counts and finds of a store with a scan of its rows. */

import { expect } from 'bun:test';
import { sql } from 'drizzle-orm';
import type { Storage, SubmissionStore } from '../../src/storage/contract.ts';
import {
	type Counts,
	FILTERS,
	type Filter,
	type Flags,
	PLACE,
	placeOf,
	placeOfFilter,
} from '../../src/storage/filters.ts';
import { searchWords } from '../../src/storage/search-words.ts';
import type { ListQuery } from '../../src/storage/submission.ts';
import { submissions } from '../../src/storage/tables.ts';
import { splitWords } from '../../src/storage/word-lists.ts';

export interface ScannedRow extends Flags {
	id: number;
	/** The number that its sender gave it. */
	n: number;
	formId: number;
	labels: string[];
	fields: Record<string, unknown>;
}

export interface Comparison {
	/** Returns one of several servers, another for each query. */
	server: () => Storage;
	random: (bound: number) => number;
	/** The most pages of a list that are read, chosen by chance; without it every page is. */
	mostPages?: number | undefined;
	/** One of them is searched for. */
	words: readonly string[];
}

export const LABELS = ['red', 'redder', 'a, b'];
const LIMITS = [1, 7, 50, 100];
const ORDERS = ['asc', 'desc'] as const;
const MATCHES: Record<Filter, (flags: Flags) => boolean> = {
	all: ({ isSpam, isPending }) => !isSpam && !isPending,
	unread: ({ isSpam, isPending, isRead }) => !isSpam && !isPending && !isRead,
	starred: ({ isSpam, isPending, isStarred }) => !isSpam && !isPending && isStarred,
	spam: ({ isSpam }) => isSpam,
	pending: ({ isPending }) => isPending,
};

type Asked = Omit<ListQuery, 'order' | 'limit' | 'offset'>;

export async function scanRows({ db }: Storage): Promise<ScannedRow[]> {
	const { id, formId, data, isRead, isStarred, isArchived, labels } = submissions;
	const place = sql<number>`is_spam`;
	const columns = { id, formId, data, isRead, isStarred, isArchived, labels, place };
	const found = await db.select(columns).from(submissions).orderBy(id);
	return found.map(({ data, labels, place: at, ...row }) => {
		const fields = JSON.parse(data);
		const flags = { isSpam: at === PLACE.spam, isPending: at === PLACE.pending };
		return { ...row, ...flags, labels: splitWords(labels), fields, n: fields.n };
	});
}

/** @param all The rows of the form, ascending. */
export async function expectForm(comparison: Comparison, formId: number, all: readonly ScannedRow[]): Promise<void> {
	const { server, random } = comparison;
	const lists = () => server().submissions;
	const idAt = () => (random(4) === 0 ? random(2 ** 50) : (all[random(all.length + 1)]?.id ?? 0) + random(2));
	const counts: number[] = [];
	const archivedCounts: number[] = [];
	for (const filter of FILTERS) {
		const found = all.filter(MATCHES[filter]);
		counts.push(found.length);
		const namesJson = await expectPages(comparison, { formId, filter }, found);
		const used = all
			.filter((row) => placeOf(row) === placeOfFilter(filter))
			.flatMap(({ fields }) => Object.keys(fields));
		const names = [...new Set(used)].sort();
		expect((JSON.parse(namesJson) as string[]).sort()).toEqual(names);
		expect((await lists().names(formId, placeOfFilter(filter))).names.toSorted()).toEqual(names);

		const [fromId = 0, beforeId = 0] = [idAt(), idAt()].sort((a, b) => a - b);
		const between = found.filter(({ id }) => id >= fromId && id < beforeId);
		await expectPages(comparison, { formId, filter, fromId, beforeId }, between);
		const bounds = [0, fromId, beforeId, Number.MAX_SAFE_INTEGER];
		expect((await lists().countsBetween([formId], { filter, bounds })).get(formId)).toEqual(
			[0, 1, 2].map((i) => found.filter(({ id }) => id >= (bounds[i] ?? 0) && id < (bounds[i + 1] ?? 0)).length),
		);
		await expectSearch(comparison, { formId, filter }, found);
		const isArchived = random(2) === 0;
		const archived = found.filter((row) => row.isArchived === isArchived);
		await expectPages(comparison, { formId, filter, isArchived }, archived);
		await expectSearch(comparison, { formId, filter, isArchived }, archived);
		archivedCounts.push(found.filter((row) => row.isArchived).length);
		const label = LABELS[random(LABELS.length)] as string;
		const labelled = archived.filter(({ labels }) => labels.includes(label));
		const mostPages = Math.min(comparison.mostPages ?? 2, 2);
		await expectPages({ ...comparison, mostPages }, { formId, filter, isArchived, label }, labelled);
		await expectSearch(comparison, { formId, filter, isArchived, label }, labelled);
	}
	const counted = (await lists().counts([formId])).get(formId) as Counts;
	expect(Object.values(counted)).toEqual([...counts, ...archivedCounts]);
}

/** Returns the names of fields that came with a page. */
async function expectPages(
	{ server, random, mostPages = Number.POSITIVE_INFINITY }: Comparison,
	asked: Asked,
	found: readonly ScannedRow[],
): Promise<string> {
	let names = '';
	for (const order of ORDERS) {
		const ids = (order === 'asc' ? found : found.toReversed()).map(({ id }) => id);
		for (const limit of LIMITS) {
			// The page behind the last is empty.
			const pages = Math.ceil(ids.length / limit) + 1;
			const chosen = Array.from({ length: Math.min(pages, mostPages) }, (_, i) =>
				pages > mostPages ? random(pages) : i,
			);
			// Side by side, because a database server is far away.
			const lists = chosen.map(async (page) => {
				const query = { ...asked, order, limit, offset: page * limit };
				const list = await server().submissions.list(query);
				expectSame(query, list, ids);
				return list.namesJson;
			});
			names = (await Promise.all(lists))[0] as string;
		}
	}
	return names;
}

async function expectSearch({ server, random, words }: Comparison, asked: Asked, found: readonly ScannedRow[]) {
	const word = words[random(words.length)] as string;
	const holding = found.filter(({ fields }) => Object.values(fields).some((value) => `${value}`.includes(word)));
	for (const order of ORDERS) {
		const ids = (order === 'asc' ? holding : holding.toReversed()).map(({ id }) => id);
		const limit = LIMITS[random(LIMITS.length)] as number;
		const offset = limit * random(Math.min(10, Math.ceil(ids.length / limit)) + 1);
		const query = { ...asked, words: searchWords(word), order, limit, offset };
		expectSame(query, await server().submissions.list(query), ids);
	}
}

type Shown = Pick<Awaited<ReturnType<SubmissionStore['list']>>, 'rows' | 'total'>;

/** Compared by hand, because `expect` takes longer than the page. @param ids Of all that match, in the order asked for. */
function expectSame(query: ListQuery, { rows, total }: Shown, ids: readonly number[]): void {
	const { offset, limit } = query;
	const wanted = Math.min(limit, Math.max(0, ids.length - offset));
	const isSame = rows.length === wanted && rows.every(({ id }, i) => id === ids[offset + i]);
	if (total === ids.length && isSame) return;
	expect([query, total, rows.map(({ id }) => id)]).toEqual([query, ids.length, ids.slice(offset, offset + limit)]);
}

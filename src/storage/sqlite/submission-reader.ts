/** Reads that may take their time, for a connection of their own: ranges of submissions, and the full-text search. */

import type { Database } from 'bun:sqlite';
import type { ScanRequest, Scans } from '../contract.ts';
import { type DamagedRows, readableRows } from '../damaged-bytes.ts';
import { BEYOND_ALL_IDS, COLUMNS, FILE_COLUMNS, toFile, toStored } from '../rows.ts';
import { searchTerms, wordToken } from '../search-text.ts';
import { type Paging, rowCondition, type Scanned, type Selection, type StoredSubmission } from '../submission.ts';
import { openReadConnection } from './connection.ts';
import { segmentTable } from './search-segments.ts';

/** Operations of the reader thread. */
export type SqliteReads = ReturnType<typeof createCalls>;

export function createCalls(file: string, scans: Scans, report: DamagedRows['report']) {
	const client = openReadConnection(file);
	const reader = createSubmissionReader(client, report);
	return {
		count: reader.count,
		ids: reader.ids,
		scan: (name: string, request: ScanRequest) => scans[name]?.(reader.rows(request.selection, request.order), request),
		close: () => client.close(),
	};
}

export function createSubmissionReader(client: Database, report: DamagedRows['report']) {
	const begin = client.prepare('begin');
	const end = client.prepare('commit');

	/** One view of the file for several queries, until it is disposed of: a segment may otherwise be dropped between two of them. */
	function oneView(): Disposable {
		begin.run();
		return { [Symbol.dispose]: () => void end.run() };
	}

	function* plainRows(selection: Scanned, order: Paging['order']): Generator<StoredSubmission> {
		using files = openFileReads(client, selection.formId);
		for (const { from, id, values } of sourcesOf(selection, { order, first: 4 })) {
			using statement = client.prepare(`select ${COLUMNS} ${from} order by ${id} ${order}`);
			for (const row of statement.iterate(...boundsOf(selection), ...values)) {
				const stored = toStored(Object.values(row as object));
				yield files ? { ...stored, files: files.filesOf(stored.id) } : stored;
			}
		}
	}

	function bytesOf(id: number): Uint8Array {
		using statement = client.prepare('select cast(data as blob) from submissions where id = ?');
		return statement.values(id)[0]?.[0] as Uint8Array;
	}

	/** The segments of the search index that may hold selected submissions, in the order of their ids. */
	function segmentsOf({ fromId = 0, beforeId = BEYOND_ALL_IDS }: Scanned, order: Paging['order']): number[] {
		const text = `select number from search_volumes where last_id >= ? and first_id < ? order by first_id ${order}`;
		return client
			.query(text)
			.values(fromId, beforeId)
			.map(([number]) => number as number);
	}

	/** The ranges to search one after the other, so that the finds are in order. @param first The number of their first parameter */
	function sourcesOf(selection: Scanned, { order, first }: { order: Paging['order']; first: number }): Source[] {
		if (!selection.words) return [plainSource(selection, first)];
		return segmentsOf(selection, order).map((segment) => searchSource(selection, { segment, first }));
	}

	return {
		/** The ids of a part of the selection, and their total number. */
		count(selection: Selection, { order, limit, offset }: Paging): { ids: number[]; total: number } {
			using _view = oneView();
			const ids: number[] = [];
			let total = 0;
			for (const { from, values } of sourcesOf(selection, { order, first: 6 })) {
				using statement = client.prepare(
					`with found as materialized (select s.id ${from})
						select (select count(*) from found), id from (select 1) left join
						(select id from found order by id ${order} limit +?4 offset +?5) on true`,
				);
				const part = [limit - ids.length, Math.max(0, offset - total)];
				const rows = statement.values(...boundsOf(selection), ...part, ...values);
				for (const [, id] of rows) if (id !== null) ids.push(id as number);
				total += Number(rows[0]?.[0] ?? 0);
			}
			return { ids, total };
		},
		/** The first ids of the selection. */
		ids(selection: Selection, { order, limit }: Omit<Paging, 'offset'>): number[] {
			using _view = oneView();
			const ids: number[] = [];
			for (const { from, id, values } of sourcesOf(selection, { order, first: 5 })) {
				if (ids.length === limit) break;
				using statement = client.prepare(`select s.id ${from} order by ${id} ${order} limit +?4`);
				const found = statement.values(...boundsOf(selection), limit - ids.length, ...values);
				for (const [one] of found) ids.push(one as number);
			}
			return ids;
		},
		/** Yields the selected submissions one by one, to be broken off anywhere. */
		*rows(selection: Scanned, order: Paging['order']): Generator<StoredSubmission> {
			using _view = oneView();
			yield* readableRows(plainRows(selection, order), { report, bytesOf });
		},
	};
}

/** A range to search for the selection. */
interface Source {
	/** The `from` and `where`: `?1` is the form, `?2` and `?3` the bounds. */
	from: string;
	/** The column to sort by: the index yields its finds in the order of their ids, if it is asked by its own name for them. */
	id: string;
	/** Values of its parameters from the first one on. */
	values: string[];
}

function plainSource(selection: Scanned, first: number): Source {
	const { condition, values } = rowCondition(selection, (at) => `?${first + at}`);
	return {
		from: `from submissions s where s.form_id = +?1 and s.id >= ?2 and s.id < ?3 and ${condition}`,
		id: 's.id',
		values,
	};
}

/** Drives the join from the index; from `submissions`, a rare word would scan the form. */
function searchSource(selection: Scanned, { segment, first }: { segment: number; first: number }): Source {
	const { parts, shortWords } = searchTerms(selection.words ?? []);
	const matches = [matchAll(parts), matchAll(shortWords.map((spellings) => spellings.map(wordToken)))].filter(
		(match) => match !== '',
	);
	const { condition, values } = rowCondition(selection, (at) => `?${first + matches.length + at}`);
	const words = segmentTable('words', segment);
	const index = parts.length > 0 ? segmentTable('parts', segment) : words;
	const both = ` and +i.rowid in (select rowid from ${words} where ${words} match ?${first + 1})`;
	const from = `from ${index} i cross join submissions s on s.id = i.rowid
		where i.${index} match ?${first} and i.rowid >= ?2 and i.rowid < ?3
		${matches.length > 1 ? both : ''} and s.form_id = +?1 and ${condition}`;
	return { from, id: 'i.rowid', values: [...matches, ...values] };
}

const boundsOf = ({ formId, fromId = 0, beforeId = BEYOND_ALL_IDS }: Scanned) => [formId, fromId, beforeId];

/** An FTS5 query for one spelling of each: they are quoted, so that nothing in them is taken for syntax. */
function matchAll(terms: readonly string[][]): string {
	const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
	return terms.map((spellings) => `(${spellings.map(quoted).join(' OR ')})`).join(' AND ');
}

/** Reads the files of a form's submissions one after the other; `undefined` if there are none. */
function openFileReads(client: Database, formId: number) {
	using any = client.prepare('select exists (select 1 from files where form_id = ?)');
	if (any.values(formId)[0]?.[0] !== 1) return undefined;
	const ofOne = client.prepare(`select ${FILE_COLUMNS} from files where submission_id = +? order by id`);
	return {
		filesOf: (submissionId: number) => ofOne.values(submissionId).map(toFile),
		[Symbol.dispose]: () => ofOne.finalize(),
	};
}

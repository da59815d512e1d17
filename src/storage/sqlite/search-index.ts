/**
 * Writes the full-text index: what was stored is indexed a little later, in steps so small that other writes hardly wait
 * for them. Each step commits with its watermark, so a crash loses and repeats nothing.
 */

import type { Database } from 'bun:sqlite';
import { lazy } from '../../tasks/lazy.ts';
import { SEARCHED_JSON_CHARACTERS, searchText, wordToken } from '../search-text.ts';
import {
	closeSegmentTables,
	createSegmentMemory,
	createSegmentTables,
	type Kind,
	segmentTable,
	segmentTables,
} from './search-segments.ts';
import { inTransaction, type Writer } from './writer.ts';

/** The most that a step adds. The more, the fewer pieces FTS5 has to merge. */
const STEP: Amount = { submissions: 128, characters: 32_000 };
const MAX_REMOVALS_PER_STEP = 64;
const MAX_FORGOTTEN_PER_STEP = 1000;
const PAGES_MERGED_PER_STEP = 8;
/** Merge steps after a step that adds: FTS5 writes each page three times before it stays, so four let no pieces pile up. */
const MERGES_PER_ADDITION = 4;

interface Amount {
	submissions: number;
	characters: number;
}
/** A segment of this size is closed: by then its longest term takes a few milliseconds to merge. */
const SEGMENT_SIZE: Amount = { submissions: 32_768, characters: 16_000_000 };

interface Segment extends Amount {
	number: number;
	firstId: number;
	lastId: number;
}

export type SearchIndex = ReturnType<typeof createSearchIndex>;

export function createSearchIndex(client: Database, writer: Writer, size: Amount = SEGMENT_SIZE) {
	const sql = lazy(() => prepareStatements(client));
	/** The segment that grew last. Its pieces are merged before those of others: FTS5 merges them all at once when there are too many. */
	let grown = { number: 0, mergesDue: 0 };
	const memory = createSegmentMemory(client);

	const isFull = ({ submissions, characters }: Amount, times = 1) =>
		submissions >= times * size.submissions || characters >= times * size.characters;

	function beginSegment(firstId: number): Segment {
		const number = Number(sql().lastNumber.values()[0]?.[0] ?? 0) + 1;
		createSegmentTables(client, number);
		sql().beginSegment.run(number, firstId, firstId);
		return { number, firstId, lastId: firstId, submissions: 0, characters: 0 };
	}

	function addNext(): void {
		const newest = sql().newestSegment.get();
		const ids = sql().nextIds.values(newest?.lastId ?? 0, STEP.submissions) as [number][];
		const [[first] = []] = ids;
		if (first === undefined) return;
		const last = addTo(newest && !isFull(newest) ? newest : beginSegment(first), ids);
		// Those among them that were imported: a text that is added twice can be removed once only.
		sql().forgetAdditions.run(first, last);
	}

	/** Imported submissions lie among those that are indexed: each goes into the segment around it, or beside it. */
	function addImported(): void {
		const end = sql().newestSegment.get()?.lastId ?? 0;
		const [[first] = []] = sql().nextAdditions.values(end, 1) as [number][];
		const segment = first === undefined ? undefined : segmentAround(first);
		if (!segment) return;
		const last = Math.min(end, nextFirstId(segment.firstId) - 1);
		sql().forgetAdditions.run(0, addTo(segment, sql().nextAdditions.values(last, STEP.submissions) as [number][]));
	}

	/** `undefined` once the one around it was dropped, because too many would lie in it. */
	function segmentAround(id: number): Segment | undefined {
		const below = sql().segmentFrom.get(id);
		if (below && id <= below.lastId) return isFull(below, 2) ? indexAnew(below) : below;
		const above = sql().segmentFrom.get(nextFirstId(id));
		return [below, above].find((segment) => segment && !isFull(segment)) ?? beginSegment(id);
	}

	/** Has its submissions indexed again, in segments of the usual size. */
	function indexAnew(segment: Segment): undefined {
		dropSegment(segment);
		sql().addAgain.run(segment.firstId, segment.lastId);
	}

	/** Returns the last of the ids that it came to, which ascend. */
	function addTo(segment: Segment, ids: readonly [number][]): number {
		const insertInto = (kind: Kind) =>
			client.prepare(`insert into ${segmentTable(kind, segment.number)} (rowid, text) values (?, ?)`);
		using addParts = insertInto('parts');
		using addWords = insertInto('words');
		const wasFull = isFull(segment);
		const before = segment.characters;
		let last = 0;
		for ([last] of ids) {
			// One by one: a few very large ones together would take more memory than all the rest of the server.
			const [[data] = []] = sql().readText.values(last) as [string][];
			// Imported, and removed since.
			if (data === undefined) continue;
			const { text, shortWords } = searchText(data);
			addParts.run(last, text);
			if (shortWords.length > 0) addWords.run(last, shortWords.map(wordToken).join(' '));
			segment.firstId = Math.min(segment.firstId, last);
			segment.lastId = Math.max(segment.lastId, last);
			segment.submissions++;
			segment.characters += data.length;
			if (segment.characters - before > STEP.characters) break;
		}
		const { number, firstId, lastId, submissions, characters } = segment;
		sql().saveProgress.run(firstId, lastId, submissions, characters, number);
		if (isFull(segment) && !wasFull) {
			closeSegmentTables(client, number);
			memory.countClosed();
		}
		grown = { number, mergesDue: MERGES_PER_ADDITION };
		return last;
	}

	/** A segment of which nothing is left goes as a whole, which is a thousand times less to write. */
	function dropSegment({ number, firstId, lastId }: Segment): void {
		for (const table of segmentTables(number)) client.run(`drop table ${table}`);
		sql().forgetSegment.run(number);
		sql().forgetRemovals.run(firstId, lastId, Number.MAX_SAFE_INTEGER);
	}

	function clearSome({ number, firstId, lastId }: Segment): void {
		const removals = [firstId, lastId, MAX_REMOVALS_PER_STEP];
		for (const table of segmentTables(number)) {
			client.run(`delete from ${table} where rowid in (${REMOVALS_BETWEEN})`, removals);
		}
		sql().forgetRemovals.run(...removals);
		sql().setPacked.run(0, number);
	}

	function clearNext(): void {
		const [removed] = sql().firstRemoval.values()[0] as [number | null];
		if (removed === null) return;
		const segment = sql().segmentOf.get(removed, removed);
		// Rows that were never indexed only need to be forgotten.
		if (!segment) sql().forgetRemovals.run(removed, nextFirstId(removed) - 1, MAX_FORGOTTEN_PER_STEP);
		// The newest one holds the watermark.
		else if (segment.number !== sql().newestSegment.get()?.number && !isAnyLeft(segment)) dropSegment(segment);
		else clearSome(segment);
	}

	/** The first submission of the next segment. */
	function nextFirstId(id: number): number {
		return Number(sql().nextFirstId.values(id)[0]?.[0] ?? Number.MAX_SAFE_INTEGER);
	}

	function isAnyLeft({ firstId, lastId }: Segment): boolean {
		return sql().hasNext.values(firstId - 1, lastId).length > 0;
	}

	/** Fewer than two changes of a table mean that there was nothing to merge (https://sqlite.org/fts5.html#the_merge_command). */
	function merge(number: number): void {
		grown.mergesDue--;
		const tables = segmentTables(number);
		const before = changes();
		for (const table of tables) {
			using mergeSome = client.prepare(`insert into ${table} (${table}, rank) values ('merge', ?)`);
			mergeSome.run(PAGES_MERGED_PER_STEP);
		}
		if (changes() - before < 2 * tables.length) sql().setPacked.run(1, number);
	}

	function changes(): number {
		return Number(sql().totalChanges.values()[0]?.[0]);
	}

	function nextStep(): (() => void) | undefined {
		const watermark = sql().newestSegment.get()?.lastId ?? 0;
		const [unpacked] = sql().unpacked.values(grown.number);
		const mergeNext = unpacked && (() => merge(unpacked[0] as number));
		if (mergeNext && grown.mergesDue > 0) return mergeNext;
		if (sql().hasNext.values(watermark, Number.MAX_SAFE_INTEGER).length > 0) return addNext;
		if (sql().nextAdditions.values(watermark, 1).length > 0) return addImported;
		return mergeNext;
	}

	async function commit(step: (() => void) | undefined): Promise<boolean> {
		if (step) await inTransaction(writer, step);
		return step !== undefined;
	}

	return {
		/**
		 * Indexes the next few submissions, or merges; `false` if there is nothing to do. For the one process that serves: two
		 * would disagree on the watermark. What is imported before it is in a list of additions.
		 */
		advance(): Promise<boolean> {
			memory.release();
			return commit(nextStep());
		},
		/**
		 * Removes some deleted submissions; `false` if there is nothing to do. No search waits for it, for what is gone is
		 * not found anyway. While a form is being removed it waits, because whole segments may become empty.
		 */
		clear(): Promise<boolean> {
			const mayClear = sql().hasRemovals.values().length > 0 && sql().isSweeping.values().length === 0;
			return commit(mayClear ? clearNext : undefined);
		},
	};
}

const REMOVALS_BETWEEN = 'select id from search_removals where id >= ? and id <= ? order by id limit +?';

function prepareStatements(client: Database) {
	const segments = 'select number, first_id as firstId, last_id as lastId, submissions, characters from search_volumes';
	return {
		newestSegment: client.prepare<Segment, []>(`${segments} order by first_id desc limit 1`),
		/** The last one that begins so early. */
		segmentFrom: client.prepare<Segment, [number]>(`${segments} where first_id <= ? order by first_id desc limit 1`),
		lastNumber: client.prepare('select max(number) from search_volumes'),
		segmentOf: client.prepare<Segment, [number, number]>(`${segments} where first_id <= ? and last_id >= ?`),
		nextFirstId: client.prepare('select min(first_id) from search_volumes where first_id > ?'),
		beginSegment: client.prepare('insert into search_volumes (number, first_id, last_id) values (?, ?, ?)'),
		saveProgress: client.prepare(
			'update search_volumes set first_id = ?, last_id = ?, submissions = ?, characters = ?, is_packed = 0 where number = ?',
		),
		setPacked: client.prepare('update search_volumes set is_packed = ? where number = ?'),
		forgetSegment: client.prepare('delete from search_volumes where number = ?'),
		unpacked: client.prepare(
			'select number from search_volumes where is_packed = 0 order by number = ? desc, number limit 1',
		),
		hasNext: client.prepare('select 1 from submissions where id > ? and id <= ? limit 1'),
		nextIds: client.prepare('select id from submissions where id > ? order by id limit +?'),
		/** A text also where a damaged page has something else. */
		readText: client.prepare(
			`select substr(cast(data as text), 1, ${SEARCHED_JSON_CHARACTERS}) from submissions where id = ?`,
		),
		nextAdditions: client.prepare('select id from search_additions where id <= ? order by id limit +?'),
		forgetAdditions: client.prepare('delete from search_additions where id >= ? and id <= ?'),
		addAgain: client.prepare(
			'insert or ignore into search_additions (id) select id from submissions where id >= ? and id <= ?',
		),
		hasRemovals: client.prepare('select 1 from search_removals limit 1'),
		firstRemoval: client.prepare('select min(id) from search_removals'),
		forgetRemovals: client.prepare(`delete from search_removals where id in (${REMOVALS_BETWEEN})`),
		isSweeping: client.prepare('select 1 from forms where deleted_at is not null limit 1'),
		totalChanges: client.prepare('select total_changes()'),
	};
}

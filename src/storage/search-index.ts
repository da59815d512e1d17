/**
 * Keeps the full-text index behind the submissions: what was stored is indexed a little later, in steps so small that
 * nobody waits for them. Each step commits together with the mark of how far it came, so a crash loses and repeats nothing.
 */

import type { Database } from 'bun:sqlite';
import { searchText, wordToken } from './search-text.ts';
import { closeVolumeTables, createVolumeTables, volumeTable, volumeTables } from './search-volumes.ts';
import type { Writer } from './writer.ts';

const MAX_SUBMISSIONS_PER_STEP = 32;
const MAX_CHARACTERS_PER_STEP = 8000;
const MAX_REMOVALS_PER_STEP = 64;
const PAGES_MERGED_PER_STEP = 8;
/** Taken after every step that adds, so that pieces never pile up: what is added is merged three times before it stays. */
const MERGES_PER_ADDITION = 4;

/** A volume that holds so much is closed: by then its longest term takes a few milliseconds to put together. */
export interface VolumeSize {
	submissions: number;
	characters: number;
}
const VOLUME_SIZE: VolumeSize = { submissions: 65_536, characters: 16_000_000 };

interface Volume extends VolumeSize {
	number: number;
	lastId: number;
}

export type SearchIndex = ReturnType<typeof createSearchIndex>;

export function createSearchIndex(client: Database, writer: Writer, size: VolumeSize = VOLUME_SIZE) {
	const sql = prepareStatements(client);
	/** The last submission that is indexed, if that is known. */
	let mark: number | undefined;
	let mergesDue = 0;

	function newestVolume(): Volume | undefined {
		return sql.newestVolume.get() ?? undefined;
	}

	/** Where the submissions from that one on belong. */
	function volumeFor(firstId: number): Volume {
		const newest = newestVolume();
		const isFull = newest && (newest.submissions >= size.submissions || newest.characters >= size.characters);
		if (newest && !isFull) return newest;
		if (newest) closeVolumeTables(client, newest.number);
		const number = (newest?.number ?? 0) + 1;
		createVolumeTables(client, number);
		sql.beginVolume.run(number, firstId, firstId);
		return { number, lastId: firstId, submissions: 0, characters: 0 };
	}

	function addNext(lastId: number): void {
		const rows = sql.readNext.values(newestVolume()?.lastId ?? 0, lastId, MAX_SUBMISSIONS_PER_STEP);
		const [first] = rows as [number, string][];
		if (!first) return;
		const volume = volumeFor(first[0]);
		const add = (kind: 'parts' | 'words') =>
			client.query(`insert into ${volumeTable(kind, volume.number)} (rowid, text) values (?, ?)`);
		const [addParts, addWords] = [add('parts'), add('words')];
		const before = volume.characters;
		for (const [id, data] of rows as [number, string][]) {
			const { text, shortWords } = searchText(data);
			addParts.run(id, text);
			if (shortWords.length > 0) addWords.run(id, shortWords.map(wordToken).join(' '));
			volume.lastId = id;
			volume.submissions++;
			volume.characters += data.length;
			if (volume.characters - before > MAX_CHARACTERS_PER_STEP) break;
		}
		sql.noteAdded.run(volume.lastId, volume.submissions, volume.characters, volume.number);
		mark = volume.lastId;
		mergesDue = MERGES_PER_ADDITION;
	}

	/** Of one volume at a time; what was never indexed is only forgotten. */
	function takeOutRemoved(): void {
		const [number = null, end] = sql.volumeOfRemoval.values()[0] as [number | null, number];
		const removed = `select id from search_removals where id < ${end} order by id limit ${MAX_REMOVALS_PER_STEP}`;
		for (const table of number === null ? [] : volumeTables(number)) {
			client.run(`delete from ${table} where rowid in (${removed})`);
		}
		client.run(`delete from search_removals where id in (${removed})`);
		if (number !== null) sql.notePacked.run(0, number);
	}

	/** See https://sqlite.org/fts5.html#the_merge_command for how a step tells that it had nothing to do. */
	function merge(number: number): void {
		mergesDue--;
		const tables = volumeTables(number);
		const before = changes();
		for (const table of tables) {
			client.run(`insert into ${table} (${table}, rank) values ('merge', ?)`, [PAGES_MERGED_PER_STEP]);
		}
		if (changes() - before < 2 * tables.length) sql.notePacked.run(1, number);
	}

	function changes(): number {
		return Number(sql.totalChanges.values()[0]?.[0]);
	}

	function nextStep(lastId: number): (() => void) | undefined {
		mark ??= newestVolume()?.lastId ?? 0;
		const [unpacked] = sql.unpacked.values();
		const mergeNext = unpacked && (() => merge(unpacked[0] as number));
		if (mergeNext && mergesDue > 0) return mergeNext;
		if (sql.hasNext.values(mark, lastId).length > 0) return () => addNext(lastId);
		// After what is new, because what is gone is not found anyway: the search looks for the submission itself.
		if (sql.hasRemovals.values().length > 0) return takeOutRemoved;
		return mergeNext;
	}

	return {
		/**
		 * Does the next small step; `false` if there is nothing to do. For the one process that serves: two would
		 * disagree on the mark.
		 * @param lastId No submission up to this one may still be on its way; the mark never goes back.
		 */
		advance(lastId = Number.MAX_SAFE_INTEGER): Promise<boolean> {
			const step = nextStep(lastId);
			if (!step) return Promise.resolve(false);
			return new Promise((resolve, reject) => {
				writer.enqueue({
					compound: true,
					run: step,
					resolve: () => resolve(true),
					reject: (error) => {
						mark = undefined;
						reject(error);
					},
				});
			});
		},
		/** How many submissions were stored since the one with that id, as far as `limit`, and the newest id. */
		arrivals(sinceId: number, limit: number): { count: number; newest: number } {
			const [count, newest] = sql.arrivals.values(sinceId, limit)[0] as [number, number | null];
			return { count, newest: newest ?? sinceId };
		},
	};
}

function prepareStatements(client: Database) {
	const firstRemoval = '(select min(id) from search_removals)';
	return {
		newestVolume: client.prepare<Volume, []>(
			`select number, last_id as lastId, submissions, characters from search_volumes order by number desc limit 1`,
		),
		beginVolume: client.prepare('insert into search_volumes (number, first_id, last_id) values (?, ?, ?)'),
		noteAdded: client.prepare(
			'update search_volumes set last_id = ?, submissions = ?, characters = ?, is_packed = 0 where number = ?',
		),
		notePacked: client.prepare('update search_volumes set is_packed = ? where number = ?'),
		unpacked: client.prepare('select number from search_volumes where is_packed = 0 order by number limit 1'),
		hasNext: client.prepare('select 1 from submissions where id > ? and id <= ? limit 1'),
		readNext: client.prepare('select id, data from submissions where id > ? and id <= ? order by id limit ?'),
		hasRemovals: client.prepare('select 1 from search_removals limit 1'),
		/** The volume of the first removal, `null` if it comes before all, and where the next volume begins. */
		volumeOfRemoval: client.prepare(
			`select (select max(number) from search_volumes where first_id <= ${firstRemoval}),
				(select coalesce(min(first_id), ${Number.MAX_SAFE_INTEGER}) from search_volumes where first_id > ${firstRemoval})`,
		),
		totalChanges: client.prepare('select total_changes()'),
		arrivals: client.prepare(
			'select count(*), max(id) from (select id from submissions where id > ? order by id desc limit ?)',
		),
	};
}

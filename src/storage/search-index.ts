/**
 * Keeps the full-text index behind the submissions: what was stored is indexed a little later, in steps so small that
 * nobody waits for them. Each step commits together with the mark of how far it came, so a crash loses and repeats nothing.
 */

import type { Database } from 'bun:sqlite';
import { searchText, wordToken } from './search-text.ts';
import type { Writer } from './writer.ts';

const MARK = 'search_indexed_to';
const MAX_SUBMISSIONS_PER_STEP = 32;
const MAX_CHARACTERS_PER_STEP = 8000;
const MAX_REMOVALS_PER_STEP = 64;
const PAGES_MERGED_PER_STEP = 8;

const INDEXES = ['search_parts', 'search_words'] as const;

export type SearchIndex = ReturnType<typeof createSearchIndex>;

export function createSearchIndex(client: Database, writer: Writer) {
	const sql = prepareStatements(client);
	let mark: number | undefined;
	/** Whether pieces of the index that were written one by one may still be waiting to be put together. */
	let isScattered = true;

	function storedMark(): number {
		return Number(sql.readMark.values(MARK)[0]?.[0] ?? 0);
	}

	function addNext(lastId: number): void {
		let reached = storedMark();
		let characters = 0;
		for (const [id, data] of sql.readNext.values(reached, lastId, MAX_SUBMISSIONS_PER_STEP) as [number, string][]) {
			const { text, shortWords } = searchText(data);
			sql.addParts.run(id, text);
			if (shortWords.length > 0) sql.addWords.run(id, shortWords.map(wordToken).join(' '));
			reached = id;
			characters += data.length;
			if (characters > MAX_CHARACTERS_PER_STEP) break;
		}
		sql.writeMark.run(MARK, String(reached));
		mark = reached;
		isScattered = true;
	}

	function takeOutRemoved(): void {
		for (const statement of sql.takeOut) statement.run(MAX_REMOVALS_PER_STEP);
		sql.forgetRemovals.run(MAX_REMOVALS_PER_STEP);
		isScattered = true;
	}

	/** See https://sqlite.org/fts5.html#the_merge_command for how a step tells that it had nothing to do. */
	function merge(): void {
		const before = changes();
		for (const statement of sql.merge) statement.run(PAGES_MERGED_PER_STEP);
		isScattered = changes() - before >= 2 * INDEXES.length;
	}

	function changes(): number {
		return Number(sql.totalChanges.values()[0]?.[0]);
	}

	function nextStep(lastId: number): (() => void) | undefined {
		mark ??= storedMark();
		if (sql.hasNext.values(mark, lastId).length > 0) return () => addNext(lastId);
		// After what is new, because what is gone is not found anyway: the search looks for the submission itself.
		if (sql.hasRemovals.values().length > 0) return takeOutRemoved;
		return isScattered ? merge : undefined;
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
	const removed = '(select id from search_removals order by id limit ?)';
	return {
		readMark: client.prepare('select value from server_values where name = ?'),
		writeMark: client.prepare('insert or replace into server_values (name, value) values (?, ?)'),
		hasNext: client.prepare('select 1 from submissions where id > ? and id <= ? limit 1'),
		readNext: client.prepare('select id, data from submissions where id > ? and id <= ? order by id limit ?'),
		addParts: client.prepare('insert into search_parts (rowid, text) values (?, ?)'),
		addWords: client.prepare('insert into search_words (rowid, text) values (?, ?)'),
		hasRemovals: client.prepare('select 1 from search_removals limit 1'),
		takeOut: INDEXES.map((name) => client.prepare(`delete from ${name} where rowid in ${removed}`)),
		forgetRemovals: client.prepare(`delete from search_removals where id in ${removed}`),
		merge: INDEXES.map((name) => client.prepare(`insert into ${name} (${name}, rank) values ('merge', ?)`)),
		totalChanges: client.prepare('select total_changes()'),
		arrivals: client.prepare(
			'select count(*), max(id) from (select id from submissions where id > ? order by id desc limit ?)',
		),
	};
}

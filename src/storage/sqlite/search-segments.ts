/**
 * The segments that the full-text index is split into; what FTS5 calls segments inside them are pieces here. FTS5 merges
 * its index term by term, and a term that occurs nearly everywhere is as long as the index is large: in one index of a
 * million submissions it held up all requests for 100 ms. A segment is closed before that, and the next one begun.
 */

import type { Database } from 'bun:sqlite';

/** Trigrams, and words too short for them. */
const KINDS = ['parts', 'words'] as const;

const OPTIONS: Record<Kind, string> = {
	parts: "tokenize='trigram case_sensitive 1'",
	words: "detail=none, tokenize='ascii'",
};

/** How many pieces of one size there must be before they are merged (2 to 16): few large merges, then few pieces. */
const USER_MERGE = { open: 16, closed: 2 };
/** FTS5 merges synchronously at this many pieces; our incremental merges keep us far below it. */
const CRISIS_MERGE = 200;
/** How many closed segments give back their memory together. */
const RELEASED_TOGETHER = 8;

export type Kind = (typeof KINDS)[number];

export function segmentTable(kind: Kind, segment: number): string {
	return `search_${kind}_${segment}`;
}

export function segmentTables(segment: number): string[] {
	return KINDS.map((kind) => segmentTable(kind, segment));
}

/** Neither table keeps what it indexes (https://sqlite.org/fts5.html#contentless_delete_tables); a rowid is a submission's id. */
export function createSegmentTables(client: Database, segment: number): void {
	for (const kind of KINDS) {
		const table = segmentTable(kind, segment);
		client.run(`create virtual table ${table} using fts5(text, content='', contentless_delete=1, ${OPTIONS[kind]})`);
		// The program merges in steps of its own, so short that other writes hardly wait.
		configure(client, table, { automerge: 0, crisismerge: CRISIS_MERGE, usermerge: USER_MERGE.open });
	}
}

/** Lets later merges leave as few pieces as possible. */
export function closeSegmentTables(client: Database, segment: number): void {
	for (const table of segmentTables(segment)) configure(client, table, { usermerge: USER_MERGE.closed });
}

function configure(client: Database, table: string, options: Record<string, number>): void {
	for (const [name, value] of Object.entries(options)) {
		client.run(`insert into ${table} (${table}, rank) values (?, ?)`, [name, value]);
	}
}

/** FTS5 keeps a quarter of a MiB for each segment that a connection has written, until the connection reads its schema again. */
export function createSegmentMemory(client: Database) {
	let closed = 0;
	return {
		countClosed(): void {
			closed++;
		},
		/** Gives it back, now and then: all statements are prepared again afterwards, in a few milliseconds. Not within a transaction. */
		release(): void {
			if (closed < RELEASED_TOGETHER || client.inTransaction) return;
			closed = 0;
			client.run('pragma writable_schema = reset');
		},
	};
}

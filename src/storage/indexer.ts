/** Drives the search index of a running server: within a second behind the submissions, and out of their way. */

import type { Log } from '../log/log.ts';
import { repeat } from '../tasks/repeat.ts';
import type { Findings } from './findings.ts';
import { type Engine, rows } from './submissions/operation.ts';

const LOOK_EVERY_MS = 200;
/** When there was nothing to do. */
const IDLE_REST_MS = 250;
/**
 * After a step, as a multiple of the time that it took: usually, and between two steps that take out what was removed, which are
 * longer and not urgent.
 */
const REST = { usual: 2, clearing: 30 };
const MIN_REST_MS = 2;
/** More arrivals than this from one look to the next are a flood: too many to keep up with beside them, so the index waits. */
const FLOOD_ARRIVALS = 250;
const RETRY_AFTER_MS = 10_000;

interface FollowingIndex {
	/** Indexes some of the next settled submissions; `false` if there is nothing to do. */
	advance(): Promise<boolean>;
	/** Removes some deleted submissions; `false` if there is nothing to do. */
	clear(): Promise<boolean>;
}

/** How many submissions were stored since the one with an id ($1), up to a limit ($2), and the newest id. */
const ARRIVALS =
	'select count(*), max(id) from (select id from submissions where id > $1 order by id desc limit $2) new';

interface IndexerOptions extends Pick<Engine, 'read'> {
	search: FollowingIndex;
	findings: Pick<Findings, 'has'>;
}

/** Returns a function that stops it, and resolves once the present step has ended. */
export function startIndexer({ search, findings, read }: IndexerOptions, log: Log): () => Promise<void> {
	let lookedAt = performance.now();
	let isFlooded = false;
	let clearsAt = 0;
	let newest = 0;

	async function look(): Promise<void> {
		const at = performance.now();
		if (at - lookedAt < LOOK_EVERY_MS) return;
		lookedAt = at;
		const [[count, last] = [0, null]] = await read(
			rows<[number, number | null]>(ARRIVALS, [newest, 2 * FLOOD_ARRIVALS]),
		);
		isFlooded = count > FLOOD_ARRIVALS;
		newest = last ?? newest;
	}

	/** Returns the pause after it. */
	async function step(): Promise<number> {
		await look();
		// It would take the room that is kept for owners; what owners delete makes more, and goes on.
		if (isFlooded || findings.has('disk')) return IDLE_REST_MS;
		const started = performance.now();
		const tookMs = () => performance.now() - started;
		if (await search.advance()) return Math.max(MIN_REST_MS, tookMs() * REST.usual);
		if (started < clearsAt) return Math.min(IDLE_REST_MS, clearsAt - started);
		if (!(await search.clear())) return IDLE_REST_MS;
		clearsAt = performance.now() + tookMs() * REST.clearing;
		return MIN_REST_MS;
	}

	async function run(): Promise<number> {
		try {
			return await step();
		} catch (error) {
			log.error('The search index could not be brought up to date; it is tried again.', { cause: error });
			return RETRY_AFTER_MS;
		}
	}

	return repeat(run, 0).stop;
}

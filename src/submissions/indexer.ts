/** Drives the search index of a running server: within a second behind the submissions, and out of their way. */

import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';

const LOOK_EVERY_MS = 250;
/** Between two steps, as a multiple of the time that a step took: usually, and while submissions pour in. */
const REST = { usual: 2, flood: 30 };
const MIN_REST_MS = 2;
/** More arrivals than this between two steps, or in as many milliseconds as a look takes, are a flood. */
const FLOOD_ARRIVALS = 250;
const RETRY_AFTER_MS = 10_000;

export interface Indexer {
	/** Resolves once nothing is under way any more. */
	stop(): Promise<void>;
}

export function startIndexer({ search }: Pick<Storage, 'search'>, log: Log): Indexer {
	let isStopping = false;
	let newestSeen = search.arrivals(0, 1).newest;
	let wake = () => {};
	let lookedAt = performance.now();
	let isFlooded = false;

	/** Judged over at least one look's length, so that a single burst is none. */
	function look(): void {
		const at = performance.now();
		const lookMs = at - lookedAt;
		if (lookMs < LOOK_EVERY_MS) return;
		const { count, newest } = search.arrivals(newestSeen, 2 * FLOOD_ARRIVALS);
		isFlooded = count > FLOOD_ARRIVALS;
		newestSeen = newest;
		lookedAt = at;
	}

	async function rest(milliseconds: number): Promise<void> {
		if (isStopping) return;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, milliseconds);
			wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});
	}

	async function step(): Promise<number> {
		const started = performance.now();
		if (!(await search.advance())) return LOOK_EVERY_MS;
		const tookMs = performance.now() - started;
		look();
		return Math.max(MIN_REST_MS, tookMs * (isFlooded ? REST.flood : REST.usual));
	}

	async function run(): Promise<void> {
		while (!isStopping) {
			try {
				await rest(await step());
			} catch (error) {
				log.error('The search index could not be brought up to date; it is tried again.', { cause: error });
				await rest(RETRY_AFTER_MS);
			}
		}
	}

	const underWay = run();
	return {
		async stop() {
			isStopping = true;
			wake();
			await underWay;
		},
	};
}

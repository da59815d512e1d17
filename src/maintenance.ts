/**
 * What a running server does beside answering: removes the rows of deleted forms, forgets old idempotency keys, sessions
 * and sent mails, and keeps the log of the database small.
 */

import type { App } from './app.ts';

const EVERY_MS = 60_000;
/** Whether the clock was set. */
const LOOK_EVERY_MS = 1000;
/** Not at once: whoever starts a server waits for its first answer. */
const FIRST_AFTER_MS = 250;
/** Between two chunks of a large deletion, at least and as a multiple of the time that a chunk took: submissions come first. */
const MIN_PAUSE_MS = 5;
const PAUSE = 3;

export interface Maintenance {
	/** Resolves once nothing is under way any more. */
	stop(): Promise<void>;
}

export function startMaintenance({
	forms,
	intake,
	dispatch,
	sessions,
	storage,
	log,
}: Pick<App, 'forms' | 'intake' | 'dispatch' | 'sessions' | 'storage' | 'log'>): Maintenance {
	let isStopping = false;
	let timer = setTimeout(next, FIRST_AFTER_MS);
	const looking = setInterval(storage.clock.look, LOOK_EVERY_MS);
	let underWay = Promise.resolve();

	/** Lets submissions through between two chunks, and tells whether there may be another one. */
	function createPause(): () => Promise<boolean> {
		let began = performance.now();
		return async () => {
			await Bun.sleep(Math.max(MIN_PAUSE_MS, PAUSE * (performance.now() - began)));
			began = performance.now();
			return !isStopping;
		};
	}

	async function run(): Promise<void> {
		try {
			await forms.sweep(createPause());
			// What is forgotten by its age is forgotten for good: a wrong clock may be set right soon.
			if (storage.clock.isSettled()) {
				await intake.expire(createPause());
				await sessions.expire();
				await dispatch.deliveries.expire();
			}
			storage.maintain();
		} catch (error) {
			log.error('Maintenance failed; it is tried again in a minute.', { cause: error });
		}
		if (!isStopping) timer = setTimeout(next, EVERY_MS);
	}

	function next(): void {
		clearTimeout(timer);
		underWay = underWay.then(() => (isStopping ? undefined : run()));
	}

	forms.onRemoved(next);
	return {
		async stop() {
			isStopping = true;
			clearTimeout(timer);
			clearInterval(looking);
			await underWay;
		},
	};
}

/**
 * Maintenance of a running server: sweeps deleted forms, deletes expired idempotency keys, sessions and sent mails, and
 * keeps the write-ahead log small.
 */

import type { App } from './app.ts';
import { MINUTE_MS } from './durations.ts';

const EVERY_MS = MINUTE_MS;
const CLOCK_CHECK_MS = 1000;
/** Delayed, so that the first response does not wait for it. */
const FIRST_AFTER_MS = 250;
/** The pause between two chunks of a large deletion, at least and as a multiple of the chunk's duration: submissions go first. */
const MIN_PAUSE_MS = 5;
const PAUSE = 3;

export interface Maintenance {
	/** Resolves once the present run has ended. */
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
	const clockChecks = setInterval(storage.clock.look, CLOCK_CHECK_MS);
	let underWay = Promise.resolve();

	/** Returns a pause between two chunks, which resolves to whether to continue. */
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
			// Deletion by age is final, so it waits until the clock is settled.
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
			clearInterval(clockChecks);
			await underWay;
		},
	};
}

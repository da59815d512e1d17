/**
 * Maintenance of a running server: sweeps deleted forms and removed files, deletes expired idempotency keys, sessions,
 * sent mails and entries of the audit log, erases people, has stored submissions hold their unique values, has files scanned, learns what was marked as spam, and keeps the
 * write-ahead log small.
 */

import type { App } from '../app.ts';
import { expireAuditLog } from '../audit/entries.ts';
import { expireSentContent, SENT_CONTENT_DAYS } from '../delivery/sent-content.ts';
import { sweepFiles } from '../files/sweep.ts';
import { sweepForms } from '../forms/sweep.ts';
import { startLearning } from '../spam/bayes/learning.ts';
import { applyRetention } from '../submissions/retention.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../tasks/durations.ts';
import type { Pause } from '../tasks/in-chunks.ts';
import { repeat } from '../tasks/repeat.ts';

const EVERY_MS = MINUTE_MS;
/** How soon one is noticed that a command or another server left unfinished. */
const ERASE_EVERY_MS = 5000;
/** The longest pause of an erasure: most of what its pieces take is waiting for the thread that reads. */
const ERASE_PAUSE_MS = 100;
const CLOCK_CHECK_MS = 1000;
/** Delayed, so that the first requests do not wait for it. */
const FIRST_AFTER_MS = 250;
/** The pause between two chunks of a large deletion, at least and as a multiple of the chunk's duration: submissions go first. */
const MIN_PAUSE_MS = 5;
const PAUSE = 3;

export function startMaintenance(app: App): () => Promise<void> {
	const { config, now, dispatch, erasures, intake, sessions, files, spam, storage, uniqueValues, log } = app;
	let isStopping = false;
	/** The first is late, so that a clock that was wrong at the start has been set by then. */
	let retentionAt = performance.now() + HOUR_MS;
	const clockChecks = setInterval(storage.clock.look, CLOCK_CHECK_MS);

	/** Returns a pause between two chunks, which resolves to whether to continue. */
	function createPause(maxMs = Number.POSITIVE_INFINITY): Pause {
		let began = performance.now();
		return async () => {
			await Bun.sleep(Math.min(maxMs, Math.max(MIN_PAUSE_MS, PAUSE * (performance.now() - began))));
			began = performance.now();
			return !isStopping;
		};
	}

	async function deleteByAge(): Promise<void> {
		if (performance.now() < retentionAt || !storage.clock.isSettled() || storage.clock.report().problem !== null)
			return;
		retentionAt = performance.now() + HOUR_MS;
		const pause = createPause();
		const present = await applyRetention(storage, { pause, now: now(), log });
		if (present !== undefined) await expireAuditLog(storage, { before: present - config.auditDays * DAY_MS, pause });
	}

	async function run(): Promise<number> {
		try {
			await sweepForms(storage, { pause: createPause(), now });
			await uniqueValues.holdDue(createPause());
			// Deletion by age is final, so it waits until the clock is settled.
			if (storage.clock.isSettled()) {
				await intake.expire(createPause());
				await sessions.expire();
				await dispatch.visitors.bounds.expire();
				await expireSentContent(storage, { pause: createPause(), before: now() - SENT_CONTENT_DAYS * DAY_MS });
			}
			storage.maintain();
			await sweepFiles(storage, { store: files.store, pause: createPause() });
			await deleteByAge();
		} catch (error) {
			log.error('Maintenance failed; it is tried again in a minute.', { cause: error });
		}
		return EVERY_MS;
	}

	/** Beside the rest, which may take long: someone may wait for it. */
	async function erase(): Promise<number> {
		try {
			await erasures.run(createPause(ERASE_PAUSE_MS));
		} catch (error) {
			log.error('An erasure failed; it is tried again in a minute.', { cause: error });
		}
		return ERASE_EVERY_MS;
	}

	const runs = repeat(run, FIRST_AFTER_MS);
	const erasing = repeat(erase, FIRST_AFTER_MS);
	const { scanner } = config.files;
	const scanning =
		scanner &&
		import('../files/scanning.ts').then(({ startScanning }) =>
			startScanning(storage, { address: scanner, store: files.store, log }),
		);
	const stopLearning = startLearning({ ...spam, events: storage.events, log });
	const unsubscribe = storage.events.subscribe(['sweep'], () => {
		runs.wake();
		erasing.wake();
	});
	return async () => {
		isStopping = true;
		unsubscribe();
		clearInterval(clockChecks);
		await Promise.all([runs.stop(), erasing.stop(), stopLearning(), scanning?.then((stop) => stop())]);
	};
}

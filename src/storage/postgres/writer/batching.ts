/**
 * Gathers submissions into batches: a few large ones on their way cost less than many small ones, and while one is stored,
 * the next is taken in.
 */

import type { Stored } from './insert.ts';

const MAX_ROWS = 2000;
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** Batches that are on their way at the same time. */
export const MAX_IN_FLIGHT = 4;
/** The most turns of the event loop that a batch waits for; each has to bring submissions to share it. */
const MAX_TURNS = 4;
/** A batch waits for so many as are on their way already, but no longer than this. */
const PATIENCE_MS = 10;
/** Decay of the peak per batch. */
const FADING = 0.995;

/** A submission that waits since a moment. */
export type Waiting = Stored & { since: number };

interface BatchingOptions<Job> {
	/** Must not fail. */
	send(batch: readonly Job[]): Promise<void>;
	/** How long a submission waits to be sent, and what becomes of it then. */
	deadlineMs: number;
	expire(job: Job): void;
}

export function createBatching<Job extends Waiting>({ send, deadlineMs, expire }: BatchingOptions<Job>) {
	const queue: Job[] = [];
	const inFlight = new Set<readonly Job[]>();
	/** Batches with an unknown outcome; others go past them. */
	const uncertain = new Set<readonly Job[]>();
	let isScheduled = false;
	let turns = 0;
	let seen = 0;
	let rowsInFlight = 0;
	/** The most that waited and were on their way at one time lately. */
	let peak = 0;
	let patience: ReturnType<typeof setTimeout> | undefined;

	function schedule(): void {
		if (isScheduled) return;
		isScheduled = true;
		setImmediate(pump);
	}

	function pump(): void {
		if (queue.length > seen && turns < MAX_TURNS && inFlight.size < MAX_IN_FLIGHT) {
			seen = queue.length;
			turns++;
			setImmediate(pump);
			return;
		}
		isScheduled = false;
		turns = 0;
		seen = 0;
		while (queue.length > 0 && queue.length >= rowsInFlight && inFlight.size < MAX_IN_FLIGHT) sendOff();
		if (queue.length > 0) wait();
	}

	function wait(): void {
		patience ??= setTimeout(losePatience, PATIENCE_MS);
	}

	function losePatience(): void {
		patience = undefined;
		const late = performance.now() - deadlineMs;
		while (queue[0] && queue[0].since < late) expire(queue.shift() as Job);
		if (queue.length > 0 && inFlight.size < MAX_IN_FLIGHT) sendOff();
		schedule();
	}

	function sendOff(): void {
		const batch = take();
		peak *= FADING;
		if (queue.length === 0) {
			clearTimeout(patience);
			patience = undefined;
		}
		inFlight.add(batch);
		rowsInFlight += batch.length;
		void send(batch).finally(() => {
			letPass(batch);
			uncertain.delete(batch);
		});
	}

	function letPass(batch: readonly Job[]): void {
		if (!inFlight.delete(batch)) return;
		uncertain.add(batch);
		rowsInFlight -= batch.length;
		if (queue.length > 0) schedule();
	}

	function take(): Job[] {
		let characters = 0;
		let count = 0;
		while (count < queue.length && count < MAX_ROWS && characters < MAX_CHARACTERS)
			characters += queue[count++]?.row.data.length ?? 0;
		return queue.splice(0, count);
	}

	return {
		add(job: Job): void {
			queue.push(job);
			peak = Math.max(peak, queue.length + rowsInFlight);
			// Half of them: so one half is stored while the other half is taken in.
			const isHalf = queue.length >= Math.max(rowsInFlight, peak / 2);
			if (isHalf && inFlight.size < MAX_IN_FLIGHT) sendOff();
			else if (inFlight.size === 0) schedule();
			else wait();
		},
		/** Lets others overtake the batch of a submission, whose outcome may stay unknown for long. */
		letPass(job: Job): void {
			for (const batch of inFlight) if (batch.includes(job)) letPass(batch);
		},
		/** Returns the smallest id of all that wait or are on their way. */
		oldestId(): number | undefined {
			let oldest: number | undefined;
			for (const batch of [queue, ...inFlight, ...uncertain])
				for (const { id } of batch) if (oldest === undefined || id < oldest) oldest = id;
			return oldest;
		},
		/** Resolves when nothing waits or is on its way any more. */
		async drain(): Promise<void> {
			while (queue.length > 0 || inFlight.size > 0 || uncertain.size > 0) {
				schedule();
				await Bun.sleep(1);
			}
		},
	};
}

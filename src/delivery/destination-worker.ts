/** One destination at work: takes what is due as fast as the destination bears it, and writes down what became of it. */

import { encodeId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { DeliveryRow } from '../storage/tables.ts';
import type { Attempt, Channel } from './channel.ts';
import { createCircuitBreaker, type Pace } from './circuit-breaker.ts';
import type { Outcome } from './outcome.ts';
import type { DueDelivery, Queue } from './queue.ts';

/** How far the selection looks ahead. */
const PAGE = 50;
/**
 * In a flood, when the selection puts deliveries elsewhere, it looks further ahead but less often: each time costs a
 * transaction, and visitors come first.
 */
const FLOOD_PAGE = 400;
const FLOOD_PAUSE_MS = 100;
const SHORTEST_SLEEP_MS = 20;
const SETTLE_AGAIN_MS = 1_000;

export interface Selection {
	/** Chooses which of the due deliveries may go now, and puts some of the others elsewhere. */
	choose(due: DueDelivery[], underWay: readonly DeliveryRow[]): Promise<{ chosen: DueDelivery[]; putAway: number }>;
	sent(row: DeliveryRow, at: number): void;
}

export interface DestinationWorkerOptions {
	queue: Queue;
	channel: Channel;
	log: Log;
	now: () => number;
	pace: Pace;
	signal: AbortSignal;
	/** For the log. */
	name: string;
	/** The lane sets itself no alarm beyond that: somebody looks after it as often. */
	tickMs: number;
	selection?: Selection;
}

export type DestinationWorker = ReturnType<typeof createDestinationWorker>;

export function createDestinationWorker({
	queue,
	channel,
	log,
	now,
	pace,
	signal,
	name,
	tickMs,
	selection,
}: DestinationWorkerOptions) {
	const health = createCircuitBreaker({ concurrency: channel.concurrency, pace });
	const underWay = new Map<number, DeliveryRow>();
	const work = new Set<Promise<void>>();
	let page = PAGE;
	let isPumping = false;
	let isAskedAgain = false;
	let isStopping = false;
	let alarm: ReturnType<typeof setTimeout> | undefined;

	/** Keeps hold of a promise until it is done, so that stopping can wait for it. */
	function track(task: Promise<void>): void {
		const watched: Promise<void> = task
			.catch((error) => log.error('The outbox cannot be worked on; it is tried again.', { cause: error }))
			.finally(() => work.delete(watched));
		work.add(watched);
	}

	function wake(): void {
		if (isStopping) return;
		isAskedAgain = true;
		if (isPumping) return;
		isPumping = true;
		track(pump());
	}

	async function pump(): Promise<void> {
		try {
			// One look for all that is stored in this turn of the event loop.
			await new Promise((resolve) => setImmediate(resolve));
			while (isAskedAgain && !isStopping) {
				isAskedAgain = false;
				if (await takeSome()) isAskedAgain = true;
			}
		} finally {
			isPumping = false;
		}
		await setAlarm();
	}

	/** Wakes the lane when the next delivery falls due, or the hold ends. */
	async function setAlarm(): Promise<void> {
		if (isFull()) return;
		const heldUntil = health.heldUntil();
		const next = heldUntil > now() ? heldUntil : await queue.nextDue();
		clearTimeout(alarm);
		if (next === undefined || next - now() >= tickMs || isStopping) return;
		alarm = setTimeout(wake, Math.max(next - now(), SHORTEST_SLEEP_MS));
	}

	/** Whether the end of what is under way is all that can bring the lane on. */
	const isFull = () => underWay.size > 0 && underWay.size >= health.limit(now());

	/** Starts as many as may go; answers whether there may be more to do at once. */
	async function takeSome(): Promise<boolean> {
		const free = health.limit(now()) - underWay.size;
		if (free <= 0) return false;
		const due = (await queue.due(selection ? page : free + underWay.size)).filter(({ id }) => !underWay.has(id));
		const { chosen, putAway } = (await selection?.choose(due, [...underWay.values()])) ?? { chosen: due, putAway: 0 };
		const ids = chosen.slice(0, free).map(({ id }) => id);
		page = putAway > 0 ? FLOOD_PAGE : PAGE;
		if (ids.length === 0 || isStopping) {
			if (putAway > 0) await Bun.sleep(FLOOD_PAUSE_MS);
			return putAway > 0;
		}
		for (const row of await queue.claim(ids)) {
			underWay.set(row.id, row);
			track(deliver(row));
		}
		return true;
	}

	async function deliver(row: DeliveryRow): Promise<void> {
		const { outcome, kept } = await attempt(row);
		if (outcome.kind === 'refused') log.warn(`${name} was refused for good.`, { delivery: encodeId(row.id) });
		await settle(row, outcome, kept);
		if (outcome.kind === 'sent') selection?.sent(row, now());
		underWay.delete(row.id);
		wake();
	}

	async function attempt(row: DeliveryRow): Promise<Attempt> {
		try {
			const tried = await channel.send(row, { signal });
			if (!signal.aborted) recordHealth(row, tried.outcome);
			return tried;
		} catch (error) {
			if (signal.aborted) return { outcome: { kind: 'ill', error: 'The server was stopped meanwhile' } };
			log.error('A delivery could not be tried.', { delivery: encodeId(row.id), cause: error });
			return { outcome: { kind: 'retry', error: 'A fault of the server; its log says more' } };
		}
	}

	/** What was decided has to get onto the disk, or it would be sent twice: a full disk is waited for. */
	async function settle(row: DeliveryRow, outcome: Outcome, kept?: string): Promise<void> {
		const content = outcome.kind === 'sent' || outcome.kind === 'refused' ? kept : undefined;
		for (;;) {
			try {
				return await queue.settle(row, { outcome, content });
			} catch (error) {
				log.error('What became of a delivery cannot be stored.', { delivery: encodeId(row.id), cause: error });
				if (isStopping) return;
				await Bun.sleep(SETTLE_AGAIN_MS);
			}
		}
	}

	function recordHealth(row: DeliveryRow, outcome: Outcome): void {
		const wasHeld = health.trouble() !== null;
		const subject = row.webhookId === null ? {} : { webhook: encodeId(row.webhookId) };
		health.record(outcome, now());
		const trouble = health.trouble();
		if (trouble && !wasHeld) log.warn(`${name} is held back: ${trouble.reason}`, subject);
		if (!trouble && wasHeld) log.info(`${name} goes out again.`, subject);
	}

	return {
		wake,
		isIdle: (): boolean => underWay.size === 0 && !isPumping,
		trouble: health.trouble,
		takeBack: queue.takeBack,
		/** Looks after what nobody told it of: another process's doing, and a clock that was set. */
		async look(): Promise<void> {
			await queue.bringForward();
			wake();
		},
		retryNow(): void {
			health.release();
			wake();
		},
		/** Extends the leases of what is under way. */
		renew(): void {
			if (underWay.size === 0) return;
			track(queue.renew([...underWay.keys()]));
		},
		/** Takes nothing new; resolves when nothing is under way any more. */
		async stop(): Promise<void> {
			isStopping = true;
			clearTimeout(alarm);
			while (work.size > 0) await Promise.all(work);
		},
	};
}

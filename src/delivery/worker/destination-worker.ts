/** The worker of one destination: claims due deliveries as fast as its circuit breaker allows, and stores the outcomes. */

import { encodeId } from '../../ids.ts';
import type { Log } from '../../log/log.ts';
import type { DeliveryRow } from '../../storage/tables.ts';
import type { Attempt, Channel } from '../channel.ts';
import { type CircuitBreakerOptions, createCircuitBreaker, type ProbeWait } from './circuit-breaker.ts';
import type { Outcome } from './outcome.ts';
import type { DueDelivery, Queue } from './queue.ts';

/** How many due deliveries the selection chooses from. */
const PAGE_SIZE = 50;
/**
 * While the selection defers deliveries, a flood has come: it gets more at a time but less often, because each time costs
 * a transaction, and submissions have priority.
 */
const FLOOD_PAGE_SIZE = 400;
const FLOOD_PAUSE_MS = 100;
const SHORTEST_SLEEP_MS = 20;
const RETRY_STORE_MS = 1_000;

export interface DueSelection {
	/** Chooses which due deliveries may go now, and defers others: to a later time, or into a digest. */
	choose(due: DueDelivery[], inFlight: readonly DeliveryRow[]): Promise<{ chosen: DueDelivery[]; deferred: number }>;
	/** Notes the outcome of an attempt. */
	count(row: DeliveryRow, attempt: { outcome: Outcome; at: number }): void;
	/** Forgets attempts that failed: an owner wants others at once. */
	forgive(): void;
}

export interface DestinationWorkerOptions {
	queue: Queue;
	channel: Channel;
	log: Log;
	now: () => number;
	probeWait: ProbeWait;
	/** One that was open when the process before ended. */
	outage?: CircuitBreakerOptions['outage'];
	signal: AbortSignal;
	/** The longest timer that is set; the caller polls at this interval. */
	tickMs: number;
	selection: DueSelection | undefined;
}

export type DestinationWorker = ReturnType<typeof createDestinationWorker>;

export function createDestinationWorker(options: DestinationWorkerOptions) {
	const { queue, channel, log, now, probeWait, outage, signal, tickMs, selection } = options;
	const breaker = createCircuitBreaker({ concurrency: channel.concurrency, wait: probeWait, outage });
	const inFlight = new Map<number, DeliveryRow>();
	const tasks = new Set<Promise<void>>();
	let pageSize = PAGE_SIZE;
	let isPumping = false;
	let isWakePending = false;
	let isStopping = false;
	let timer: ReturnType<typeof setTimeout> | undefined;

	/** Keeps a promise until it is done, so that `stop` can wait for it. */
	function track(task: Promise<void>): void {
		const watched: Promise<void> = task
			.catch((error) => log.error('The outbox cannot be processed; this is retried.', { cause: error }))
			.finally(() => tasks.delete(watched));
		tasks.add(watched);
	}

	function wake(): void {
		if (isStopping) return;
		isWakePending = true;
		if (isPumping) return;
		isPumping = true;
		track(pump());
	}

	async function pump(): Promise<void> {
		try {
			// One query for everything that is stored in this turn of the event loop.
			await new Promise((resolve) => setImmediate(resolve));
			while (isWakePending && !isStopping) {
				isWakePending = false;
				if (await startSome()) isWakePending = true;
			}
		} finally {
			isPumping = false;
		}
		await setTimer();
	}

	/** Wakes the worker when the next delivery falls due, or the pause ends. */
	async function setTimer(): Promise<void> {
		if (isFull()) return;
		const pausedUntil = breaker.pausedUntil();
		const next = pausedUntil > now() ? pausedUntil : await queue.nextDue();
		clearTimeout(timer);
		if (next === undefined || next - now() >= tickMs || isStopping) return;
		timer = setTimeout(wake, Math.max(next - now(), SHORTEST_SLEEP_MS));
	}

	/** Returns whether the next attempt must wait for the end of one in flight, which wakes the worker by itself. */
	const isFull = () => inFlight.size > 0 && inFlight.size >= breaker.limit(now());

	/** Starts as many attempts as allowed. Returns whether there may be more to do at once. */
	async function startSome(): Promise<boolean> {
		const free = breaker.limit(now()) - inFlight.size;
		if (free <= 0) return false;
		const due = await queue.due(selection ? pageSize : free);
		const { chosen, deferred } = (await selection?.choose(due, [...inFlight.values()])) ?? { chosen: due, deferred: 0 };
		const ids = chosen.slice(0, free).map(({ id }) => id);
		pageSize = deferred > 0 ? FLOOD_PAGE_SIZE : PAGE_SIZE;
		if (ids.length === 0 || isStopping) {
			if (deferred > 0) await Bun.sleep(FLOOD_PAUSE_MS);
			return deferred > 0;
		}
		for (const row of await queue.claim(ids)) {
			inFlight.set(row.id, row);
			track(deliver(row));
		}
		return true;
	}

	async function deliver(row: DeliveryRow): Promise<void> {
		const { outcome, kept } = await send(row);
		if (outcome.kind === 'rejected')
			log.warn(`${channel.title} was rejected permanently.`, { delivery: encodeId(row.id) });
		await complete(row, outcome, kept);
		selection?.count(row, { outcome, at: now() });
		inFlight.delete(row.id);
		wake();
	}

	async function send(row: DeliveryRow): Promise<Attempt> {
		try {
			const attempt = await channel.send(row, { signal });
			if (!signal.aborted) recordOutcome(row, attempt.outcome);
			return attempt;
		} catch (error) {
			if (signal.aborted) return { outcome: { kind: 'unavailable', error: 'The server was stopped meanwhile' } };
			log.error('A delivery could not be tried.', { delivery: encodeId(row.id), cause: error });
			return { outcome: { kind: 'retry', error: 'Internal error; see the server log' } };
		}
	}

	/** Retries until the outcome is on disk, for example while the disk is full: otherwise it would be sent twice. */
	async function complete(row: DeliveryRow, outcome: Outcome, kept?: string): Promise<void> {
		const content = outcome.kind === 'sent' || outcome.kind === 'rejected' ? kept : undefined;
		for (;;) {
			try {
				return await queue.complete(row, { outcome, content });
			} catch (error) {
				log.error('The outcome of a delivery cannot be stored.', { delivery: encodeId(row.id), cause: error });
				if (isStopping) return;
				await Bun.sleep(RETRY_STORE_MS);
			}
		}
	}

	function recordOutcome(row: DeliveryRow, outcome: Outcome): void {
		const wasPaused = breaker.outage() !== null;
		const subject = row.webhookId === null ? {} : { webhook: encodeId(row.webhookId) };
		breaker.record(outcome, now());
		const present = breaker.outage();
		if (present && !wasPaused) log.warn(`${channel.title} is paused: ${present.reason}`, subject);
		if (!present && wasPaused) log.info(`${channel.title} goes out again.`, subject);
	}

	return {
		wake,
		isIdle: (): boolean => inFlight.size === 0 && !isPumping,
		outage: breaker.outage,
		forgetOutage: breaker.forget,
		hasWaiting: queue.hasWaiting,
		/** Picks up rows that another process changed or left unfinished, and clock changes. */
		async poll(): Promise<void> {
			await queue.reschedule();
			await queue.requeueExpired([...inFlight.keys()]);
			wake();
		},
		retryNow(): void {
			breaker.endPause();
			selection?.forgive();
			wake();
		},
		/** Extends the leases of the attempts in flight. */
		renew(): void {
			if (inFlight.size === 0) return;
			track(queue.renew([...inFlight.keys()]));
		},
		/** Stops claiming; resolves when no attempt is in flight any more. */
		async stop(): Promise<void> {
			isStopping = true;
			clearTimeout(timer);
			while (tasks.size > 0) await Promise.all(tasks);
		},
	};
}

/** Sends the deliveries of the outbox with one worker for each destination, woken by new rows and by polling. */

import { and, eq, exists, isNotNull, or } from 'drizzle-orm';
import type { AppEvent } from '../../events.ts';
import type { Log } from '../../log/log.ts';
import type { Storage } from '../../storage/contract.ts';
import type { Pause } from '../../storage/pauses.ts';
import { CHANNELS, deliveries, webhooks } from '../../storage/tables.ts';
import { lazy } from '../../tasks/lazy.ts';
import { repeat } from '../../tasks/repeat.ts';
import { type Channels, type Destination, destinationOf } from '../channel.ts';
import { PROBE_WAIT, type ProbeWait } from './circuit-breaker.ts';
import { createDestinationWorker, type DestinationWorker } from './destination-worker.ts';
import { createPauseStore, readPauses } from './pauses.ts';
import { createQueue, type QueueOptions } from './queue.ts';

export interface WorkerTiming {
	/** How long a claim lasts unless it is renewed: so long do deliveries wait whose worker died. */
	leaseMs: number;
	/** Polling interval: picks up rows that another process changed, and clock changes. */
	tickMs: number;
	probeWait: ProbeWait;
}

export const WORKER_TIMING: WorkerTiming = { leaseMs: 15_000, tickMs: 5_000, probeWait: PROBE_WAIT };

const RENEWALS_PER_LEASE = 3;

export interface WorkerOptions {
	storage: Storage;
	channels: Channels;
	failures: QueueOptions['failures'];
	log: Log;
	now: () => number;
	timing?: WorkerTiming;
}

/** Why mail is paused, readable; times in milliseconds since 1970. */
export type MailOutage = Extract<AppEvent, { type: 'mail' }>['outage'];

export type Worker = ReturnType<typeof startWorker>;

/** For the leader: the circuit breakers and the mail cap are in its memory. */
export function startWorker(options: WorkerOptions) {
	const { storage, channels, failures, log, now, timing = WORKER_TIMING } = options;
	const abort = new AbortController();
	/** Each map is by the keys of destinations. */
	const workers = new Map<string, DestinationWorker>();
	let urls = new Map<string, string>();
	/** By the process before. */
	let pausedBefore = new Map<string, Pause>();
	const keepPauses = createPauseStore(storage);
	let hasBegun = false;
	let unsubscribe = () => {};
	let isStopping = false;

	function workerOf(destination: Destination): DestinationWorker {
		const { key } = destination;
		const known = workers.get(key);
		if (known) return known;
		const channel = channels[destination.channel];
		const outage = pausedBefore.get(key);
		pausedBefore.delete(key);
		const queue = createQueue(storage, destination, {
			schedule: channel.schedule,
			leaseMs: timing.leaseMs,
			now,
			failures,
		});
		const worker = createDestinationWorker({
			queue,
			channel,
			log,
			now,
			probeWait: timing.probeWait,
			outage,
			tickMs: timing.tickMs,
			signal: abort.signal,
			selection: channel.select?.(queue),
		});
		workers.set(key, worker);
		return worker;
	}

	const selectTargets = lazy(() => {
		const { id, url, isActive, disabledReason } = webhooks;
		const ofIt = and(
			eq(deliveries.channel, 'webhook'),
			eq(deliveries.webhookId, id),
			isNotNull(deliveries.nextAttemptAt),
		);
		const left = exists(storage.db.select({ id: deliveries.id }).from(deliveries).where(ofIt));
		const isTarget = or(eq(isActive, true), and(isNotNull(disabledReason), left));
		return storage.db.select({ id, url }).from(webhooks).where(isTarget).prepare();
	});

	/**
	 * The workers of all destinations there are: those of the channels that are one, the active webhooks, and those that were disabled
	 * with an attempt in flight, perhaps of a server that ended then: what is left there fails.
	 */
	async function activeWorkers(): Promise<DestinationWorker[]> {
		const targets = await selectTargets().execute();
		const destinations = CHANNELS.flatMap((channel) =>
			channels[channel].isByWebhook
				? targets.map(({ id, url }) => ({ ...destinationOf({ channel, webhookId: id }), url }))
				: { ...destinationOf({ channel }), url: '' },
		);
		const before = urls;
		urls = new Map(destinations.map(({ key, url }) => [key, url]));
		for (const [key, worker] of workers) {
			if (!urls.has(key) && worker.isIdle()) workers.delete(key);
			if (before.has(key) && before.get(key) !== urls.get(key)) worker.forgetOutage();
		}
		return destinations.map(workerOf);
	}

	/** Those for which something waits: without it no attempt would show that they are over. */
	async function pauses(): Promise<Pause[]> {
		const present: Pause[] = [];
		for (const [key, worker] of workers) {
			const outage = worker.outage();
			if (!outage || !(await worker.hasWaiting())) continue;
			const { since, reason } = outage;
			present.push({ key, host: URL.parse(urls.get(key) ?? '')?.host ?? null, since, reason });
		}
		return present;
	}

	async function begin(): Promise<void> {
		pausedBefore = new Map((await readPauses(storage)).map((pause) => [pause.key, pause]));
		unsubscribe = storage.events.subscribe(['due', 'retry'], onEvent);
		hasBegun = true;
	}

	/**
	 * At the request of an owner, a destination is tried even if it is paused. Another server may be of a version with channels that
	 * this one has not.
	 */
	function onEvent({ type, ...event }: Extract<AppEvent, { type: 'due' | 'retry' }>): void {
		const channel = CHANNELS.find((name) => name === event.channel);
		if (channel === undefined || isStopping) return;
		const worker = workerOf(destinationOf({ ...event, channel }));
		if (type === 'due') worker.wake();
		else worker.retryNow();
	}

	/** Mails to visitors go through the same server. */
	const mailOutage = (): MailOutage => workers.get('mail')?.outage() ?? workers.get('visitor')?.outage() ?? null;

	async function tick(): Promise<number> {
		try {
			if (!hasBegun) await begin();
			for (const worker of await activeWorkers()) await worker.poll();
			await keepPauses(await pauses());
			if (storage.isShared) storage.events.publish({ type: 'mail', outage: mailOutage() });
		} catch (error) {
			log.error('The outbox cannot be read; this is retried.', { cause: error });
		}
		return timing.tickMs;
	}

	const renewal = setInterval(() => {
		for (const worker of workers.values()) worker.renew();
	}, timing.leaseMs / RENEWALS_PER_LEASE);

	const ticks = repeat(tick, 0);

	return {
		mailOutage,
		/** Stops claiming, waits up to `graceMs` for attempts in flight, then aborts and requeues them. */
		async stop(graceMs: number): Promise<void> {
			isStopping = true;
			unsubscribe();
			await ticks.stop();
			const finished = Promise.all([...workers.values()].map((worker) => worker.stop()));
			const grace = Promise.withResolvers<void>();
			const graceTimer = setTimeout(grace.resolve, graceMs);
			await Promise.race([finished, grace.promise]);
			clearTimeout(graceTimer);
			abort.abort();
			await finished;
			clearInterval(renewal);
			// The next leader continues with them, and doctor knows of them meanwhile.
			const noted = hasBegun ? pauses().then(keepPauses) : Promise.resolve();
			await noted.catch((cause) => log.warn('Pauses could not be noted.', { cause }));
		},
	};
}

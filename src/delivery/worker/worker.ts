/** Sends the deliveries of the outbox with one worker for each destination, woken by new rows and by polling. */

import { eq } from 'drizzle-orm';
import type { AppEvent } from '../../events.ts';
import type { Log } from '../../log/log.ts';
import type { Storage } from '../../storage/contract.ts';
import type { Pause } from '../../storage/pauses.ts';
import type { NewDelivery } from '../../storage/submission.ts';
import { type Channel as ChannelName, webhooks } from '../../storage/tables.ts';
import { lazy } from '../../tasks/lazy.ts';
import { repeat } from '../../tasks/repeat.ts';
import type { Channel } from '../channel.ts';
import { createMailCap } from '../mail/cap.ts';
import { createDigests } from '../mail/digests.ts';
import { createMailSelection, readSentMails } from '../mail/selection.ts';
import type { Outbox } from '../outbox.ts';
import { PROBE_WAIT, type ProbeWait } from './circuit-breaker.ts';
import { createDestinationWorker, type DestinationWorker } from './destination-worker.ts';
import { createPauseStore, readPauses } from './pauses.ts';
import { createQueue, type Destination } from './queue.ts';

export interface WorkerTiming {
	/** How long a claim lasts unless it is renewed: so long do deliveries wait whose worker died. */
	leaseMs: number;
	/** Polling interval: picks up rows that another process changed, and clock changes. */
	tickMs: number;
	probeWait: ProbeWait;
}

export const WORKER_TIMING: WorkerTiming = { leaseMs: 15_000, tickMs: 5_000, probeWait: PROBE_WAIT };

const RENEWALS_PER_LEASE = 3;
const MAIL: Destination = { channel: 'mail', webhookId: null };

export interface WorkerOptions {
	storage: Storage;
	outbox: Pick<Outbox, 'onWake'>;
	channels: Record<ChannelName, Channel>;
	mailPerHour: number;
	log: Log;
	now?: () => number;
	timing?: WorkerTiming;
}

/** Why mail is paused, readable; times in milliseconds since 1970. */
export type MailOutage = Extract<AppEvent, { type: 'mail' }>['outage'];

export type Worker = ReturnType<typeof startWorker>;

/** For the leader: the circuit breakers and the mail cap are in its memory. */
export function startWorker(options: WorkerOptions) {
	const { storage, outbox, channels, mailPerHour, log, now = Date.now, timing = WORKER_TIMING } = options;
	const abort = new AbortController();
	const workers = new Map<number | null, DestinationWorker>();
	/** The hosts of webhooks. */
	let hosts = new Map<number | null, string>();
	/** By the process before. */
	let pausedBefore = new Map<number | null, Pause>();
	const keepPauses = createPauseStore(storage);
	const cap = createMailCap(mailPerHour);
	const digests = createDigests(storage, log);
	let hasBegun = false;
	let unsubscribe = () => {};
	let isStopping = false;

	function workerOf(destination: Destination): DestinationWorker {
		const known = workers.get(destination.webhookId);
		if (known) return known;
		const channel = channels[destination.channel];
		const outage = pausedBefore.get(destination.webhookId);
		pausedBefore.delete(destination.webhookId);
		const queue = createQueue(storage, destination, { schedule: channel.schedule, leaseMs: timing.leaseMs, now });
		const isMail = destination.channel === 'mail';
		const worker = createDestinationWorker({
			queue,
			channel,
			log,
			now,
			probeWait: timing.probeWait,
			outage,
			tickMs: timing.tickMs,
			signal: abort.signal,
			name: isMail ? 'Mail' : 'Webhook',
			...(isMail && { selection: createMailSelection(queue, { digests, cap, now }) }),
		});
		workers.set(destination.webhookId, worker);
		return worker;
	}

	const selectActive = lazy(() =>
		storage.db
			.select({ id: webhooks.id, url: webhooks.url })
			.from(webhooks)
			.where(eq(webhooks.isActive, true))
			.prepare(),
	);

	/** The workers of mail and of all active webhooks. */
	async function activeWorkers(): Promise<DestinationWorker[]> {
		const targets = await selectActive().execute();
		hosts = new Map(targets.map(({ id, url }) => [id, URL.parse(url)?.host ?? '']));
		const ids = new Set<number | null>([null, ...targets.map(({ id }) => id)]);
		for (const [id, worker] of workers) if (!ids.has(id) && worker.isIdle()) workers.delete(id);
		return [...ids].map((id) => workerOf(id === null ? MAIL : { channel: 'webhook', webhookId: id }));
	}

	/** Those for which something waits: without it no attempt would show that they are over. */
	async function pauses(): Promise<Pause[]> {
		const present: Pause[] = [];
		for (const [webhookId, worker] of workers) {
			const outage = worker.outage();
			if (!outage || !(await worker.hasWaiting())) continue;
			const { since, reason } = outage;
			present.push({ webhookId, host: hosts.get(webhookId) ?? null, since, reason });
		}
		return present;
	}

	async function begin(): Promise<void> {
		pausedBefore = new Map((await readPauses(storage)).map((pause) => [pause.webhookId, pause]));
		for (const { formId, finishedAt } of await readSentMails(storage, now())) cap.count(formId, finishedAt);
		outbox.onWake((rows: readonly NewDelivery[]) => {
			for (const { channel, webhookId = null, state } of rows) {
				if (state === 'waiting' && !isStopping) workerOf({ channel, webhookId }).wake();
			}
		});
		if (storage.isShared) unsubscribe = storage.events.subscribe(['due', 'retry'], hear);
		hasBegun = true;
	}

	/** Other servers take submissions and owners' requests too. */
	function hear(event: Extract<AppEvent, { type: 'due' | 'retry' }>): void {
		if (isStopping) return;
		if (event.type === 'due') workerOf(event).wake();
		else retryNow().catch((cause) => log.error('The outbox cannot be read.', { cause }));
	}

	const mailOutage = (): MailOutage => workers.get(null)?.outage() ?? null;

	async function retryNow(): Promise<void> {
		if (hasBegun) for (const worker of await activeWorkers()) worker.retryNow();
	}

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
		/** Probes paused destinations at once, at the owner's request. */
		retryNow,
		/** Stops claiming, waits up to `graceMs` for attempts in flight, then aborts and requeues them. */
		async stop(graceMs: number): Promise<void> {
			isStopping = true;
			outbox.onWake(undefined);
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
			// So that the next one goes on with them, and doctor knows of them meanwhile.
			const noted = hasBegun ? pauses().then(keepPauses) : Promise.resolve();
			await noted.catch((cause) => log.warn('Pauses could not be noted.', { cause }));
		},
	};
}

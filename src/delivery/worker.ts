/** Sends what the outbox holds: woken by new rows and by the clock, one lane for each destination. */

import { eq } from 'drizzle-orm';
import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import type { NewDelivery } from '../storage/submission.ts';
import { type Channel as ChannelName, webhooks } from '../storage/tables.ts';
import type { Channel } from './channel.ts';
import { PACE, type Pace } from './circuit-breaker.ts';
import { createDestinationWorker, type DestinationWorker } from './destination-worker.ts';
import { createDigests } from './digests.ts';
import { createMailCap } from './mail-cap.ts';
import { createMailSelection, readSentMails } from './mail-selection.ts';
import type { Outbox } from './outbox.ts';
import { createQueue, type Destination } from './queue.ts';

export interface WorkerTiming {
	/** Not at once: whoever starts a server waits for its first answer. */
	firstAfterMs: number;
	/** How long a delivery belongs to a worker that does not renew it. */
	leaseMs: number;
	/** How often every lane is looked after: it notices by then what another process put back, and a clock that was set. */
	tickMs: number;
	pace: Pace;
}

export const WORKER_TIMING: WorkerTiming = { firstAfterMs: 100, leaseMs: 60_000, tickMs: 5_000, pace: PACE };

const RENEWALS_PER_LEASE = 3;
const MAIL: Destination = { channel: 'mail', webhookId: null };

export interface WorkerOptions {
	storage: Storage;
	outbox: Pick<Outbox, 'onDue'>;
	channels: Record<ChannelName, Channel>;
	mailPerHour: number;
	log: Log;
	now?: () => number;
	timing?: WorkerTiming;
}

/** Why mail does not go out at the moment, for people; moments in milliseconds since 1970. */
export type MailTrouble = { since: number; reason: string; nextProbeAt: number } | null;

export type Worker = ReturnType<typeof startWorker>;

/** There must be no other at work on the same outbox: what is under way there is taken for left behind by a crash. */
export function startWorker(options: WorkerOptions) {
	const { storage, outbox, channels, mailPerHour, log, now = Date.now, timing = WORKER_TIMING } = options;
	const abort = new AbortController();
	const lanes = new Map<number | null, DestinationWorker>();
	const ceiling = createMailCap(mailPerHour);
	const digests = createDigests(storage, log);
	let timer: ReturnType<typeof setTimeout> | undefined;
	let ticking: Promise<void> = Promise.resolve();
	let hasBegun = false;
	let isStopping = false;

	function laneOf(destination: Destination): DestinationWorker {
		const known = lanes.get(destination.webhookId);
		if (known) return known;
		const channel = channels[destination.channel];
		const queue = createQueue(storage, destination, { schedule: channel.schedule, leaseMs: timing.leaseMs, now });
		const isMail = destination.channel === 'mail';
		const lane = createDestinationWorker({
			queue,
			channel,
			log,
			now,
			pace: timing.pace,
			tickMs: timing.tickMs,
			signal: abort.signal,
			name: isMail ? 'Mail' : 'Webhook',
			...(isMail && { selection: createMailSelection({ queue, digests, ceiling, now }) }),
		});
		lanes.set(destination.webhookId, lane);
		return lane;
	}

	/** Of all that may have something to send now. */
	async function allLanes(): Promise<DestinationWorker[]> {
		const targets = await storage.db.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.isActive, true));
		const ids = new Set<number | null>([null, ...targets.map(({ id }) => id)]);
		for (const [id, lane] of lanes) if (!ids.has(id) && lane.isIdle()) lanes.delete(id);
		return [...ids].map((id) => laneOf(id === null ? MAIL : { channel: 'webhook', webhookId: id }));
	}

	/** Takes back what a crash left under way. Nothing is sent before, because from then on it would not be told apart. */
	async function begin(): Promise<void> {
		for (const lane of await allLanes()) await lane.takeBack();
		for (const { formId, finishedAt } of await readSentMails(storage, now())) ceiling.count(formId, finishedAt);
		outbox.onDue((rows: readonly NewDelivery[]) => {
			for (const { channel, webhookId = null, state } of rows) {
				if (state === 'waiting' && !isStopping) laneOf({ channel, webhookId }).wake();
			}
		});
		hasBegun = true;
	}

	async function tick(): Promise<void> {
		try {
			if (!hasBegun) await begin();
			for (const lane of await allLanes()) await lane.look();
		} catch (error) {
			log.error('The outbox cannot be read; it is tried again.', { cause: error });
		}
		if (!isStopping) tickIn(timing.tickMs);
	}

	function tickIn(ms: number): void {
		timer = setTimeout(() => {
			ticking = tick();
		}, ms);
	}

	const renewal = setInterval(() => {
		for (const lane of lanes.values()) lane.renew();
	}, timing.leaseMs / RENEWALS_PER_LEASE);

	tickIn(timing.firstAfterMs);

	return {
		mailTrouble: (): MailTrouble => lanes.get(null)?.trouble() ?? null,
		/** Somebody asks for it now: what is held is probed at once. */
		async retryNow(): Promise<void> {
			if (hasBegun) for (const lane of await allLanes()) lane.retryNow();
		},
		/** Takes nothing new, lets what is under way finish for so long, then breaks it off and gives it back. */
		async stop(graceMs: number): Promise<void> {
			isStopping = true;
			clearTimeout(timer);
			await ticking;
			clearTimeout(timer);
			const finished = Promise.all([...lanes.values()].map((lane) => lane.stop()));
			const grace = Promise.withResolvers<void>();
			const graceTimer = setTimeout(grace.resolve, graceMs);
			await Promise.race([finished, grace.promise]);
			clearTimeout(graceTimer);
			abort.abort();
			await finished;
			clearInterval(renewal);
		},
	};
}

/** Assembles everything outgoing: the outbox, its channels and the worker. */

import type { Storage } from '../storage/contract.ts';
import { createShare } from '../tasks/byte-budget.ts';
import type { Destination } from './channel.ts';
import { type ChannelOptions, createChannels } from './channels.ts';
import { type MailSettings, readMailSetup } from './mail/setup.ts';
import { createOutbox } from './outbox.ts';
import type { MailOutage, startWorker, Worker, WorkerTiming } from './worker/worker.ts';

/** Memory for submissions in flight; untrusted receivers decide how long they occupy it. */
const CONTENT_BYTES = 16 * 1024 * 1024;

/** `baseUrl` is used until {@link Dispatch.start} replaces it; `budget` is that of all submitted content. */
export interface DispatchOptions extends MailSettings, Omit<ChannelOptions, 'mail' | 'now'> {
	now?: () => number;
	timing?: WorkerTiming;
}

export type Dispatch = ReturnType<typeof createDispatch>;

/** @throws Error with a sentence for the operator if the mail settings are wrong */
export function createDispatch(storage: Storage, options: DispatchOptions) {
	const { log, now = Date.now, timing } = options;
	const budget = createShare(options.budget, CONTENT_BYTES);
	const mail = readMailSetup(options);
	const channels = createChannels(storage, { ...options, mail, budget, now });
	const outbox = createOutbox(storage, { channels, now });
	let worker: Worker | undefined;
	/** At the server that sends, if that is another. */
	let outageElsewhere: MailOutage = null;
	if (storage.isShared)
		storage.events.subscribe(['mail'], ({ outage }) => {
			outageElsewhere = outage;
		});

	return {
		mail,
		outbox,
		channels,
		mailOutage: (): MailOutage => (worker ? worker.mailOutage() : outageElsewhere),
		/**
		 * To be called when an owner made deliveries to these destinations due. In a command there is no worker: a running
		 * server finds due rows within seconds.
		 */
		onDue(destinations: Iterable<Destination>): void {
			for (const destination of destinations) {
				const { channel, webhookId } = destination;
				if (worker) worker.retryNow(destination);
				else storage.events.publish({ type: 'retry', channel, webhookId });
			}
		},
		/**
		 * Starts the worker; mails link to `baseUrl`. Returns a function that stops it within about `graceMs`.
		 * @param run Passed by the caller, so that a process that sends nothing does not load it.
		 */
		start(run: typeof startWorker, baseUrl: string): (graceMs: number) => Promise<void> {
			mail.identity = { ...mail.identity, baseUrl };
			const started = run({ storage, outbox, channels, log, now, timing });
			worker = started;
			return async (graceMs) => {
				if (worker === started) worker = undefined;
				await started.stop(graceMs);
			};
		},
	};
}

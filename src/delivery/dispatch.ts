/** Assembles everything outgoing: the outbox, its channels and the worker. */

import { type Mailbox, parseMailbox } from '../config/mailbox.ts';
import { parseSmtpUrl, type SmtpServer } from '../config/smtp-url.ts';
import type { FileStore } from '../files/file-store.ts';
import type { FileLinks } from '../files/links.ts';
import type { Log } from '../log/log.ts';
import type { GuardedPost } from '../network/guarded-request.ts';
import type { Storage } from '../storage/contract.ts';
import { type ByteBudget, createShare } from '../tasks/byte-budget.ts';
import { type Channel, lazyMessages } from './channel.ts';
import type { MailIdentity } from './mail/email.ts';
import { createOutbox } from './outbox.ts';
import { MAIL_SCHEDULE, WEBHOOK_SCHEDULE } from './worker/backoff.ts';
import type * as WorkerModule from './worker/worker.ts';
import type { MailOutage, Worker, WorkerTiming } from './worker/worker.ts';

/** Memory for submissions in flight; untrusted receivers decide how long they occupy it. */
const CONTENT_BYTES = 16 * 1024 * 1024;
/** Attempts in flight: to the mail server, and to one webhook. */
const MAILS_AT_ONCE = 4;
const REQUESTS_AT_ONCE = 2;
/** Sender of mails that are only shown, while no sender is set. */
const PLACEHOLDER_SENDER: Mailbox = { name: '', address: 'formsrv@localhost' };

export interface DispatchOptions {
	/** `null`: mail is withheld. */
	smtpUrl: string | null;
	mailFrom: string | null;
	mailPerHour: number;
	/** Public address of the dashboard, until {@link Dispatch.start} replaces it. */
	baseUrl: string;
	/** Posts to webhooks. */
	post: GuardedPost;
	/** The budget of all submitted content in memory. */
	budget: Pick<ByteBudget, 'take'>;
	/** The bytes of attached files, and links to them. */
	store: Pick<FileStore, 'read'>;
	links: Pick<FileLinks, 'create'>;
	log: Log;
	now?: () => number;
	timing?: WorkerTiming;
}

/** The sender of mails and the server that takes them. */
export interface MailSetup {
	server: SmtpServer | null;
	identity: MailIdentity;
}

export type Dispatch = ReturnType<typeof createDispatch>;

/** @throws Error with a sentence for the operator if the mail settings are wrong */
export function createDispatch(storage: Storage, options: DispatchOptions) {
	const { mailPerHour, post, store, links, log, now = Date.now, timing } = options;
	const budget = createShare(options.budget, CONTENT_BYTES);
	const mail = readMailSetup(options);
	const channels: Record<'mail' | 'webhook', Channel> = {
		mail: {
			schedule: MAIL_SCHEDULE,
			concurrency: MAILS_AT_ONCE,
			...lazyMessages(async () => {
				const { createMailChannel } = await import('./mail/channel.ts');
				return createMailChannel(storage, { server: mail.server, identity: () => mail.identity, budget, store });
			}),
		},
		webhook: {
			schedule: WEBHOOK_SCHEDULE,
			concurrency: REQUESTS_AT_ONCE,
			...lazyMessages(async () => {
				const { createWebhookChannel } = await import('./webhooks/channel.ts');
				return createWebhookChannel(storage, { post, budget, links, baseUrl: () => mail.identity.baseUrl, now });
			}),
		},
	};
	const outbox = createOutbox(storage, { mayMail: mail.server !== null, now });
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
		/** To be called when an owner made something due. In a command there is no worker: a running server finds due rows within seconds. */
		async onDue(): Promise<void> {
			if (worker) await worker.retryNow();
			else storage.events.publish({ type: 'retry' });
		},
		/** Starts the worker; mails link to `baseUrl`. Returns a function that stops it within about `graceMs`. */
		start(baseUrl: string): (graceMs: number) => Promise<void> {
			mail.identity = { ...mail.identity, baseUrl };
			const { startWorker } = require('./worker/worker.ts') as typeof WorkerModule;
			worker = startWorker({ storage, outbox, channels, mailPerHour, log, now, timing });
			const started = worker;
			return async (graceMs) => {
				if (worker === started) worker = undefined;
				await started.stop(graceMs);
			};
		},
	};
}

/** @throws Error with a sentence for the operator */
export function readMailSetup({
	smtpUrl,
	mailFrom,
	baseUrl,
}: Pick<DispatchOptions, 'smtpUrl' | 'mailFrom' | 'baseUrl'>): MailSetup {
	const from = mailFrom === null ? PLACEHOLDER_SENDER : parseMailbox(mailFrom);
	if (!from) throw new Error('FORMSRV_MAIL_FROM must be one mail address, such as Forms <forms@example.com>.');
	return { server: smtpUrl === null ? null : parseSmtpUrl(smtpUrl), identity: { from, baseUrl } };
}

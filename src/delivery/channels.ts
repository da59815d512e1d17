/** Every channel once: where deliveries go by it, how often they are tried, and what sends them. */

import type { FileStore } from '../files/file-store.ts';
import type { FileLinks } from '../files/links.ts';
import { matches } from '../form-values/conditions.ts';
import { formatRecipients, recipientsOf } from '../form-values/notification-rules.ts';
import type { Log } from '../log/log.ts';
import type { GuardedPost } from '../network/guarded-request.ts';
import type { Storage } from '../storage/contract.ts';
import type { ByteBudget } from '../tasks/byte-budget.ts';
import { type Channels, lazyMessages } from './channel.ts';
import { SUBMISSION_CREATED } from './events.ts';
import { createMailSelection } from './mail/selection.ts';
import { type MailSetup, NO_MAIL_SERVER } from './mail/setup.ts';
import type { VisitorLinks } from './visitor/links.ts';
import type { VisitorBounds } from './visitor/mail-bounds.ts';
import { visitorTargets } from './visitor/targets.ts';
import { MAIL_SCHEDULE, VISITOR_SCHEDULE, WEBHOOK_SCHEDULE } from './worker/backoff.ts';

export interface ChannelOptions {
	mail: MailSetup;
	/** The language of mails about forms without one of their own. */
	language?: string;
	mailPerHour: number;
	post: GuardedPost;
	budget: Pick<ByteBudget, 'take'>;
	/** The bytes of attached files, and links to them. */
	store: Pick<FileStore, 'read'>;
	links: Pick<FileLinks, 'create'>;
	visitors: { bounds: VisitorBounds; links: VisitorLinks };
	log: Log;
	now: () => number;
}

export function createChannels(
	storage: Storage,
	{ mail, language = 'en', mailPerHour, post, budget, store, links, visitors, log, now }: ChannelOptions,
): Channels {
	return {
		mail: {
			title: 'Mail',
			isByWebhook: false,
			schedule: MAIL_SCHEDULE,
			concurrency: 4,
			get withheld() {
				return mail.server === null ? NO_MAIL_SERVER : null;
			},
			targets(form, { event, texts }) {
				const recipients = event === SUBMISSION_CREATED ? recipientsOf(form, texts) : undefined;
				return recipients ? [{ destination: formatRecipients(recipients) }] : [];
			},
			select: (queue) => createMailSelection(storage, queue, { perHour: mailPerHour, log, now }),
			...lazyMessages(async () => {
				const { createMailChannel } = await import('./mail/channel.ts');
				return createMailChannel(storage, { setup: mail, language, budget, store });
			}),
		},
		/** By itself, so that rejected visitors do not pause the mails to owners. */
		visitor: {
			title: 'Mail to visitors',
			isByWebhook: false,
			schedule: VISITOR_SCHEDULE,
			concurrency: 4,
			get withheld() {
				return mail.server === null ? NO_MAIL_SERVER : null;
			},
			targets: visitorTargets,
			...lazyMessages(async () => {
				const { createVisitorChannel } = await import('./visitor/channel.ts');
				return createVisitorChannel(storage, { setup: mail, language, budget, ...visitors, now });
			}),
		},
		webhook: {
			title: 'Webhook',
			isByWebhook: true,
			schedule: WEBHOOK_SCHEDULE,
			concurrency: 2,
			withheld: null,
			targets: (_form, { event, hooks, texts }) =>
				hooks
					.filter(({ events, where }) => events.includes(event) && matches(where, texts))
					.map(({ id, url }) => ({ webhookId: id, destination: url })),
			...lazyMessages(async () => {
				const { createWebhookChannel } = await import('./webhooks/channel.ts');
				return createWebhookChannel(storage, { post, budget, links, baseUrl: () => mail.identity.baseUrl, now });
			}),
		},
	};
}

/** Assembles everything outgoing: the outbox, its channels, the worker, and what owners see and do. */

import type { Storage } from '../storage/contract.ts';
import type { Mode } from '../storage/tables.ts';
import { createShare } from '../tasks/byte-budget.ts';
import { type ChannelOptions, createChannels } from './channels.ts';
import { createDeliveries } from './deliveries.ts';
import { shownMail } from './mail/kept-mail.ts';
import type { SampleOptions } from './mail/sample.ts';
import { identityIn, type MailSettings, readMailSetup } from './mail/setup.ts';
import { createOutbox } from './outbox.ts';
import { createRetries } from './retries.ts';
import type { MailContent } from './schema.ts';
import { createAddressKeys } from './visitor/address-keys.ts';
import { type ConfirmationsOptions, createConfirmations } from './visitor/confirmations.ts';
import { createVisitorLinks } from './visitor/links.ts';
import { createVisitorBounds } from './visitor/mail-bounds.ts';
import { type MailOutage, startWorker, type Worker, type WorkerTiming } from './worker/worker.ts';

/** Memory for submissions in flight; untrusted receivers decide how long they occupy it. */
const CONTENT_BYTES = 16 * 1024 * 1024;

/** `baseUrl` is used until {@link Dispatch.start} replaces it; `budget` is that of all submitted content. */
export interface DispatchOptions
	extends MailSettings,
		Omit<ChannelOptions, 'mail' | 'now' | 'visitors'>,
		Pick<ConfirmationsOptions, 'uniqueValuesOf'> {
	now?: () => number;
	timing?: WorkerTiming;
}

export type Dispatch = ReturnType<typeof createDispatch>;

/** @throws Error with a sentence for the operator if the mail settings are wrong */
export function createDispatch(storage: Storage, options: DispatchOptions) {
	const { log, language = 'en', uniqueValuesOf, now = Date.now, timing } = options;
	const budget = createShare(options.budget, CONTENT_BYTES);
	const mail = readMailSetup(options);
	const keys = createAddressKeys(storage);
	const bounds = createVisitorBounds(storage, { keys, now });
	const links = createVisitorLinks(keys);
	const channels = createChannels(storage, { ...options, mail, budget, visitors: { bounds, links }, now });
	const outbox = createOutbox(storage, { channels, now });
	const confirmations = createConfirmations(storage, { outbox, links, keys, uniqueValuesOf, now });
	let worker: Worker | undefined;
	/** At the server that sends, if that is another. */
	let outageElsewhere: MailOutage = null;
	if (storage.isShared)
		storage.events.subscribe(['mail'], ({ outage }) => {
			outageElsewhere = outage;
		});
	const mailOutage = (): MailOutage => (worker ? worker.mailOutage() : outageElsewhere);

	async function sampleOptions(id: string, mode?: Mode): Promise<SampleOptions> {
		const form = await storage.findForm(id, mode);
		const identity = await identityIn(form, { ...mail, language });
		return { form, identity, id: storage.nextId(), at: new Date(now()) };
	}

	return {
		outbox,
		deliveries: createDeliveries(storage, { channels, isMailSet: () => mail.server !== null, mailOutage }),
		retries: createRetries(storage, now),
		visitors: { bounds, links, keys, confirmations },
		/** Public address of the dashboard. */
		baseUrl: () => mail.identity.baseUrl,
		/** As the function of `test-mail.ts`, loaded on demand with the mail library. */
		async sendTestMail(to: string): Promise<string> {
			const { sendTestMail } = await import('./mail/test-mail.ts');
			return sendTestMail(to, { ...mail, language, now });
		},
		/** The mail of a form with invented values. The functions throw FORM_NOT_FOUND, and CONFLICT with what is wrong. */
		formMail: {
			async show(id: string, mode?: Mode): Promise<MailContent> {
				const { renderSample } = await import('./mail/sample.ts');
				return shownMail(renderSample(await sampleOptions(id, mode)));
			},
			async send(id: string, mode?: Mode): Promise<{ reply: string; to: string[] }> {
				const { sendSample } = await import('./mail/sample.ts');
				return sendSample({ ...(await sampleOptions(id, mode)), server: mail.server });
			},
		},
		/** Takes a changed mail server, sender or time zone into use, and has waiting mails tried at once. */
		useMail(settings: Omit<MailSettings, 'baseUrl' | 'submitUrl'>): void {
			const { identity, submitUrl } = mail;
			Object.assign(mail, readMailSetup({ ...settings, baseUrl: identity.baseUrl, submitUrl }));
			for (const channel of ['mail', 'visitor'] as const)
				storage.events.publish({ type: 'retry', channel, webhookId: null });
		},
		/** Starts the worker; mails link to these addresses. Returns a function that stops it within about `graceMs`. */
		start(baseUrl: string, submitUrl = baseUrl): (graceMs: number) => Promise<void> {
			mail.identity = { ...mail.identity, baseUrl };
			mail.submitUrl = submitUrl;
			const started = startWorker({ storage, channels, failures: outbox, log, now, timing });
			worker = started;
			return async (graceMs) => {
				if (worker === started) worker = undefined;
				await started.stop(graceMs);
			};
		},
	};
}

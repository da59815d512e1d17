/** The channel of mails to visitors: each takes its place within the bounds before it is sent. */

import { eq } from 'drizzle-orm';
import type { Autoresponder } from '../../form-values/visitor-mails.ts';
import type { Storage } from '../../storage/contract.ts';
import { type DeliveryRow, forms } from '../../storage/tables.ts';
import type { ByteBudget } from '../../tasks/byte-budget.ts';
import { MINUTE_MS } from '../../tasks/durations.ts';
import { isEmailAddress } from '../../text/email-address.ts';
import { placeholdersIn } from '../../text/placeholders.ts';
import type { Content, Messages } from '../channel.ts';
import type { Mail } from '../mail/email.ts';
import { keptMail, shownMail } from '../mail/kept-mail.ts';
import { identityIn, type MailSetup, NO_MAIL_SERVER } from '../mail/setup.ts';
import { sendMail } from '../mail/smtp.ts';
import type { Outcome } from '../worker/outcome.ts';
import type { VisitorBounds } from './bounds.ts';
import type { VisitorLinks } from './links.ts';
import { renderResponse } from './mails.ts';

/** The text of the fields, parsed, and in the mail. */
const COPIES = 4;

export interface VisitorChannelOptions {
	/** Read for every mail, because it may change. */
	setup: Readonly<MailSetup>;
	/** That of visitors who ask for none that there is. */
	language: string;
	budget: Pick<ByteBudget, 'take'>;
	bounds: Pick<VisitorBounds, 'admit' | 'reject'>;
	links: Pick<VisitorLinks, 'stopToken'>;
}

export function createVisitorChannel(
	storage: Storage,
	{ setup, language, budget, bounds, links }: VisitorChannelOptions,
): Messages {
	const { db } = storage;

	/** The text of the fields if the mail needs it. */
	async function textFor(row: DeliveryRow, { subject, text }: Autoresponder): Promise<string> {
		if (placeholdersIn(`${subject} ${text}`).length === 0) return '{}';
		const bytes = await storage.submissions.text({ formId: row.formId, id: row.submissionId ?? -1 });
		return bytes ? new TextDecoder().decode(bytes) : '{}';
	}

	async function render(
		row: DeliveryRow,
		{ evenSpam, signal }: { evenSpam: boolean; signal?: AbortSignal },
	): Promise<{ mail: Mail; plannedAt: number } | Outcome> {
		const [form] = await db.select().from(forms).where(eq(forms.id, row.formId));
		if (!form || form.deletedAt !== null) return { kind: 'rejected', error: 'The form was deleted' };
		const head = await storage.submissions.head(form.id, row.submissionId ?? -1);
		if (!head) return { kind: 'rejected', error: 'The submission was deleted' };
		if (head.isSpam && !evenSpam) return { kind: 'withheld', error: 'The submission is marked as spam' };
		const to = row.destination;
		if (!isEmailAddress(to)) return { kind: 'rejected', error: `"${to}" is not a mail address` };
		const { autoresponder } = form;
		if (!autoresponder) return { kind: 'rejected', error: 'The form sends no automatic response any more' };
		const identity = await identityIn(form, { ...setup, language: row.language ?? language });
		const stopUrl = `${setup.submitUrl}/f/${form.slug}/stop/${await links.stopToken(to)}`;
		const madeAt = storage.clock.timeline().millisOf(row.id);
		const release = await budget.take(COPIES * head.bytes, signal);
		try {
			const data = await textFor(row, autoresponder);
			const visitor = { form, to, id: row.id, at: new Date(madeAt), stopUrl };
			const mail = renderResponse(identity, { ...visitor, mail: autoresponder, data });
			return { mail, plannedAt: madeAt + autoresponder.delayMinutes * MINUTE_MS };
		} finally {
			release();
		}
	}

	return {
		async send(row, { signal }) {
			const { server } = setup;
			if (!server) return { outcome: { kind: 'unavailable', error: NO_MAIL_SERVER } };
			const rendered = await render(row, { evenSpam: false, signal });
			if ('kind' in rendered) return { outcome: rendered };
			const { mail, plannedAt } = rendered;
			const sending = { id: row.id, formId: row.formId, kind: 'response', to: row.destination, plannedAt } as const;
			const objection = await bounds.admit(sending);
			if (objection !== undefined) return { outcome: { kind: 'withheld', error: objection } };
			const outcome = await sendMail(server, mail, { signal });
			if (outcome.kind === 'rejected' && outcome.isRecipient) await bounds.reject(row.destination);
			return { outcome, kept: keptMail(mail) };
		},
		async compose(row) {
			const rendered = await render(row, { evenSpam: true });
			return 'kind' in rendered ? undefined : shownMail(rendered.mail);
		},
		recall: async (_row, kept) => JSON.parse(kept) as Content,
	};
}

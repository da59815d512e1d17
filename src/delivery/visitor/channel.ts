/** The channel of mails to visitors: each takes its place within the bounds before it is sent. */

import { eq } from 'drizzle-orm';
import { type Autoresponder, CONFIRMATION_DAYS } from '../../form-values/visitor-mails.ts';
import type { Storage } from '../../storage/contract.ts';
import type { SubmissionHead } from '../../storage/submission.ts';
import { type DeliveryRow, forms } from '../../storage/tables.ts';
import type { VisitorMailKind } from '../../storage/visitor-tables.ts';
import type { ByteBudget } from '../../tasks/byte-budget.ts';
import { DAY_MS, MINUTE_MS } from '../../tasks/durations.ts';
import { isEmailAddress } from '../../text/email-address.ts';
import { placeholdersIn } from '../../text/placeholders.ts';
import type { Content, Messages } from '../channel.ts';
import { CONFIRMATION_ASKED } from '../events.ts';
import type { Mail, MailIdentity } from '../mail/email.ts';
import { keptMail, shownMail } from '../mail/kept-mail.ts';
import { identityIn, type MailSetup, NO_MAIL_SERVER } from '../mail/setup.ts';
import { sendMail } from '../mail/smtp.ts';
import type { Outcome } from '../worker/outcome.ts';
import type { VisitorLinks } from './links.ts';
import type { VisitorBounds } from './mail-bounds.ts';
import { renderConfirmation, renderResponse, type ToVisitor } from './mails.ts';

/** The text of the fields, parsed, and in the mail. */
const COPIES = 4;

interface VisitorChannelOptions {
	/** Read for every mail, because it may change. */
	setup: Readonly<MailSetup>;
	/** That of visitors who ask for none that there is. */
	language: string;
	budget: Pick<ByteBudget, 'take'>;
	bounds: Pick<VisitorBounds, 'admit' | 'reject'>;
	links: Pick<VisitorLinks, 'stopToken' | 'confirmToken'>;
	now: () => number;
}

interface Rendered {
	mail: Mail;
	/** It as its owner sees it. */
	shown: Mail;
	kind: VisitorMailKind;
	/** When it was to be sent first, in milliseconds since 1970. */
	plannedAt: number;
}

interface Rendering {
	row: DeliveryRow;
	head: SubmissionHead;
	identity: MailIdentity;
	visitor: ToVisitor;
	signal: AbortSignal | undefined;
}

export function createVisitorChannel(
	storage: Storage,
	{ setup, language, budget, bounds, links, now }: VisitorChannelOptions,
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
	): Promise<Rendered | Outcome> {
		const [form] = await db.select().from(forms).where(eq(forms.id, row.formId));
		if (!form || form.deletedAt !== null) return { kind: 'rejected', error: 'The form was deleted' };
		const head = await storage.submissions.head(form.id, row.submissionId ?? -1);
		if (!head) return { kind: 'rejected', error: 'The submission was deleted' };
		if (head.isSpam && !evenSpam) return { kind: 'withheld', error: 'The submission is marked as spam' };
		const to = row.destination;
		if (!isEmailAddress(to)) return { kind: 'rejected', error: `"${to}" is not a mail address` };
		const identity = await identityIn(form, { ...setup, language: row.language ?? language });
		const stopUrl = `${setup.submitUrl}/f/${form.slug}/stop/${await links.stopToken(to)}`;
		const at = new Date(storage.clock.timeline().millisOf(row.id));
		const rendering = { row, head, identity, visitor: { form, to, id: row.id, at, stopUrl }, signal };
		return row.event === CONFIRMATION_ASKED ? confirmation(rendering) : response(rendering);
	}

	async function response({ row, head, identity, visitor, signal }: Rendering): Promise<Rendered | Outcome> {
		const { autoresponder } = visitor.form;
		if (!autoresponder) return { kind: 'rejected', error: 'The form sends no automatic response any more' };
		using _held = await budget.take(COPIES * head.bytes, signal);
		const data = await textFor(row, autoresponder);
		const mail = renderResponse(identity, { ...visitor, mail: autoresponder, data });
		return {
			mail,
			shown: mail,
			kind: 'response',
			plannedAt: visitor.at.getTime() + autoresponder.delayMinutes * MINUTE_MS,
		};
	}

	/** In the words of the form, or ours if it asks for no confirmations any more: what was submitted before still waits for one. */
	async function confirmation({ head, identity, visitor }: Rendering): Promise<Rendered | Outcome> {
		const { form } = visitor;
		if (!head.isPending) return { kind: 'rejected', error: 'The submission waits for no confirmation any more' };
		const receivedAt = storage.clock.timeline().millisOf(head.id);
		if (receivedAt + CONFIRMATION_DAYS * DAY_MS <= now())
			return { kind: 'rejected', error: `The submission waited for ${CONFIRMATION_DAYS} days` };
		const token = await links.confirmToken({ formId: form.id, submissionId: head.id }, visitor.to);
		const confirmUrl = `${setup.submitUrl}/f/${form.slug}/confirm/${token}`;
		const mail = renderConfirmation(identity, { ...visitor, mail: form.confirm, confirmUrl });
		// The owner cannot confirm; a mail of a test form goes to no one else.
		const shown = form.mode === 'test' ? mail : withoutToken(mail, token);
		return { mail, shown, kind: 'confirmation', plannedAt: visitor.at.getTime() };
	}

	return {
		async send(row, { signal }) {
			const { server } = setup;
			if (!server) return { outcome: { kind: 'unavailable', error: NO_MAIL_SERVER } };
			const rendered = await render(row, { evenSpam: false, signal });
			if (!('mail' in rendered)) return { outcome: rendered };
			const { mail, shown, kind, plannedAt } = rendered;
			const sending = { id: row.id, formId: row.formId, kind, to: row.destination, plannedAt };
			const objection = await bounds.admit(sending);
			if (objection !== undefined) return { outcome: { kind: 'withheld', error: objection } };
			const outcome = await sendMail(server, mail, { signal });
			if (outcome.kind === 'rejected' && outcome.isRecipient) await bounds.reject(row.destination);
			return { outcome, kept: keptMail(shown) };
		},
		async compose(row) {
			const rendered = await render(row, { evenSpam: true });
			return 'mail' in rendered ? shownMail(rendered.shown) : undefined;
		},
		recall: async (_row, kept) => JSON.parse(kept) as Content,
	};
}

function withoutToken({ text, html, ...mail }: Mail, token: string): Mail {
	const [shownText = '', shownHtml = ''] = [text, html].map((part) => part.replaceAll(token, '…'));
	return { ...mail, text: shownText, html: shownHtml };
}

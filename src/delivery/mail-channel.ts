/** Mail as a channel of the outbox: a delivery becomes a mail, and one attempt to send it. */

import { and, count, desc, eq, exists, inArray, sql } from 'drizzle-orm';
import type { SmtpServer } from '../config/smtp-url.ts';
import { isEmailAddress } from '../email-address.ts';
import type { Storage } from '../storage/storage.ts';
import { type DeliveryRow, deliveries, type FormRow, forms, submissions } from '../storage/tables.ts';
import { renderAddressNotice } from './address-notice.ts';
import { MAIL_SCHEDULE } from './backoff.ts';
import type { Channel } from './channel.ts';
import {
	DIGEST_READS,
	type Mail,
	type MailIdentity,
	NOTIFICATION_READS,
	type NotifiedSubmission,
	renderDigest,
	renderNotification,
} from './email.ts';
import { ADDRESS_CHANGED } from './outbox.ts';
import type { Outcome } from './outcome.ts';
import { SMTP_TIMEOUTS, type SmtpTimeouts, sendMail } from './smtp.ts';

export const SUBMISSIONS_DIGEST = 'submissions.digest';

const CONCURRENCY = 4;
const DIGEST_SHOWS = 50;

export interface MailChannelOptions {
	/** `null` while no mail server is set: mails can be shown, not sent. */
	server: SmtpServer | null;
	/** Asked at every mail, because the public address may be known only once the server listens. */
	identity: () => MailIdentity;
	timeouts?: SmtpTimeouts;
}

export function createMailChannel(
	storage: Storage,
	{ server, identity, timeouts = SMTP_TIMEOUTS }: MailChannelOptions,
): Channel {
	const { db } = storage;

	/** A submission without more of its text than a mail is made from. */
	async function readBeginning(formId: number, id: number, { textMax }: { textMax: number }) {
		const [submission] = await db
			.select({
				id: submissions.id,
				data: sql<string>`substr(${submissions.data}, 1, ${textMax})`,
				subject: submissions.subject,
				replyTo: submissions.replyTo,
				isSpam: submissions.isSpam,
			})
			.from(submissions)
			.where(and(eq(submissions.id, id), eq(submissions.formId, formId)));
		return submission;
	}

	async function render(row: DeliveryRow, { evenSpam }: { evenSpam: boolean }): Promise<Mail | Outcome> {
		const [form] = await db.select().from(forms).where(eq(forms.id, row.formId));
		if (!form || form.deletedAt !== null) return { kind: 'refused', error: 'The form was deleted' };
		const to = row.destination.split(',').map((address) => address.trim());
		const wrong = to.find((address) => !isEmailAddress(address));
		if (wrong !== undefined) return { kind: 'refused', error: `"${wrong}" is not a mail address` };
		if (row.event === SUBMISSIONS_DIGEST) return digest(row, { form, to });
		if (row.event === ADDRESS_CHANGED) return renderAddressNotice(identity(), { id: row.id, form, to });
		const submission = await readBeginning(form.id, row.submissionId ?? -1, NOTIFICATION_READS);
		if (!submission) return { kind: 'refused', error: 'The submission was deleted' };
		if (submission.isSpam && !evenSpam) return { kind: 'withheld', error: 'The submission is marked as spam' };
		return renderNotification(identity(), { form, submission, to });
	}

	/** A part of a digest that was split off stands for the same submissions as the whole. */
	async function digest(row: DeliveryRow, { form, to }: { form: FormRow; to: string[] }): Promise<Mail | Outcome> {
		const id = row.digestId ?? row.id;
		const notSpam = db
			.select({ id: submissions.id })
			.from(submissions)
			.where(and(eq(submissions.id, deliveries.submissionId), eq(submissions.isSpam, false)));
		const isGathered = and(eq(deliveries.digestId, id), eq(deliveries.state, 'gathered'), exists(notSpam));
		const [counted] = await db.select({ total: count() }).from(deliveries).where(isGathered);
		const total = counted?.total ?? 0;
		if (total === 0) return { kind: 'refused', error: 'All submissions of this digest were deleted or marked as spam' };
		const latestIds = db
			.select({ id: deliveries.submissionId })
			.from(deliveries)
			.where(isGathered)
			.orderBy(desc(deliveries.id))
			.limit(DIGEST_SHOWS);
		const shown = await db
			.select({ id: submissions.id })
			.from(submissions)
			.where(inArray(submissions.id, latestIds))
			.orderBy(desc(submissions.id));
		const latest: NotifiedSubmission[] = [];
		for (const { id: submissionId } of shown) {
			const submission = await readBeginning(form.id, submissionId, DIGEST_READS);
			if (submission) latest.push(submission);
			// Even the beginning of a long text is found only by reading all of it: others get their turn in between.
			await new Promise((resolve) => setImmediate(resolve));
		}
		return renderDigest(identity(), { id, form, total, latest, to });
	}

	return {
		schedule: MAIL_SCHEDULE,
		concurrency: CONCURRENCY,
		async send(row, { signal }) {
			if (!server) return { kind: 'ill', error: 'No mail server is set: FORMSRV_SMTP_URL' };
			const mail = await render(row, { evenSpam: false });
			return 'kind' in mail ? mail : sendMail(server, mail, { timeouts, signal });
		},
		async compose(row) {
			const mail = await render(row, { evenSpam: true });
			if ('kind' in mail) return undefined;
			const { from, to, replyTo, subject, messageId, text, html } = mail;
			return JSON.stringify({ from, to, replyTo, subject, messageId, text, html });
		},
		/** The HTML part says nothing that the text does not, at many times the size. */
		abridge(content) {
			const { html: _, ...rest } = JSON.parse(content) as Record<string, unknown>;
			return JSON.stringify(rest);
		},
	};
}

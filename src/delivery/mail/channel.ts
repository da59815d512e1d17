/** The mail channel of the outbox: renders a delivery as a mail and makes one attempt to send it. */

import { and, count, desc, eq, exists, inArray, sql } from 'drizzle-orm';
import type { SmtpServer } from '../../config/smtp-url.ts';
import type { FileStore } from '../../files/file-store.ts';
import { parseRecipients } from '../../form-values/notification-rules.ts';
import type { Storage } from '../../storage/contract.ts';
import { createDamageCheck } from '../../storage/damage-check.ts';
import type { SubmissionHead } from '../../storage/submission.ts';
import { type DeliveryRow, deliveries, type FormRow, forms, submissions } from '../../storage/tables.ts';
import type { ByteBudget } from '../../tasks/byte-budget.ts';
import type { Attempt, Content, Messages } from '../channel.ts';
import { ADDRESS_CHANGED, SUBMISSIONS_DIGEST } from '../events.ts';
import type { Outcome } from '../worker/outcome.ts';
import { chooseAttachments, createAttachments, UnreadableFile } from './attachments.ts';
import {
	DIGEST_READS,
	DIGEST_SHOWS,
	headerTexts,
	type Mail,
	type MailIdentity,
	type MailRecipients,
	NOTIFICATION_READS,
	type NotifiedSubmission,
	renderAddressNotice,
	renderDigest,
	renderNotification,
} from './email.ts';
import { keptMail, shownMail } from './kept-mail.ts';
import { identityIn, type MailSetup, NO_MAIL_SERVER } from './setup.ts';
import { sendMail } from './smtp.ts';

const IS_SPAM = 'The submission is marked as spam';
/** Copies in memory of the text that is read of a submission: in the parts of the mail, and in the encoded mail. */
const COPIES = 6;
/** The part of its files that a mail holds in buffers and garbage. More than half of the share of deliveries, so that one goes at a time. */
const FILES_BYTES = 10 * 1024 * 1024;

interface MailChannelOptions {
	/** Read for every mail, because it may change. While no server is set, mails can be shown, not sent. */
	setup: Readonly<MailSetup>;
	/** That of forms without one of their own. */
	language: string;
	budget: Pick<ByteBudget, 'take'>;
	store: Pick<FileStore, 'read'>;
}

interface RenderOptions {
	evenSpam: boolean;
	/** True if files are attached, provided that the form says so; … */
	attaches: boolean;
	/** … without these. */
	unreadable?: ReadonlySet<number>;
	/** True if the mail will be sent, and not only shown. */
	isSent: boolean;
	signal?: AbortSignal;
}

interface Needs {
	heads: readonly SubmissionHead[];
	reads: { textMax: number };
	/** Bytes of memory for something else. */
	more?: number;
	signal?: AbortSignal | undefined;
}

/** A mail, and the function that returns its bytes to the budget. */
interface Rendered {
	mail: Mail;
	release: () => void;
}

interface AboutDigest {
	form: FormRow;
	recipients: Required<MailRecipients>;
	identity: MailIdentity;
	isSent: boolean;
	signal: AbortSignal | undefined;
}

export function createMailChannel(storage: Storage, { setup, language, budget, store }: MailChannelOptions): Messages {
	const { db } = storage;
	const attachments = createAttachments(storage, store);
	const damage = createDamageCheck(storage);

	const timeOf = (id: number) => new Date(storage.clock.timeline().millisOf(id));

	/** A submission with only as much of its text as the mail needs. */
	async function readBeginning(formId: number, id: number, { textMax }: { textMax: number }) {
		const [submission] = await db
			.select({
				id: submissions.id,
				data: sql<string>`substr(${submissions.data}, 1, ${textMax})`,
				subject: submissions.subject,
				replyTo: submissions.replyTo,
				isSpam: submissions.isSpam,
				spamReasons: submissions.spamReasons,
				meta: submissions.meta,
			})
			.from(submissions)
			.where(and(eq(submissions.id, id), eq(submissions.formId, formId)));
		if (!submission) return undefined;
		const check = submission.data.length < textMax ? damage.row : damage.beginning;
		const shown = await check(formId, submission);
		return shown && { ...shown, receivedAt: timeOf(id) };
	}

	/** Waits for the memory that `make` needs to read these submissions, and holds it until the mail is released. */
	async function within(
		{ heads, reads, more = 0, signal }: Needs,
		make: () => Promise<Mail | Outcome>,
	): Promise<Rendered | Outcome> {
		// To read the beginning of a text, the engine briefly loads all of it.
		const read = Math.max(0, ...heads.map(({ bytes }) => bytes));
		const held = heads.reduce((sum, { bytes }) => sum + COPIES * Math.min(bytes, reads.textMax), 0);
		const release = await budget.take(read + held + more, signal);
		let rendered: Rendered | undefined;
		try {
			const mail = await make();
			if ('kind' in mail) return mail;
			release(read);
			rendered = { mail, release };
			return rendered;
		} finally {
			if (!rendered) release();
		}
	}

	async function render(
		row: DeliveryRow,
		{ evenSpam, attaches, unreadable, isSent, signal }: RenderOptions,
	): Promise<Rendered | Outcome> {
		const [form] = await db.select().from(forms).where(eq(forms.id, row.formId));
		if (!form || form.deletedAt !== null) return { kind: 'rejected', error: 'The form was deleted' };
		const recipients = recipientsIn(row);
		if (!recipients) return { kind: 'rejected', error: `"${row.destination}" is not a mail address` };
		const identity = await identityIn(form, { ...setup, language });
		if (row.event === SUBMISSIONS_DIGEST) return digest(row, { form, recipients, identity, isSent, signal });
		if (row.event === ADDRESS_CHANGED) {
			const mail = renderAddressNotice(identity, { id: row.id, madeAt: timeOf(row.id), form, ...recipients });
			return { mail, release: () => {} };
		}
		const head = await storage.submissions.head(form.id, row.submissionId ?? -1);
		const files = head ? await attachments.filesOf(head.id, form.attachFiles && attaches && isSent) : [];
		const chosen = form.attachFiles && attaches ? chooseAttachments(files) : [];
		const attached = attachments.attach(chosen.filter(({ id }) => !unreadable?.has(id)));
		const more = isSent && attached.length > 0 ? FILES_BYTES : 0;
		return within({ heads: head ? [head] : [], reads: NOTIFICATION_READS, more, signal }, async () => {
			const submission = await readBeginning(form.id, row.submissionId ?? -1, NOTIFICATION_READS);
			if (!submission) return { kind: 'rejected', error: 'The submission was deleted' };
			if (submission.isSpam && !evenSpam) return { kind: 'withheld', error: IS_SPAM };
			return renderNotification(identity, {
				form,
				submission: { ...submission, files, unreadable },
				...recipients,
				attachments: attached,
			});
		});
	}

	/** A delivery split off from a digest covers the same submissions. */
	async function digest(row: DeliveryRow, about: AboutDigest): Promise<Rendered | Outcome> {
		const { form, recipients, identity, isSent, signal } = about;
		const id = row.digestId ?? row.id;
		if (isSent) await withholdSpam(storage, id);
		const batched = gathered(db, id, false);
		const [{ total } = { total: 0 }] = await db.select({ total: count() }).from(deliveries).where(batched);
		// Nothing went wrong, so it is no failure.
		if (total === 0)
			return { kind: 'withheld', error: 'All submissions of this digest were deleted or marked as spam' };
		const latestIds = db
			.select({ id: deliveries.submissionId })
			.from(deliveries)
			.where(batched)
			.orderBy(desc(deliveries.id))
			.limit(DIGEST_SHOWS);
		const shown = await db
			.select({ id: submissions.id })
			.from(submissions)
			.where(inArray(submissions.id, latestIds))
			.orderBy(desc(submissions.id));
		const found = await Promise.all(shown.map((submission) => storage.submissions.head(form.id, submission.id)));
		const heads = found.filter((head) => head !== undefined);
		return within({ heads, reads: DIGEST_READS, signal }, async () => {
			const files = await storage.submissions.files(heads.map((head) => head.id));
			const latest: NotifiedSubmission[] = [];
			for (const { id: submissionId } of heads) {
				const submission = await readBeginning(form.id, submissionId, DIGEST_READS);
				if (submission) latest.push({ ...submission, files: files.get(submissionId) ?? [] });
				// Reading may take long: yield to other work in between.
				await new Promise((resolve) => setImmediate(resolve));
			}
			return renderDigest(identity, { id, madeAt: timeOf(id), form, total, latest, ...recipients });
		});
	}

	/** A file that turns out to be unreadable breaks off the dialogue; then the mail goes without it, and says so. */
	async function sendOnce(
		to: SmtpServer,
		{ row, attaches, signal }: { row: DeliveryRow; attaches: boolean; signal: AbortSignal },
	): Promise<Attempt & { hasAttachments: boolean }> {
		const unreadable = new Set<number>();
		for (;;) {
			const rendered = await render(row, { evenSpam: false, attaches, unreadable, isSent: true, signal });
			if ('kind' in rendered) return { outcome: rendered, hasAttachments: false };
			const { mail, release } = rendered;
			try {
				const outcome = await sendMail(to, mail, { signal });
				return { outcome, kept: keptMail(mail), hasAttachments: mail.attachments.length > 0 };
			} catch (error) {
				if (!(error instanceof UnreadableFile)) throw error;
				unreadable.add(error.fileId);
			} finally {
				release();
			}
		}
	}

	return {
		async send(row, { signal }) {
			// Submissions' mails were planned with a server set, so they wait for it. This notice was planned without knowing.
			const withoutServer = row.event === ADDRESS_CHANGED ? 'withheld' : 'unavailable';
			const { server } = setup;
			if (!server) return { outcome: { kind: withoutServer, error: NO_MAIL_SERVER } };
			const attempt = await sendOnce(server, { row, attaches: true, signal });
			if (attempt.outcome.kind !== 'rejected' || !attempt.hasAttachments) return attempt;
			// Too large, or a kind of file that the mail server does not take: the mail itself it may well take.
			return sendOnce(server, { row, attaches: false, signal });
		},
		async compose(row) {
			const rendered = await render(row, { evenSpam: true, attaches: true, isSent: false });
			if ('kind' in rendered) return undefined;
			rendered.release();
			return shownMail(rendered.mail);
		},
		recall: async (_row, kept) => JSON.parse(kept) as Content,
	};
}

/** Mails that a digest stands for. */
function gathered(db: Storage['db'], digestId: number, isSpam: boolean) {
	const isMarked = and(eq(submissions.id, deliveries.submissionId), eq(submissions.isSpam, isSpam));
	const found = db.select({ id: submissions.id }).from(submissions).where(isMarked);
	return and(eq(deliveries.digestId, digestId), eq(deliveries.state, 'gathered'), exists(found));
}

/** A digest goes without mails of spam: their owner may have them sent later. */
async function withholdSpam({ db, batch }: Storage, digestId: number): Promise<void> {
	const spam = gathered(db, digestId, true);
	const alone = { state: 'withheld', digestId: null, lastError: IS_SPAM } as const;
	await batch((tx) => [tx.update(deliveries).set(alone).where(spam)]);
}

function recipientsIn({ destination }: Pick<DeliveryRow, 'destination'>): Required<MailRecipients> | undefined {
	const found = parseRecipients(destination);
	return found && headerTexts(found);
}

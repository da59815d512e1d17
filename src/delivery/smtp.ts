/** Sends one mail to the configured SMTP server and says what became of it. */

import { Readable } from 'node:stream';
import type { SmtpServer } from '../config/smtp-url.ts';
import type { Mail, Mailbox } from './email.ts';
import type { Outcome } from './outcome.ts';
import { judgeFailure, judgeReply, type SmtpFailure, type SmtpStage } from './smtp-verdict.ts';

/** Milliseconds. */
export interface SmtpTimeouts {
	/** Finding the server's address and reaching it. */
	connect: number;
	greeting: number;
	/** Longest silence after that. A server may be scanning after the final dot: to give up there doubles mails. */
	silence: number;
	/** The whole dialogue, for a server that always answers just in time. */
	total: number;
}

export const SMTP_TIMEOUTS: SmtpTimeouts = { connect: 15_000, greeting: 30_000, silence: 120_000, total: 300_000 };

const QUIT_MS = 2_000;
const STOPPED: Outcome = { kind: 'ill', error: 'The server was stopped meanwhile' };
const STOPPED_UNCONFIRMED: Outcome = {
	kind: 'retry',
	error: 'The server was stopped before the mail server confirmed this; it may have arrived',
};

interface Composed {
	envelope: { from: string | false; to: string[] };
	raw: Buffer;
}

/**
 * Never throws: whatever goes wrong is an outcome, in words that an operator can act on. When `signal` aborts, the
 * connection is closed; before the final dot nothing can have arrived, after it that is not known.
 */
export async function sendMail(
	server: SmtpServer,
	mail: Mail,
	{ timeouts = SMTP_TIMEOUTS, signal }: { timeouts?: SmtpTimeouts; signal?: AbortSignal } = {},
): Promise<Outcome> {
	let composed: Composed;
	try {
		composed = await compose(mail);
	} catch (error) {
		return { kind: 'refused', error: `The mail cannot be written: ${(error as Error).message}` };
	}
	return converse(server, { ...composed, clientName: clientName(mail) }, { timeouts, signal });
}

/**
 * Addresses go in as objects, never as text to be parsed, and no content may name a file or an address to
 * be fetched: nothing submitted can add a recipient, a header or an attachment.
 */
async function compose(mail: Mail): Promise<Composed> {
	// Loaded with the first mail: the library would take a third of the time that the program needs to start.
	const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
	const { encodeWord } = await import('nodemailer/lib/mime-funcs');
	const asMailbox = (address: string): Mailbox => ({ name: '', address });
	const node = new MailComposer({
		from: mail.from,
		to: mail.to.map(asMailbox),
		replyTo: mail.replyTo === null ? undefined : asMailbox(mail.replyTo),
		// A text with this in it may pass for encoded already, and would then be sent as it is.
		subject: mail.subject.includes('=?') ? undefined : mail.subject,
		text: mail.text,
		html: mail.html,
		messageId: `<${mail.messageId}>`,
		date: mail.date,
		headers: mail.subject.includes('=?')
			? { ...mail.headers, Subject: { prepared: true, foldLines: true, value: encodeWord(mail.subject, 'B', 52) } }
			: mail.headers,
		newline: 'windows',
		disableFileAccess: true,
		disableUrlAccess: true,
	}).compile();
	return { envelope: node.getEnvelope(), raw: await node.build() };
}

async function converse(
	server: SmtpServer,
	{ envelope, raw, clientName }: Composed & { clientName: string | undefined },
	{ timeouts, signal }: { timeouts: SmtpTimeouts; signal?: AbortSignal },
): Promise<Outcome> {
	if (signal?.aborted) return STOPPED;
	const connection = await openConnection(server, { clientName, timeouts });
	const failure = Promise.withResolvers<never>();
	// Its rejection is always awaited through a race below, unless everything went well.
	failure.promise.catch(() => {});
	connection.on('error', failure.reject);
	connection.once('end', () => failure.reject(new Error('Connection closed unexpectedly')));
	const stop = () => failure.reject(new Error('stopped'));
	signal?.addEventListener('abort', stop);
	const deadline = setTimeout(() => failure.reject(timedOut(timeouts.total)), timeouts.total);
	const step = <T>(run: (done: (error?: Error | null, value?: T) => void) => void): Promise<T> =>
		Promise.race([
			failure.promise,
			new Promise<T>((resolve, reject) => {
				run((error, value) => (error ? reject(error) : resolve(value as T)));
			}),
		]);

	// Where it ends, the final dot follows.
	const content = Readable.from([raw]);
	let stage: SmtpStage = 'connect';
	try {
		await step<void>((done) => connection.connect(done));
		if (server.login && connection.allowsAuth) {
			stage = 'login';
			const credentials = server.login;
			await step((done) => connection.login({ credentials }, done));
		}
		stage = 'send';
		const info = await step<{ response?: string; rejectedErrors?: SmtpFailure[] }>((done) =>
			connection.send({ ...envelope, size: raw.length }, content, done),
		);
		connection.quit();
		return judgeReply(info);
	} catch (error) {
		connection.close();
		if (signal?.aborted) return content.readableEnded ? STOPPED_UNCONFIRMED : STOPPED;
		return judgeFailure(error as SmtpFailure, { server, stage });
	} finally {
		clearTimeout(deadline);
		signal?.removeEventListener('abort', stop);
		setTimeout(() => connection.close(), QUIT_MS).unref();
	}
}

async function openConnection(
	server: SmtpServer,
	{ clientName, timeouts }: { clientName: string | undefined; timeouts: SmtpTimeouts },
) {
	const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection');
	return new SMTPConnection({
		host: server.host,
		port: server.port,
		secure: server.tls === 'implicit',
		requireTLS: server.tls === 'required',
		ignoreTLS: server.tls === 'off',
		tls: { rejectUnauthorized: server.isCertificateChecked, minVersion: 'TLSv1.2' },
		name: clientName,
		dnsTimeout: timeouts.connect,
		connectionTimeout: timeouts.connect,
		greetingTimeout: timeouts.greeting,
		socketTimeout: timeouts.silence,
		socketCloseTimeout: QUIT_MS,
	});
}

/** The name to greet with: some relays insist on a full one, which a container's host name is not. */
function clientName({ messageId }: Mail): string | undefined {
	const host = messageId.slice(messageId.indexOf('@') + 1);
	return host.includes('.') ? host : undefined;
}

function timedOut(ms: number): SmtpFailure {
	return Object.assign(new Error(`The dialogue took longer than ${ms / 1000} s`), { code: 'ETIMEDOUT' });
}

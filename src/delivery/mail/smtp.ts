/** Sends one mail to the configured SMTP server and returns the outcome. */

import { Readable } from 'node:stream';
import type { SmtpServer } from '../../config/smtp-url.ts';
import { parseMailboxes } from '../../text/email-address.ts';
import type { Outcome } from '../worker/outcome.ts';
import { UnreadableFile } from './attachments.ts';
import type { Mail } from './email.ts';
import { filled, newGap } from './gaps.ts';
import { judgeFailure, judgeReply, type SmtpFailure, type SmtpReply, type SmtpStage } from './smtp-verdict.ts';

/** Milliseconds. */
interface SmtpTimeouts {
	/** Name resolution and connection. */
	connect: number;
	greeting: number;
	/** Longest silence afterwards. Generous, because a server may scan after the final dot: giving up there duplicates mails. */
	silence: number;
	/** The whole dialogue, in case the server always replies just in time. */
	total: number;
}

const SMTP_TIMEOUTS: SmtpTimeouts = { connect: 15_000, greeting: 30_000, silence: 120_000, total: 300_000 };
/** For mails of the server itself, which an operator waits for, or which are sent again. */
export const NOTICE_TIMEOUTS: SmtpTimeouts = { connect: 10_000, greeting: 10_000, silence: 20_000, total: 25_000 };

/** All replies of one dialogue. */
const MAX_REPLIES_BYTES = 256 * 1024;
const QUIT_MS = 2_000;
const STOPPED: Outcome = { kind: 'unavailable', error: 'The server was stopped meanwhile' };
const STOPPED_UNCONFIRMED: Outcome = {
	kind: 'retry',
	error: 'The server was stopped before the mail server confirmed this; it may have arrived',
};

interface Composed {
	envelope: { from: string | false; to: string[] };
	/** In bytes. */
	size: number;
	pieces(): AsyncIterable<Uint8Array>;
}

/**
 * Every failure is an outcome with a sentence for the operator. When `signal` aborts, the connection is
 * closed: before the final dot nothing has arrived, after it that is unknown.
 * @throws UnreadableFile if an attachment is one; then nothing has arrived
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
		return { kind: 'rejected', error: `The mail cannot be written: ${(error as Error).message}` };
	}
	return converse(server, { ...composed, clientName: clientName(mail) }, { timeouts, signal });
}

/**
 * Addresses are passed as objects, not as text to be parsed, and nodemailer must not read files or URLs: submitted
 * content cannot add a recipient, a header or an attachment.
 */
async function compose(mail: Mail): Promise<Composed> {
	// Loaded with the first mail: the library would take a third of the program's start-up time.
	const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
	const { encodeWord } = await import('nodemailer/lib/mime-funcs');
	const gaps = mail.attachments.map(newGap);
	const mailboxesOf = (list: readonly string[]) => list.flatMap((mailbox) => parseMailboxes(mailbox, 1) ?? []);
	const node = new MailComposer({
		from: mail.from,
		to: mailboxesOf(mail.to),
		cc: mailboxesOf(mail.cc),
		bcc: mailboxesOf(mail.bcc),
		replyTo: mail.replyTo === null ? undefined : { name: '', address: mail.replyTo },
		// nodemailer would take such a text for already encoded and send it unchanged.
		subject: mail.subject.includes('=?') ? undefined : mail.subject,
		text: mail.text,
		html: mail.html,
		attachments: mail.attachments.map(({ name, file }, index) => ({
			filename: name,
			contentType: file.type,
			contentDisposition: 'attachment' as const,
			contentTransferEncoding: 'base64' as const,
			content: gaps[index],
		})),
		messageId: `<${mail.messageId}>`,
		date: mail.date,
		headers: mail.subject.includes('=?')
			? { ...mail.headers, Subject: { prepared: true, foldLines: true, value: encodeWord(mail.subject, 'B', 52) } }
			: mail.headers,
		newline: 'windows',
		disableFileAccess: true,
		disableUrlAccess: true,
	}).compile();
	return { envelope: node.getEnvelope(), ...filled(await node.build(), { gaps, attachments: mail.attachments }) };
}

async function converse(
	server: SmtpServer,
	{ envelope, size, pieces, clientName }: Composed & { clientName: string | undefined },
	{ timeouts, signal }: { timeouts: SmtpTimeouts; signal?: AbortSignal },
): Promise<Outcome> {
	if (signal?.aborted) return STOPPED;
	const connection = await openConnection(server, { clientName, timeouts });
	const failure = Promise.withResolvers<never>();
	// Every step below races against it; this handler is for a rejection after the last step.
	failure.promise.catch(() => {});
	connection.on('error', failure.reject);
	// After a 421, the library ends the connection before it hands over the reply.
	connection.once('end', () => setImmediate(failure.reject, new Error('Connection closed unexpectedly')));
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

	// After its end, the connection sends the final dot.
	const content = Readable.from(pieces(), { objectMode: false });
	content.on('error', failure.reject);
	let stage: SmtpStage = 'connect';
	try {
		await step<void>((done) => {
			setTimeout(done, timeouts.connect).unref();
			resolveHost(server.host).then(() => done(), done);
		});
		await step<void>((done) => connection.connect(done));
		if (server.login && connection.allowsAuth) {
			stage = 'login';
			const credentials = server.login;
			await step((done) => connection.login({ credentials }, done));
		}
		stage = 'send';
		const info = await step<SmtpReply>((done) => connection.send({ ...envelope, size }, content, done));
		connection.quit();
		return judgeReply(info);
	} catch (error) {
		connection.close();
		if (error instanceof UnreadableFile) throw error;
		if (signal?.aborted) return content.readableEnded ? STOPPED_UNCONFIRMED : STOPPED;
		const isLoginMissing = server.login !== null && !connection.allowsAuth;
		return judgeFailure(error as SmtpFailure, { server, stage, isLoginMissing });
	} finally {
		clearTimeout(deadline);
		signal?.removeEventListener('abort', stop);
		content.destroy();
		setTimeout(() => connection.close(), QUIT_MS).unref();
	}
}

/** As the system knows it, `/etc/hosts` included: the library would ask DNS alone, and use the response for minutes. */
async function resolveHost(host: string): Promise<void> {
	const { lookup } = await import('node:dns/promises');
	const { dnsCache } = await import('nodemailer/lib/shared');
	const found = await lookup(host, { all: true }).catch(() => []);
	// Without an address the library says what is wrong.
	dnsCache.delete(host);
	if (found.length > 0) dnsCache.set(host, { value: { addresses: found.map(({ address }) => address) } });
}

async function openConnection(
	server: SmtpServer,
	{ clientName, timeouts }: { clientName: string | undefined; timeouts: SmtpTimeouts },
) {
	const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection');
	const connection = new SMTPConnection({
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
		maxResponseSize: MAX_REPLIES_BYTES,
	});
	const inner = connection as unknown as InnerConnection;
	boundReplies(inner);
	// The library would take the time to connect off it, and some servers greet late on purpose.
	inner._remainingSetupTime = () => timeouts.greeting;
	return connection;
}

interface InnerConnection {
	_onData(chunk: Buffer): void;
	_onResponseTooLarge(): void;
	/** Milliseconds for the greeting, and then for a switch to TLS. */
	_remainingSetupTime(): number;
}

/** The library bounds each reply, and keeps as many as come. */
function boundReplies(connection: InnerConnection): void {
	const read = connection._onData.bind(connection);
	let bytes = 0;
	connection._onData = (chunk) => {
		bytes += chunk.length;
		if (bytes > MAX_REPLIES_BYTES) connection._onResponseTooLarge();
		else read(chunk);
	};
}

/** The host name for EHLO: some relays require a fully qualified one, unlike a container's. */
function clientName({ messageId }: Mail): string | undefined {
	const host = messageId.slice(messageId.indexOf('@') + 1);
	return host.includes('.') ? host : undefined;
}

function timedOut(ms: number): SmtpFailure {
	return Object.assign(new Error(`The dialogue took longer than ${ms / 1000} s`), { code: 'ETIMEDOUT' });
}

/** Maps SMTP replies and failures to outcomes, with sentences that tell the operator what to do. */

import { LOOPBACK, type SmtpServer } from '../../config/smtp-url.ts';
import { oneLine } from '../../text/one-line.ts';
import { errorOf, type Outcome, type Remainder } from '../worker/outcome.ts';

/** The step of the SMTP dialogue: connecting (with greeting and TLS), logging in, sending the mail. */
export type SmtpStage = 'connect' | 'login' | 'send';

/** nodemailer's error. */
export interface SmtpFailure extends Error {
	code?: string;
	originalCode?: string;
	timeoutType?: string;
	command?: string;
	response?: string;
	responseCode?: number;
	recipient?: string;
	rejectedErrors?: SmtpFailure[];
}

/** The reply to an accepted mail. */
export type SmtpReply = Pick<SmtpFailure, 'response' | 'rejectedErrors'>;

const REPLY_MAX = 500;
/** "Exceeded storage allocation": since the client announces the size, it concerns this one mail. */
const TOO_LARGE = 552;
/** "Insufficient system storage": for a mail of this size; there may be room for a smaller one. */
const NO_ROOM = 452;
const AUTHENTICATION_REQUIRED = 530;
const CLOSING = 421;
/** As Postfix and Exim say it, who wait for `RCPT` with it. Only at the beginning of a line, because a reply may quote another server. */
const REJECTS_EVERY_MAIL =
	/^\d{3}[ -](?:[45]\.\d+\.\d+ )?(?:<[^<>]*>: )?(?:(?:Sender address|Client host|Helo command) rejected|Sender verify failed)/im;
/** Put off by recipient and sender together; servers reply with it under various codes, such as 451 4.7.1. */
const GREYLISTED = /gr[ae]y-?list/i;
/** RFC 5321 section 4.5.3.1.10: also with a code that is otherwise permanent, it says that the others go with another mail. */
const TOO_MANY_RECIPIENTS = /^\d{3}[ -][45]\.5\.3\b|too many recipients/i;
/** A full mailbox, and the quota of a day: by RFC 3463 they are no permanent failures, though some servers, such as Gmail, say so. */
const PASSES = /^\d{3}[ -]5\.(?:2\.2|4\.5)\b/;
const CERTIFICATE_CODE = /CERT|ALTNAME|SELF_SIGNED|UNABLE_TO_|ISSUER/;
const TLS_CODE = /TLS|SSL|EPROTO|ERR_BORING/;

/** The server accepted the mail, perhaps not for every recipient. */
export function judgeReply({ response, rejectedErrors = [] }: SmtpReply): Outcome {
	const rest = rejectedErrors.map(
		(error): Remainder => ({
			kind: isPermanent(error) && !TOO_MANY_RECIPIENTS.test(reply(error)) ? 'rejected' : 'retry',
			destination: error.recipient ?? '',
			error: `The server rejected the recipient: ${reply(error)}`,
		}),
	);
	return { kind: 'sent', note: line(response ?? ''), ...(rest.length > 0 && { rest }) };
}

/** @param isLoginMissing True if there is a login, and the server offered none. */
export function judgeFailure(
	failure: SmtpFailure,
	{ server, stage, isLoginMissing }: { server: SmtpServer; stage: SmtpStage; isLoginMissing: boolean },
): Outcome {
	if (stage === 'connect') return { kind: 'unavailable', error: explainConnect(failure, server) };
	if (stage === 'login') return { kind: 'unavailable', error: explainLogin(failure, server) };
	if (failure.command === 'API') return { kind: 'rejected', error: `The mail cannot be sent: ${failure.message}` };
	if (failure.code === 'EMESSAGE' && failure.command === 'MAIL FROM' && failure.responseCode === undefined) {
		return { kind: 'rejected', error: 'The mail is larger than the server accepts' };
	}
	if (failure.responseCode === undefined) {
		return { kind: 'retry', error: explainInterruption(failure), isDestinationSuspect: true };
	}
	return judgeRejection(failure, isLoginMissing);
}

/** The server replied with 4xx or 5xx to a part of the mail. */
function judgeRejection(failure: SmtpFailure, isLoginMissing: boolean): Outcome {
	const { command, responseCode } = failure;
	if (responseCode === AUTHENTICATION_REQUIRED) {
		return { kind: 'unavailable', error: `The server requires a login before it accepts mail: ${reply(failure)}` };
	}
	if (command === 'MAIL FROM') {
		// The sender is the same for every mail, so all of them would be rejected.
		if (responseCode === TOO_LARGE) return { kind: 'rejected', error: `The mail is too large: ${reply(failure)}` };
		if (responseCode === NO_ROOM)
			return { kind: 'retry', error: `The server has no room for the mail: ${reply(failure)}` };
		if (!isPermanent(failure)) return { kind: 'unavailable', error: `The server takes no mail now: ${reply(failure)}` };
		return { kind: 'unavailable', error: `The server rejected the sender, FORMSRV_MAIL_FROM: ${reply(failure)}` };
	}
	if (command === 'RCPT TO') {
		const each = failure.rejectedErrors ?? [failure];
		const replies = each.map(reply).join('; ');
		// A reply repeats the address, which a visitor may have submitted.
		const rejection = { error: 'The server rejected the recipient', said: replies.slice(0, 2 * REPLY_MAX) };
		const error = errorOf(rejection);
		if (each.every(isAboutUs))
			return {
				kind: 'unavailable',
				error: `The server rejected the sender, FORMSRV_MAIL_FROM, or this client: ${reply(failure)}`,
			};
		if (!each.every(isPermanent))
			return { kind: 'retry', ...rejection, ...(each.every(isMailbox) && { isRecipient: true }) };
		if (isLoginMissing && each.every(isPolicy))
			return { kind: 'unavailable', error: `The server offers no login. ${error}` };
		const isOther = (one: SmtpFailure) => isPolicy(one) || one.responseCode === TOO_LARGE;
		return { kind: 'rejected', error, ...(!each.some(isOther) && { isRecipient: true }) };
	}
	const error = `The server rejected the mail: ${reply(failure)}`;
	if (isPermanent(failure)) return { kind: 'rejected', error };
	return { kind: 'retry', error, isDestinationSuspect: responseCode === CLOSING };
}

/** A 5xx reply; 503 says only that the dialogue went wrong, not that this mail is unwanted. */
function isPermanent(failure: SmtpFailure): boolean {
	const { responseCode = 0 } = failure;
	return responseCode >= 500 && responseCode < 600 && responseCode !== 503 && !PASSES.test(reply(failure));
}

/** The rejection is about this one mailbox: full, greylisted, unknown. RFC 3463 says so in the second digit; without it the code alone does. */
function isMailbox(failure: SmtpFailure): boolean {
	if (failure.responseCode === CLOSING) return false;
	if (GREYLISTED.test(reply(failure))) return true;
	const [, subject, detail = ''] = /^\d{3}[ -][45]\.(\d{1,3})\.(\d{1,3})/.exec(reply(failure)) ?? [];
	// 1.7 and 1.8 are about the address of the sender.
	if (subject !== undefined) return subject === '2' || (subject === '1' && !['7', '8'].includes(detail));
	return isPermanent(failure) || failure.responseCode === 450 || failure.responseCode === 452;
}

/** The rejection is about the sender, or about relaying, and says nothing of the address. */
function isPolicy(failure: SmtpFailure): boolean {
	return isAboutUs(failure) || /\b5\.7\.\d|\b5\.1\.[78]\b|\b(?:relay|authenticat|prohibit)/i.test(reply(failure));
}

/** The rejection is about the sender or this client, and so about every mail. */
function isAboutUs({ response = '' }: SmtpFailure): boolean {
	return REJECTS_EVERY_MAIL.test(response);
}

function explainConnect(failure: SmtpFailure, server: SmtpServer): string {
	const place = `${server.host}:${server.port}`;
	const code = failure.originalCode ?? failure.code ?? '';
	if (failure.code === 'EDNS') return `The mail server's name ${server.host} cannot be resolved (${code})`;
	if (code === 'ECONNREFUSED') return `Nothing accepts connections at ${place} (refused): check host and port`;
	if (failure.code === 'ETIMEDOUT') return explainTimeout(failure, server);
	if (CERTIFICATE_CODE.test(code)) {
		const choice = server.tls === 'implicit' ? 'unverified' : 'off';
		const remedy = LOOPBACK.test(server.host) ? `: on this host, add ?tls=${choice} to its address` : '';
		return `The certificate of ${place} is not trusted (${line(failure.message)})${remedy}`;
	}
	if (server.tls === 'implicit' && (TLS_CODE.test(code) || failure.code === 'ESOCKET')) {
		return `No TLS connection to ${place} (${line(failure.message)}): does it expect smtp:// instead of smtps://?`;
	}
	if (failure.code === 'ETLS') {
		return `${place} does not switch to TLS (${failure.response ? reply(failure) : line(failure.message)})`;
	}
	if (failure.responseCode !== undefined) return `${place} rejected the connection: ${reply(failure)}`;
	if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return `There is no route to ${place} (${code})`;
	return `The connection to ${place} failed (${line(failure.message)})`;
}

function explainTimeout({ timeoutType }: SmtpFailure, { host, port, tls }: SmtpServer): string {
	if (timeoutType === 'CONNECT_TIMEOUT') {
		return `${host}:${port} did not respond in time: is the port right, and not blocked by a firewall or the hoster?`;
	}
	if (timeoutType === 'UPGRADE_TIMEOUT') return `${host}:${port} did not finish switching to TLS in time`;
	const hint = port === 465 && tls !== 'implicit' ? ': port 465 needs smtps:// instead of smtp://' : '';
	return `${host}:${port} accepted the connection, but said nothing in time${hint}`;
}

function explainLogin(failure: SmtpFailure, { login }: SmtpServer): string {
	if (failure.responseCode === undefined) return `The login failed (${explainInterruption(failure)})`;
	return `The server rejected the login of ${login?.user ?? ''}: ${reply(failure)}`;
}

function explainInterruption(failure: SmtpFailure): string {
	if (failure.code === 'ETIMEDOUT') return 'The server stopped responding in the middle of the dialogue';
	return `The connection broke in the middle of the dialogue: ${line(failure.message)}`;
}

function reply(failure: SmtpFailure): string {
	return line(failure.response ?? failure.message);
}

function line(text: string): string {
	return oneLine(text, REPLY_MAX);
}

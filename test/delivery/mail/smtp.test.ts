/** The outcome of every kind of SMTP dialogue, against servers that really misbehave. */

import { afterEach, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { parseSmtpUrl } from '../../../src/config/smtp-url.ts';
import { type Mail, renderNotification } from '../../../src/delivery/mail/email.ts';
import { sendMail } from '../../../src/delivery/mail/smtp.ts';
import type { Outcome } from '../../../src/delivery/worker/outcome.ts';
import { errorOf } from '../../../src/delivery/worker/outcome.ts';
import { makeCertificate } from '../certificate.ts';
import { type ScriptedSmtp, type Stage, startScriptedSmtp } from '../scripted-smtp.ts';

const PATIENT = { connect: 10_000, greeting: 10_000, silence: 10_000, total: 20_000 };
/** For a server that falls silent. */
const IMPATIENT = { connect: 1000, greeting: 150, silence: 150, total: 2000 };
const closers: (() => unknown)[] = [];

afterEach(async () => {
	for (const close of closers.splice(0)) await close();
});

function someMail(to = ['owner@example.com']): Mail {
	return renderNotification(
		{ from: { name: 'Forms', address: 'forms@example.com' }, baseUrl: 'https://forms.example.com' },
		{
			form: { id: 1, name: 'Contact' },
			submission: { id: 2048, receivedAt: new Date(), data: '{"a":"b"}', subject: null, replyTo: null },
			to,
		},
	);
}

async function scripted(script: ScriptedSmtp['script']): Promise<ScriptedSmtp> {
	const peer = await startScriptedSmtp(script);
	closers.push(peer.close);
	return peer;
}

/** Starts a real server library with these options. Returns its address after the `://`. */
async function served(options: SMTPServerOptions): Promise<{ place: string; received: string[] }> {
	const received: string[] = [];
	const folder = await mkdtemp(join(tmpdir(), 'formsrv-smtp-'));
	await makeCertificate(folder);
	const server = new SMTPServer({
		key: await readFile(join(folder, 'key.pem')),
		cert: await readFile(join(folder, 'cert.pem')),
		authOptional: true,
		onData(stream, _, done) {
			received.push(`from ${stream.constructor.name}`);
			stream.on('data', () => {});
			stream.on('end', () => done());
		},
		...options,
	});
	server.on('error', () => {});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	closers.push(() => rm(folder, { recursive: true }));
	closers.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
	return { place: `127.0.0.1:${(server.server.address() as { port: number }).port}`, received };
}

const send = (url: string, mail = someMail(), timeouts = PATIENT): Promise<Outcome> =>
	sendMail(parseSmtpUrl(url), mail, { timeouts });

/** The server falls silent at that stage, and the attempt is aborted there. */
async function sendStoppedAt(stage: Stage): Promise<{ outcome: Outcome; peer: ScriptedSmtp }> {
	const stop = new AbortController();
	const isThere = Promise.withResolvers<void>();
	const peer = await scripted({
		[stage]: () => {
			isThere.resolve();
			return 'hang';
		},
	});
	const sending = sendMail(parseSmtpUrl(peer.url), someMail(), { signal: stop.signal });
	await isThere.promise;
	stop.abort();
	return { outcome: await sending, peer };
}

test('a mail that was accepted is sent, with the reply as note', async () => {
	const peer = await scripted({});
	expect(await send(peer.url)).toEqual({ kind: 'sent', note: '250 2.0.0 queued as 4711' });
	expect(peer.accepted).toHaveLength(1);
	expect(peer.accepted[0]).toMatchObject({ from: 'forms@example.com', to: ['owner@example.com'] });
});

test.each([
	['450 busy', true],
	['452 full', true],
	['451 4.1.2 domain not found', true],
	['451 4.2.2 full', true],
	['552-5.2.2 The inbox is out of storage space,\r\n552 5.2.2 see our help', true],
	['451 4.7.1 Greylisting in action, please come back later', true],
	['451 Graylisted for 5 minutes', true],
	['451 4.7.1 try later', undefined],
	['550 5.4.5 Daily user sending limit exceeded', undefined],
	['450 4.1.8 bad address of the sender', undefined],
	['450 4.3.2 shutting down', undefined],
	['452 4.5.3 too many', undefined],
	['451 error in processing', undefined],
	['421 4.2.1 closing', undefined],
] as const)('whether %s for a recipient is about that mailbox alone: %s', async (RCPT, isRecipient) => {
	const peer = await scripted({ RCPT });
	expect(await send(peer.url)).toEqual({
		kind: 'retry',
		error: 'The server rejected the recipient',
		said: RCPT.replace('\r\n', ' '),
		...(isRecipient && { isRecipient }),
	});
});

test.each([
	['greeting', 'hang', 'unavailable'],
	['greeting', 'drop', 'unavailable'],
	['greeting', '421 busy', 'unavailable'],
	['greeting', '554 go away', 'unavailable'],
	['EHLO', 'hang', 'unavailable'],
	['EHLO', 'drop', 'unavailable'],
	['EHLO', '421 closing', 'unavailable'],
	['AUTH', 'hang', 'unavailable'],
	['AUTH', 'drop', 'unavailable'],
	['AUTH', '454 later', 'unavailable'],
	['AUTH', '535 5.7.8 wrong password', 'unavailable'],
	['MAIL', 'hang', 'retry'],
	['MAIL', 'drop', 'retry'],
	['MAIL', '451 later', 'unavailable'],
	['MAIL', '452 4.3.1 no room for that', 'retry'],
	['MAIL', '530 5.7.0 authentication required', 'unavailable'],
	['MAIL', '550 5.7.1 sender not allowed', 'unavailable'],
	['MAIL', '552 5.3.4 too large', 'rejected'],
	['RCPT', 'hang', 'retry'],
	['RCPT', 'drop', 'retry'],
	['RCPT', '450 4.2.0 greylisted', 'retry'],
	['RCPT', '550 5.1.1 no such user', 'rejected'],
	['DATA', 'hang', 'retry'],
	['DATA', 'drop', 'retry'],
	['DATA', '451 later', 'retry'],
	['DATA', '503 bad sequence', 'retry'],
	['DATA', '554 no', 'rejected'],
	['content', 'hang', 'retry'],
	['content', 'drop', 'retry'],
	['content', '421 closing', 'retry'],
	['content', '451 scanner busy', 'retry'],
	['content', 'Segmentation fault', 'retry'],
	['content', '550 5.4.5 Daily user sending limit exceeded', 'retry'],
	['content', '552 5.2.2 over quota', 'retry'],
	['content', '552 5.3.4 too large', 'rejected'],
	['content', '554 5.7.1 spam', 'rejected'],
] as const)('at %s, %s: %s', async (stage, behaviour, kind) => {
	const peer = await scripted({ [stage]: behaviour });
	const timeouts = behaviour === 'hang' ? IMPATIENT : PATIENT;
	const outcome = await send(peer.url.replace('//', '//robot:secret@'), someMail(), timeouts);
	expect(outcome.kind).toBe(kind);
	const error = errorOf(outcome as { error: string; said?: string });
	expect(error).not.toContain('secret');
	if (/^\d/.test(behaviour)) expect(error).toContain(behaviour);
	expect(peer.accepted).toEqual([]);
});

test.each([
	['MAIL', 'unavailable'],
	['RCPT', 'retry'],
	['DATA', 'retry'],
] as const)('a server that closes at %s says why, also if all of it was sent at once', async (stage, kind) => {
	const said = '421 4.7.0 too many mails from this address';
	const peer = await scripted({ EHLO: '250-test\r\n250 PIPELINING', [stage]: said });
	expect(await send(peer.url)).toMatchObject({ kind, error: expect.stringContaining(said) });
});

test('a server that offers no login, and so relays nothing, is not the fault of the mail', async () => {
	const peer = await scripted({ EHLO: '250 test', RCPT: '550 relay not permitted' });
	expect(await send(peer.url)).toMatchObject({ kind: 'rejected' });
	expect(await send(peer.url.replace('//', '//robot:secret@'))).toEqual({
		kind: 'unavailable',
		error: 'The server offers no login. The server rejected the recipient: 550 relay not permitted',
	});
});

test.each([
	'553 5.7.1 <forms@example.com>: Sender address rejected: not owned by user robot',
	'450 4.1.8 <forms@example.com>: Sender address rejected: Domain not found',
	'554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied',
	'550-Verification failed for <forms@example.com>\r\n550 Sender verify failed',
])('%s after RCPT is about every mail', async (RCPT) => {
	const peer = await scripted({ RCPT });
	expect(await send(peer.url)).toEqual({
		kind: 'unavailable',
		error: expect.stringMatching(/^The server rejected the sender, FORMSRV_MAIL_FROM, or this client: \d{3}/),
	});
});

test.each([
	['550 5.1.1 no such user', true],
	['550-ada@example.com: host mx.example.com said:\r\n550 550 Sender address rejected', true],
	['550 5.1.8 bad sender', undefined],
	['552 message size exceeds limit', undefined],
	['550 SMTP authentication is required', undefined],
	['550 Administrative prohibition', undefined],
] as const)('whether %s means that there is no such address: %s', async (RCPT, isRecipient) => {
	const peer = await scripted({ RCPT });
	expect(await send(peer.url)).toEqual({
		kind: 'rejected',
		error: expect.any(String),
		...(isRecipient && { isRecipient }),
	});
});

test('only a sender that is rejected for good is named as the cause', async () => {
	const peer = await scripted({ MAIL: '421 4.3.2 shutting down' });
	expect(await send(peer.url)).toMatchObject({ error: 'The server takes no mail now: 421 4.3.2 shutting down' });
	peer.script = { MAIL: '550 5.7.1 not yours' };
	expect(await send(peer.url)).toMatchObject({ error: expect.stringContaining('FORMSRV_MAIL_FROM') });
});

test.each(['hang', 'drop'] as const)(
	'silence and dropped connections (%s) make the destination suspect',
	async (behaviour) => {
		const peer = await scripted({ DATA: behaviour });
		const suspect = { kind: 'retry', isDestinationSuspect: true } as const;
		expect(await send(peer.url, someMail(), IMPATIENT)).toMatchObject(suspect);
		peer.script = { content: '451 not this one' };
		expect(await send(peer.url)).toMatchObject({ kind: 'retry', isDestinationSuspect: false });
	},
);

test.each(['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA'] as const)(
	'a stop at %s costs no attempt: nothing can have arrived',
	async (stage) => {
		const { outcome, peer } = await sendStoppedAt(stage);
		expect(outcome.kind).toBe('unavailable');
		expect(peer.handedOver).toEqual([]);
	},
);

test('a stop after the final dot is an attempt, and says that the mail may have arrived', async () => {
	const { outcome } = await sendStoppedAt('content');
	expect(outcome).toEqual({ kind: 'retry', error: expect.stringContaining('may have arrived') });
});

test('the server is where the system says that it is now, whatever DNS said before', async () => {
	const { dnsCache } = await import('nodemailer/lib/shared');
	const peer = await scripted({});
	dnsCache.set('localhost', { value: { addresses: ['127.0.0.9'] }, expires: Date.now() + 300_000 });
	expect(await send(peer.url.replace('127.0.0.1', 'localhost'))).toMatchObject({ kind: 'sent' });
});

test('a server may greet later than the time to connect', async () => {
	const timeouts = { ...PATIENT, connect: 1000 };
	const peer = await scripted({
		greeting: () => {
			setTimeout(() => peer.say('220 at last'), timeouts.connect + 100);
			return 'hang';
		},
	});
	expect(await send(peer.url, someMail(), timeouts)).toMatchObject({ kind: 'sent' });
});

test('a server that sends only a byte now and then is cut off after the total time', async () => {
	const listener = Bun.listen<{ timer: Timer }>({
		hostname: '127.0.0.1',
		port: 0,
		socket: {
			open(socket) {
				socket.write('220 hello\r\n250-');
				socket.data = { timer: setInterval(() => socket.write('x'), 50) };
			},
			close: (socket) => clearInterval(socket.data.timer),
			data() {},
		},
	});
	closers.push(() => listener.stop(true));
	const outcome = await sendMail(parseSmtpUrl(`smtp://127.0.0.1:${listener.port}`), someMail(), {
		timeouts: { ...IMPATIENT, total: 400 },
	});
	expect(outcome).toMatchObject({ kind: 'unavailable', error: expect.stringContaining('in time') });
});

test('recipients with different outcomes continue separately', async () => {
	const replies: Record<string, string> = {
		'full@example.com': '452 4.2.2 full',
		'gone@example.com': '550 5.1.1 gone',
	};
	const peer = await scripted({ RCPT: (mail) => replies[mail.to.at(-1) ?? ''] });
	const outcome = await send(peer.url, someMail(['owner@example.com', 'full@example.com', 'gone@example.com']));
	expect(outcome).toMatchObject({
		kind: 'sent',
		rest: [
			{ kind: 'retry', destination: 'full@example.com' },
			{ kind: 'rejected', destination: 'gone@example.com' },
		],
	});
	expect(peer.accepted.map(({ to }) => to)).toEqual([['owner@example.com']]);
});

test.each(['552 Too many recipients', '550 5.5.3 limit reached'])(
	'beyond the recipients that one mail may have (%s), another mail goes',
	async (said) => {
		const peer = await scripted({ RCPT: (mail) => (mail.to.length > 1 ? said : undefined) });
		expect(await send(peer.url, someMail(['owner@example.com', 'other@example.com']))).toMatchObject({
			kind: 'sent',
			rest: [{ kind: 'retry', destination: 'other@example.com' }],
		});
	},
);

test('if no recipient is accepted but one may be later, all are retried', async () => {
	const peer = await scripted({ RCPT: (mail) => (mail.to.at(-1)?.startsWith('full') ? '452 full' : '550 gone') });
	const outcome = await send(peer.url, someMail(['gone@example.com', 'full@example.com']));
	expect(outcome.kind).toBe('retry');
});

test('STARTTLS is used when offered, and an untrusted certificate is rejected', async () => {
	const { place, received } = await served({});
	expect(await send(`smtp://${place}`)).toMatchObject({
		kind: 'unavailable',
		error: expect.stringMatching(/certificate.*: on this host, add \?tls=off/),
	});
	expect(received).toEqual([]);
	expect(await send(`smtp://${place}?tls=unverified`)).toMatchObject({ kind: 'sent' });
});

test('a failing STARTTLS never falls back to clear text', async () => {
	const peer = await scripted({ EHLO: '250-test\r\n250 STARTTLS' });
	expect(await send(peer.url)).toMatchObject({ kind: 'unavailable', error: expect.stringContaining('TLS') });
	expect(peer.handedOver).toEqual([]);
});

test('where TLS is demanded and not offered, nothing is sent', async () => {
	const peer = await scripted({});
	expect(await send(`${peer.url}?tls=required`)).toMatchObject({
		kind: 'unavailable',
		error: expect.stringContaining('TLS'),
	});
	expect(peer.handedOver).toEqual([]);
});

test('smtps speaks TLS from the first byte', async () => {
	const { place, received } = await served({ secure: true });
	expect(await send(`smtps://${place}`)).toMatchObject({
		kind: 'unavailable',
		error: expect.stringMatching(/certificate.*: on this host, add \?tls=unverified/),
	});
	expect(received).toEqual([]);
	expect(await send(`smtps://${place}?tls=unverified`)).toMatchObject({ kind: 'sent' });
});

test('smtps to a server that does not speak it says what to change', async () => {
	const peer = await scripted({});
	expect(await send(peer.url.replace('smtp:', 'smtps:'))).toMatchObject({
		kind: 'unavailable',
		error: expect.stringContaining('smtp:// instead of smtps://'),
	});
});

test('a closed port and an unknown name are told apart', async () => {
	const peer = await startScriptedSmtp();
	await peer.close();
	expect(await send(peer.url)).toMatchObject({ kind: 'unavailable', error: expect.stringContaining('refused') });
	expect(await send('smtp://no-such-host.invalid')).toMatchObject({
		kind: 'unavailable',
		error: expect.stringContaining('cannot be resolved'),
	});
});

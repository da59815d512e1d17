/** Notifications through a real mail server, read back by a parser that had no part in writing them. */

import { afterAll, beforeAll, expect } from 'bun:test';
import PostalMime, { type Email } from 'postal-mime';
import { parseSmtpUrl } from '../../../src/config/smtp-url.ts';
import { type NotifiedSubmission, renderNotification } from '../../../src/delivery/mail/email.ts';
import { sendMail } from '../../../src/delivery/mail/smtp.ts';
import { encodeId } from '../../../src/ids.ts';
import { formatMailbox } from '../../../src/text/email-address.ts';
import { withProgram } from '../../programs.ts';
import { openTestServer } from '../../server.ts';
import { until } from '../../until.ts';
import { type DeliveredMail, EXIM_LOGIN, type Exim, startExim } from '../exim.ts';
import { MAIL_HEADERS } from './mail-headers.ts';

const identity = { from: { name: 'Forms, Inc.', address: 'forms@example.com' }, baseUrl: 'https://forms.example.com' };
const user = encodeURIComponent(EXIM_LOGIN.user);
const pass = encodeURIComponent(EXIM_LOGIN.pass);

const program = withProgram('exim4');
const { test } = program;

let exim: Exim;
let lastId = Date.UTC(2026, 0, 2) * 2048;

beforeAll(async () => {
	if (!program.isMissing) exim = await startExim(program.path);
});
afterAll(() => exim?.stop());

async function deliver(
	submission: Partial<NotifiedSubmission>,
	{ to = ['owner@example.com'], formName = 'Contact' } = {},
): Promise<DeliveredMail & { mail: Email }> {
	lastId += 2048;
	const mail = renderNotification(identity, {
		form: { id: 2048, name: formName },
		submission: { id: lastId, receivedAt: new Date(), data: '{"a":"b"}', subject: null, replyTo: null, ...submission },
		to,
	});
	const server = parseSmtpUrl(`smtp://${user}:${pass}@127.0.0.1:${exim.port}?tls=unverified`);
	expect(await sendMail(server, mail)).toMatchObject({ kind: 'sent' });
	const marker = `Message-ID: <${encodeId(lastId)}@`;
	const mine = async () => (await exim.mails()).filter(({ raw }) => raw.includes(marker));
	const found = await until(mine, { isSo: ({ length }) => length > 0 });
	expect(found).toHaveLength(1);
	const [delivered] = found as [DeliveredMail];
	return { ...delivered, mail: await PostalMime.parse(delivered.raw) };
}

/** The text as an HTML reader sees it. */
function cells(html: string): string[] {
	const found: string[] = [];
	new HTMLRewriter()
		.on('th.name, td.value', {
			element: () => void found.push(''),
			text: ({ text }) => {
				found[found.length - 1] += text;
			},
		})
		.transform(html);
	const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
	return found.map((text) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] as string));
}

test('a plain mail arrives with its headers and nothing else', async () => {
	const { mail, from, to } = await deliver({ replyTo: 'ada@example.org' });
	expect(from).toBe('forms@example.com');
	expect(to).toEqual(['owner@example.com']);
	expect(mail.from).toMatchObject({ name: 'Forms, Inc.', address: 'forms@example.com' });
	expect(mail.replyTo?.map(({ address }) => address)).toEqual(['ada@example.org']);
	expect(mail.headers.map(({ key }) => key).sort()).toEqual([...MAIL_HEADERS, 'reply-to'].sort());
	expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
	expect(mail.attachments).toEqual([]);
});

test('several recipients get one mail', async () => {
	const owners = ['owner@example.com', 'second@example.org', 'third@bücher.example'];
	const { mail, to } = await deliver({}, { to: owners });
	expect(to.toSorted()).toEqual(['owner@example.com', 'second@example.org', 'third@xn--bcher-kva.example']);
	expect(mail.to).toHaveLength(3);
});

const CRLF = 'x\r\nBcc: evil@example.org\r\n\r\nbody';
const INJECTIONS: [title: string, data: object, rest?: Partial<NotifiedSubmission>][] = [
	['CR and LF in a subject', { a: 'b' }, { subject: CRLF }],
	['bare LF and CR in a subject', { a: 'b' }, { subject: 'x\nBcc: evil@example.org\rTo: evil@example.org' }],
	['CR and LF in a field of the subject', { a: CRLF }, { subject: '{{a}}' }],
	['CR and LF in a name', { [CRLF]: 'b' }],
	['a reply address with a second one', { a: 'b' }, { replyTo: 'a@example.org, evil@example.org' }],
	['a reply address with a header', { a: 'b' }, { replyTo: 'a@example.org\r\nBcc: evil@example.org' }],
	['a reply address that is a group', { a: 'b' }, { replyTo: 'all: a@example.org, evil@example.org;' }],
	['a reply address that ends the bracket', { a: 'b' }, { replyTo: 'a@example.org>\r\nRCPT TO:<evil@example.org' }],
	[
		'a reply address with an encoded word',
		{ a: 'b' },
		{ replyTo: '=?utf-8?q?evil=40example.org=2C?= <a@example.org>' },
	],
	['a list in the email field', { email: ['a@example.org', 'evil@example.org'] }],
	['a file instead of an email', { email: { path: '/etc/passwd' } }],
	['an address instead of text', { message: { href: 'http://127.0.0.1:1/' } }],
	[
		'encoded words in a value',
		{ a: '=?utf-8?q?evil?= =?utf-8?b?ZXZpbA==?=' },
		{ subject: '=?utf-8?q?a=0D=0ABcc:evil=40example.org?=' },
	],
	['a subject of 100 kB', { a: 'b' }, { subject: 'long '.repeat(20_000) }],
	['a value of 90 kB in one line', { a: 'long '.repeat(18_000).trim() }],
	['lines that are a dot', { a: '.\n..\n.\n\n.end' }],
	['a value that ends the data', { a: 'x\r\n.\r\nMAIL FROM:<evil@example.org>\r\nRCPT TO:<evil@example.org>' }],
	['a boundary of our own', { a: '------_Part\r\n\r\n----' }],
	['lone surrogates', { a: 'x\ud800y' }, { subject: '\udfff' }],
	['NUL and other controls', { a: 'x\0y\u0007z\u001b[31m' }, { subject: 'a\0b' }],
	['markup', { '<b>': '<script>alert("1")</script> &amp; \'' }, { subject: '<b>' }],
	['writing of the world', { 名前: 'エイダ', שם: 'שלום', emoji: '👩🏽‍🚀' }, { subject: 'Grüße 👋 שלום' }],
	['From lines and quoting', { a: 'From me\n>From you\n=3D =20' }],
	['trailing blanks', { a: 'x  \ny\t\n  z' }],
];

test.each(INJECTIONS)('%s: exactly the text, one recipient, no header more', async (_, data, rest = {}) => {
	const { mail, to } = await deliver({ data: JSON.stringify(data), ...rest });
	expect(to).toEqual(['owner@example.com']);
	expect(mail.to?.map(({ address }) => address)).toEqual(['owner@example.com']);
	expect(mail.cc ?? []).toEqual([]);
	expect(mail.bcc ?? []).toEqual([]);
	expect(mail.replyTo ?? []).toEqual([]);
	expect(mail.headers.map(({ key }) => key).sort()).toEqual(MAIL_HEADERS);
	expect(mail.attachments).toEqual([]);
	expect(mail.subject?.length).toBeLessThanOrEqual(200);

	const shown = Object.entries(data).flatMap(([name, value]) => [
		expectedText(name).replaceAll('\n', ' '),
		expectedText(value),
	]);
	expect(cells(mail.html ?? '')).toEqual(shown);
	for (const text of shown) expect(mail.text?.replaceAll('\r\n', '\n')).toContain(text);
});

function expectedText(value: unknown): string {
	if (Array.isArray(value)) return value.join('\n');
	if (typeof value !== 'string') return JSON.stringify(value);
	return value
		.toWellFormed()
		.replace(/\r\n?/g, '\n')
		.replaceAll('\0', '␀')
		.replaceAll('\u0007', '␇')
		.replaceAll('\u001b', '␛');
}

test.each([
	['CR and LF in Q', '=?utf-8?Q?Hi=0D=0ABcc:_evil=40example.org?=', 'Hi Bcc: evil@example.org'],
	['a mark that turns the direction in B', `=?UTF-8?b?${Buffer.from('a\u202eb').toString('base64')}?=`, 'a b'],
	['a word inside a word', '=?utf-8?q?=3D=3Futf-8=3Fq=3Fa=3D0D=3D0Ab=3F=3D?=', 'a b'],
	['a word in two halves', '=?utf-8?q?a=0D?= =?utf-8?q?=0Ab?=', 'a b'],
	['an unknown charset', '=?x-none?q?a=0D=0Ab?= and more', '=?x-none?q?a=0D=0Ab?= and more'],
	['halves of the sign', '={{mark}}utf-8?q?a=0Db?=', 'a b'],
	['a long text with the sign', `=?${' long'.repeat(30)}`, `=?${' long'.repeat(30)}`],
	['a well meant one', '=?utf-8?Q?Gr=C3=BC=C3=9Fe?=', 'Grüße'],
])('an encoded word in a subject says nothing that it hides: %s', async (_, subject, said) => {
	const { mail, raw } = await deliver({ subject, data: '{"mark":"?"}' });
	expect(mail.subject).toBe(said);
	expect(mail.headers.map(({ key }) => key).sort()).toEqual(MAIL_HEADERS);
	if (said.includes('=?')) expect(raw).toMatch(/^Subject: =\?UTF-8\?B\?/m);
});

test('an encoded word is not used as Reply-To', async () => {
	const { mail } = await deliver({ replyTo: '=?utf-8?q?evil=40example.org?=@example.org' });
	expect(mail.replyTo ?? []).toEqual([]);
});

test('a subject in any writing arrives as it was asked for', async () => {
	const { mail } = await deliver({ subject: 'Grüße von {{name}} 👋', data: '{"name":"שלום, 名前"}' });
	expect(mail.subject).toBe('Grüße von שלום, 名前 👋');
});

test('a form name cannot become a header', async () => {
	const { mail } = await deliver({}, { formName: 'Contact\r\nBcc: evil@example.org' });
	expect(mail.subject).toBe('New submission: Contact Bcc: evil@example.org');
	expect(mail.headers.map(({ key }) => key).sort()).toEqual(MAIL_HEADERS);
});

test('an unknown recipient fails permanently, a wrong password pauses all mail', async () => {
	const mail = renderNotification(identity, {
		form: { id: 2048, name: 'Contact' },
		submission: { id: 4096, receivedAt: new Date(), data: '{}', subject: null, replyTo: null },
		to: ['nobody@example.com'],
	});
	const place = `127.0.0.1:${exim.port}?tls=unverified`;
	expect(await sendMail(parseSmtpUrl(`smtp://${user}:${pass}@${place}`), mail)).toMatchObject({
		kind: 'rejected',
		error: expect.stringContaining('no such user'),
	});
	expect(await sendMail(parseSmtpUrl(`smtp://${user}:wrong@${place}`), mail)).toMatchObject({
		kind: 'unavailable',
		error: expect.stringContaining('login of robot: 535'),
	});
});

test('from the form on a website to the mailbox: hostile fields end as one mail to the owner', async () => {
	const server = await openTestServer({
		settings: {
			FORMSRV_SMTP_URL: `smtp://${user}:${pass}@127.0.0.1:${exim.port}?tls=unverified`,
			FORMSRV_MAIL_FROM: 'Forms <forms@example.com>',
		},
	});
	try {
		const json = { name: 'Contact', notificationEmail: 'e2e@example.com' };
		const form = await server.call<{ slug: string }>('POST /api/forms', { json });
		const body = new URLSearchParams([
			['name', 'Ada\r\nBcc: evil@example.org'],
			['email', 'ada@example.org'],
			['topic', 'one'],
			['topic', 'two, three'],
			['_subject', 'Hi {{name}}\r\nBcc: evil@example.org'],
			['_replyto', 'a@example.org, evil@example.org'],
		]);
		const posted = await fetch(`${server.submitUrl}/f/${form.body.slug}`, { method: 'POST', body, redirect: 'manual' });
		expect(posted.status).toBe(303);
		const isMine = ({ to }: DeliveredMail) => to.includes('e2e@example.com');
		await until(async () => (await exim.mails()).some(isMine));
		const [delivered, ...more] = (await exim.mails()).filter(isMine);
		const mail = await PostalMime.parse(delivered?.raw ?? '');
		expect(more).toEqual([]);
		expect(delivered?.to).toEqual(['e2e@example.com']);
		expect(mail.subject).toBe('Hi Ada Bcc: evil@example.orgBcc: evil@example.org');
		expect(mail.replyTo?.map(({ address }) => address)).toEqual(['ada@example.org']);
		expect(mail.headers.map(({ key }) => key).sort()).toEqual([...MAIL_HEADERS, 'reply-to'].sort());
		expect(cells(mail.html ?? '')).toEqual([
			...['name', 'Ada\nBcc: evil@example.org', 'email', 'ada@example.org', 'topic', 'one\ntwo, three'],
		]);
	} finally {
		await server.close();
	}
});

test('names of recipients arrive as they were written, and add neither header nor recipient', async () => {
	const boxes = [
		{ name: 'Lovelace, Ada', address: 'ada@example.com' },
		{ name: 'Zoë "Z" \\ O’Neill <x@evil.example>', address: 'zoe@example.com' },
		{ name: '', address: 'owner@example.com' },
	];
	const { raw, mail } = await deliver({}, { to: boxes.map(formatMailbox) });
	expect(mail.to?.map(({ name, address }) => ({ name, address }))).toEqual(boxes);
	expect(mail.headers.filter(({ key }) => ['to', 'cc', 'bcc'].includes(key))).toHaveLength(1);
	expect(raw).not.toMatch(/^(?:Bcc|Cc):/im);
});

/** Hostile names, values, subjects and texts through every placeholder of every mail and message: they stay text. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import PostalMime from 'postal-mime';
import { parseSmtpUrl } from '../../src/config/smtp-url.ts';
import { type Mail, renderAddressNotice, renderDigest, renderNotification } from '../../src/delivery/mail/email.ts';
import { renderSample } from '../../src/delivery/mail/sample.ts';
import { sendMail } from '../../src/delivery/mail/smtp.ts';
import { sendTestMail } from '../../src/delivery/mail/test-mail.ts';
import { renderConfirmation, renderResponse } from '../../src/delivery/visitor/mails.ts';
import { requestOf, type Told } from '../../src/delivery/webhooks/message.ts';
import { MESSAGE_FORMAT_NAMES } from '../../src/form-values/message-formats.ts';
import { DEFAULT_NOTIFICATION } from '../../src/form-values/notification-rules.ts';
import { encodeId } from '../../src/ids.ts';
import type { FormRow } from '../../src/storage/tables.ts';
import { isEmailAddress } from '../../src/text/email-address.ts';
import { OWN_PLACEHOLDERS } from '../../src/text/placeholders.ts';
import { type DeliveredMail, EXIM_LOGIN, startExim } from '../delivery/exim.ts';
import { MAIL_HEADERS } from '../delivery/mail/mail-headers.ts';
import { type ScriptedSmtp, startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { faultsOf, PUBLISHED } from '../delivery/webhooks/published-formats.ts';
import { withProgram } from '../programs.ts';
import { type Random, seeded } from '../seeded.ts';
import { until } from '../until.ts';
import { EVIL, hostileText } from './hostile-texts.ts';

setDefaultTimeout(600_000);

/** Every piece is in each place of each kind of mail some twenty times; more: `TEXTS=2000 bun test test/hostile/outgoing.test.ts`. */
const TEXTS = Number(process.env.TEXTS ?? 500);
const SEED = 26;
/** Sets of a mail of each kind that are delivered to files. */
const SETS_BY_EXIM = 20;
/** Dialogues at a time. */
const SENDERS = 8;

const BASE = 'https://forms.example.com';
const IDENTITY = { from: { name: 'Forms', address: 'forms@example.com' }, baseUrl: BASE };
const OWNERS = ['owner@example.com', '"Lovelace, Ada" <ada@example.com>'];
const COPIES = ['copy@example.com'];
const HIDDEN = ['hidden@example.com'];
const STOP_URL = `${BASE}/f/contact/stop/key.signature`;
const CONFIRM_URL = `${BASE}/f/contact/confirm/form.submission.signature`;
const AT = new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
const FORM_ID = 1001;
const FORM_LINK = `${BASE}/#/forms/${encodeId(FORM_ID)}`;
const SETTINGS_LINK = `${FORM_LINK}/settings?group=notifications`;
const ALL_PLACEHOLDERS = [...OWN_PLACEHOLDERS, 'message', 'topic', 'seats', 'day']
	.map((name) => `{{${name}}}`)
	.join(' ');

const ELEMENTS = new Set('html head meta title style body div table tr td th p h1 a br span tbody'.split(' '));
const ATTRIBUTES = new Set(
	'lang dir charset name content class style role width cellpadding cellspacing border align valign scope href'.split(
		' ',
	),
);

/** A mail that was made of hostile texts, and all that the owner wrote of it. */
interface Made {
	kind: string;
	mail: Mail;
	to: string[];
	cc?: string[];
	bcc?: string[];
	headers?: string[];
	links: string[];
}

function formOf(random: Random): FormRow {
	const name = hostileText(random);
	return {
		id: FORM_ID,
		name,
		mode: 'live',
		slug: 'contact',
		timeZone: null,
		notificationEmail: OWNERS.join(', '),
		routes: [],
		fields: [
			{ name: 'topic', type: 'select', options: ['Sales', 'Help'], label: hostileText(random).slice(0, 200) },
			{ name: 'seats', type: 'number' },
			{ name: 'day', type: 'date' },
		],
		notification: {
			...DEFAULT_NOTIFICATION,
			cc: COPIES.join(),
			bcc: HIDDEN.join(),
			subject: random(2) === 0 ? null : `${ALL_PLACEHOLDERS} {{${name}}}`,
			intro: random(2) === 0 ? null : `${ALL_PLACEHOLDERS}\n{{message}}`,
			fromName: 'Sales',
		},
	} as unknown as FormRow;
}

/** Each kind of mail, of one set of hostile texts. */
function mailsOf(random: Random, id: number): Made[] {
	const form = formOf(random);
	const data = {
		message: hostileText(random),
		[hostileText(random)]: [hostileText(random), hostileText(random)],
		topic: random(4) === 0 ? 'Sales' : hostileText(random),
		seats: hostileText(random),
		day: hostileText(random),
		email: hostileText(random),
	};
	const submission = {
		id,
		receivedAt: AT,
		data: JSON.stringify(data),
		subject: random(2) === 0 ? null : hostileText(random),
		replyTo: hostileText(random),
		meta: null,
	};
	const recipients = { to: OWNERS, cc: COPIES, bcc: HIDDEN };
	const submissionLink = `${FORM_LINK}/submissions/${encodeId(id)}`;
	const notification = renderNotification(IDENTITY, { form, submission, ...recipients });
	const latest = [submission, { ...submission, isDamaged: true as const }];
	const sample = renderSample({ form, identity: IDENTITY, id, at: AT });
	const visitor = `visitor${id}@example.com`;
	const toVisitor = { form, to: visitor, at: AT, stopUrl: STOP_URL };
	const words = { field: 'email', subject: ALL_PLACEHOLDERS, text: `${ALL_PLACEHOLDERS}\n{{email}}` };
	const response = renderResponse(IDENTITY, {
		...toVisitor,
		id,
		mail: { ...words, delayMinutes: 0 },
		data: submission.data,
	});
	const confirmation = renderConfirmation(IDENTITY, {
		...toVisitor,
		id: id + 1,
		mail: random(2) === 0 ? null : words,
		confirmUrl: CONFIRM_URL,
	});
	return [
		{
			kind: 'notification',
			mail: notification,
			...recipients,
			headers: ['cc'],
			links: [submissionLink, SETTINGS_LINK],
		},
		{
			kind: 'digest',
			mail: renderDigest(IDENTITY, { id, madeAt: AT, form, total: 60, latest, ...recipients }),
			...recipients,
			headers: ['cc'],
			links: [submissionLink, FORM_LINK],
		},
		{
			kind: 'change of address',
			mail: renderAddressNotice(IDENTITY, { id, madeAt: AT, form, to: OWNERS }),
			to: OWNERS,
			links: [SETTINGS_LINK],
		},
		{
			kind: 'test',
			mail: { ...sample, subject: `Test: ${sample.subject}`, messageId: `test.${sample.messageId}` },
			...recipients,
			headers: ['cc'],
			links: [submissionLink, SETTINGS_LINK],
		},
		{
			kind: 'response',
			mail: response,
			to: [visitor],
			headers: ['list-unsubscribe', 'list-unsubscribe-post'],
			links: [STOP_URL],
		},
		{
			kind: 'confirmation',
			mail: confirmation,
			to: [visitor],
			headers: ['list-unsubscribe', 'list-unsubscribe-post'],
			links: [CONFIRM_URL, STOP_URL],
		},
	];
}

const addressOf = (mailbox: string) => /<([^>]*)>$/.exec(mailbox)?.[1] ?? mailbox;
const addressesOf = (list: readonly { address?: string }[] | undefined) => (list ?? []).map(({ address }) => address);

/** The elements, attributes and addresses of a page. */
function markupOf(source: string) {
	const found = { elements: new Set<string>(), attributes: new Set<string>(), links: new Set<string>() };
	new HTMLRewriter()
		.on('*', {
			element(element) {
				found.elements.add(element.tagName);
				for (const [name = '', value = ''] of element.attributes) {
					found.attributes.add(name);
					if (name === 'href') found.links.add(value.replaceAll('&amp;', '&'));
				}
			},
		})
		.transform(source);
	return found;
}

/** All that a parser, which had no part in writing the mail, finds in it besides the owner's words and a visitor's text. */
async function faultsOfMail(
	raw: string,
	{ kind, to, cc = [], bcc = [], headers = [], links }: Made,
	envelope: string[],
) {
	const mail = await PostalMime.parse(raw);
	const faults: string[] = [];
	const same = (what: string, found: unknown, wanted: unknown) => {
		if (!Bun.deepEquals(found, wanted)) faults.push(`${kind}: ${what} ${JSON.stringify(found)}`);
	};
	const none = (what: string, found: Iterable<string>) => same(what, [...found], []);
	const keys = mail.headers.map(({ key }) => key).filter((key) => key !== 'reply-to');
	same('headers', keys.sort(), [...MAIL_HEADERS, ...headers].sort());
	same('envelope', envelope.toSorted(), [...to, ...cc, ...bcc].map(addressOf).sort());
	same('to', addressesOf(mail.to), to.map(addressOf));
	same('cc', addressesOf(mail.cc), cc.map(addressOf));
	same('bcc', addressesOf(mail.bcc), []);
	same('from', mail.from?.address, IDENTITY.from.address);
	none('reply-to', addressesOf(mail.replyTo).filter((address) => !isEmailAddress(`${address}`)) as string[]);
	same('several reply-to', (mail.replyTo ?? []).length <= 1, true);
	none(
		'attachments',
		mail.attachments.map(({ filename }) => `${filename}`),
	);
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
	same('subject', /[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/.test(mail.subject ?? ''), false);
	same('length of subject', Array.from(mail.subject ?? '').length <= 200 + 'Test: '.length, true);
	none(
		'long lines',
		raw.split('\r\n').filter((line) => line.length > 998),
	);
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
	none('bare controls', raw.replaceAll('\r\n', '').match(/[\0-\x08\x0a-\x1f]/g) ?? []);
	const head = raw.slice(0, raw.indexOf('\r\n\r\n'));
	none(
		'head',
		head.split('\r\n').filter((line) => !/^(?:[A-Z][\w-]*:(?: |$)|[ \t])[ -~]*$/i.test(line)),
	);
	const { elements, attributes, links: found } = markupOf(mail.html ?? '');
	none('elements', elements.difference(ELEMENTS));
	none('attributes', attributes.difference(ATTRIBUTES));
	same('links', [...found].sort(), [...links].sort());
	return faults;
}

describe('mails', () => {
	let peer: ScriptedSmtp;
	beforeAll(async () => {
		peer = await startScriptedSmtp();
	});
	afterAll(() => peer.close());

	test(`${TEXTS} sets of hostile texts through each kind: no header, recipient or link more`, async () => {
		const server = parseSmtpUrl(peer.url);
		const random = seeded(SEED);
		let left = TEXTS;
		let arrived = 0;
		async function send(): Promise<void> {
			while (left-- > 0) {
				const made = mailsOf(random, 2048 * (TEXTS - left));
				for (const one of made) {
					expect(await sendMail(server, one.mail)).toMatchObject({ kind: 'sent' });
					const marker = `Message-ID: <${one.mail.messageId}>`;
					const at = peer.accepted.findIndex(({ content }) => content.includes(marker));
					const [taken] = peer.accepted.splice(at, 1);
					expect(await faultsOfMail(taken?.content ?? '', one, taken?.to ?? [])).toEqual([]);
					arrived++;
				}
			}
		}
		await Promise.all(Array.from({ length: SENDERS }, send));
		expect([arrived, peer.accepted]).toEqual([6 * TEXTS, []]);
	});

	test('a mail to a visitor has no word of a visitor’s', () => {
		const random = seeded(SEED);
		let choices = 0;
		for (let i = 0; i < TEXTS; i++) {
			const form = { ...formOf(random), name: 'Contact', notification: null };
			const data = Object.fromEntries(
				['email', 'message', 'topic', 'seats', 'day'].map((name) => [name, `${EVIL}${hostileText(random)}`]),
			);
			const isChosen = random(3) === 0;
			const mail = renderResponse(IDENTITY, {
				form,
				to: 'ada@example.com',
				id: 1,
				at: AT,
				stopUrl: STOP_URL,
				mail: { field: 'email', subject: ALL_PLACEHOLDERS, text: ALL_PLACEHOLDERS, delayMinutes: 0 },
				data: JSON.stringify({ ...data, ...(isChosen && { topic: 'Sales', seats: 7, day: '2026-01-31' }) }),
			});
			const whole = JSON.stringify(mail);
			expect(whole).not.toContain('evil');
			if (whole.includes('Sales 7 2026-01-31')) choices++;
			expect([mail.subject, isChosen]).toEqual([isChosen ? 'Contact Sales 7 2026-01-31' : 'Contact', isChosen]);
		}
		expect(choices).toBeGreaterThan(TEXTS / 5);
	});
});

const program = withProgram('exim4');

program.test('a real mail server delivers each kind of mail with hostile texts, and adds nothing to them', async () => {
	const exim = await startExim(program.path);
	try {
		const { user, pass } = EXIM_LOGIN;
		const login = `${encodeURIComponent(user)}:${encodeURIComponent(pass)}`;
		const server = parseSmtpUrl(`smtp://${login}@127.0.0.1:${exim.port}?tls=unverified`);
		const random = seeded(SEED);
		const all = Array.from({ length: SETS_BY_EXIM }, (_, i) => mailsOf(random, 2048 * (i + 1))).flat();
		for (const { mail } of all) expect(await sendMail(server, mail)).toMatchObject({ kind: 'sent' });
		await sendTestMail('operator@example.com', { server, identity: IDENTITY, language: 'en' });
		await until(async () => (await exim.mails()).length > all.length, { withinMs: 60_000 });
		const delivered = await exim.mails();
		expect(delivered.length).toBe(all.length + 1);
		for (const made of all) {
			const mine = delivered.filter(({ raw }) => raw.includes(`Message-ID: <${made.mail.messageId}>`));
			expect(mine.length).toBe(1);
			const [{ raw, to }] = mine as [DeliveredMail];
			expect(await faultsOfMail(raw.replaceAll('\n', '\r\n'), made, to)).toEqual([]);
		}
		expect(delivered.filter(({ to }) => to.includes('operator@example.com')).map(({ to }) => to)).toEqual([
			['operator@example.com'],
		]);
	} finally {
		await exim.stop();
	}
});

describe('messages', () => {
	const toldOf = (random: Random, { id }: { id: string }): Told => {
		const data = {
			message: hostileText(random),
			[hostileText(random)]: [hostileText(random), { a: hostileText(random) }],
		};
		return {
			event: 'submission.created',
			headline: 'new submission',
			form: {
				id: FORM_ID,
				name: hostileText(random).slice(0, 200),
				fields: [{ name: 'message', type: 'text', label: hostileText(random).slice(0, 200) }],
			},
			submission: { id, createdAt: AT.toISOString(), data: JSON.stringify(data) },
			baseUrl: BASE,
		};
	};

	test.each(MESSAGE_FORMAT_NAMES)(
		`%s takes ${TEXTS} sets of hostile texts for text: no mention or link more`,
		(format) => {
			const random = seeded(SEED);
			const { address } = PUBLISHED[format];
			for (let i = 0; i < TEXTS; i++) {
				const told = toldOf(random, { id: encodeId(2002) });
				const include = random(2) === 0 ? 'all' : 'summary';
				const { url, method = 'POST', body } = requestOf(told, { url: address, format, include, body: null }, 'msg_1');
				const link = `${FORM_LINK}/submissions/${encodeId(2002)}`;
				expect(faultsOf(format, { url, method, body: JSON.parse(body) }, link)).toEqual([]);
			}
		},
	);

	test(`a body of the owner’s keeps its shape with ${TEXTS} sets of hostile texts in each of its placeholders`, () => {
		const random = seeded(SEED);
		const url = 'https://crm.example.com/';
		const body = {
			[ALL_PLACEHOLDERS]: [ALL_PLACEHOLDERS, 7],
			text: '{{message}}',
			kept: '@everyone [x](https://x.example)',
		};
		for (let i = 0; i < TEXTS; i++) {
			const told = toldOf(random, { id: encodeId(2002) });
			const sent = requestOf(told, { url, format: 'custom', include: 'all', body }, 'msg_1');
			const { [ALL_PLACEHOLDERS]: list, ...rest } = JSON.parse(sent.body);
			const { message } = JSON.parse(told.submission?.data ?? '');
			expect(rest).toEqual({ text: message.toWellFormed(), kept: body.kept });
			expect(list).toEqual([expect.stringContaining(`submission.created ${encodeId(2002)} ${FORM_LINK}`), 7]);
			expect([sent.url, sent.method]).toEqual([url, undefined]);
		}
	});
});

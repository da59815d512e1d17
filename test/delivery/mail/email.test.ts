/** The content of a notification; submitted text cannot break out of its place. */

import { expect, test } from 'bun:test';
import { type NotifiedSubmission, renderDigest, renderNotification } from '../../../src/delivery/mail/email.ts';
import { fillSubject } from '../../../src/delivery/mail/subject.ts';
import { encodeId } from '../../../src/ids.ts';
import { parseSender } from '../../../src/text/email-address.ts';

const identity = { from: { name: 'Forms', address: 'forms@example.com' }, baseUrl: 'https://forms.example.com' };
const form = { id: 2048, name: 'Contact' };
const receivedAt = new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
const id = receivedAt.getTime() * 2048;

function render(data: object | string, rest: Partial<NotifiedSubmission> = {}) {
	const json = typeof data === 'string' ? data : JSON.stringify(data);
	const submission = { id, receivedAt, data: json, subject: null, replyTo: null, ...rest };
	return renderNotification(identity, { form, submission, to: ['owner@example.com'] });
}

test('fields are named by the labels of their rules, in the mail, its preview and a digest', () => {
	const labelled = {
		...form,
		fields: [
			{ name: 'email', type: 'email' as const, label: 'Your e-mail' },
			{ name: 'a', type: 'text' as const, label: 'Same' },
			{ name: 'b', type: 'text' as const, label: 'Same' },
			{ name: 'evil', type: 'text' as const, label: 'x\r\n\r\n</th><b>\u0007' },
		],
	};
	const data = JSON.stringify({ email: 'ada@example.org', a: '1', b: '2', evil: '3', other: '4' });
	const submission = { id, receivedAt, data, subject: '{{email}} wrote', replyTo: null };
	const mail = renderNotification(identity, { form: labelled, submission, to: ['owner@example.com'] });
	expect(mail.subject).toBe('ada@example.org wrote');
	expect(mail.replyTo).toBe('ada@example.org');
	expect(mail.text).toContain(
		'Your e-mail:\nada@example.org\n\nSame (a):\n1\n\nSame (b):\n2\n\nx  </th><b>\u2407:\n3\n\nother:\n4\n',
	);
	expect(mail.html).toContain('>Your e-mail</th>');
	expect(mail.html).toContain('x  &lt;/th&gt;&lt;b&gt;\u2407</th>');
	expect(mail.html).not.toContain('>email</th>');
	const one = { id, madeAt: receivedAt, total: 1, latest: [submission], to: ['owner@example.com'] };
	const digest = renderDigest(identity, { form: labelled, ...one });
	expect(digest.text).toContain('Your e-mail: ada@example.org · Same (a): 1 · Same (b): 2');
});

test('by default the subject names the form', () => {
	expect(render({ a: 'b' }).subject).toBe('New submission: Contact');
	expect(render({ a: 'b' }, { subject: ' \r\n ' }).subject).toBe('New submission: Contact');
});

test.each([
	['Question from {{name}}', 'Question from Ada'],
	['{{ name }} wrote {{count}} lines', 'Ada wrote 12 lines'],
	['{{nobody}}!', '!'],
	['{{name', '{{name'],
	['{{{name}}}', '{Ada}'],
	['{{self}}', '{{name}}'],
	['a\r\nBcc: evil@example.org', 'a Bcc: evil@example.org'],
	['{{lines}}', 'one two'],
	['\u202egnp.exe', 'gnp.exe'],
	['half \ud83d', 'half \ufffd'],
	['x'.repeat(100_000), `${'x'.repeat(199)}…`],
	['😀'.repeat(201), `${'😀'.repeat(199)}…`],
])('the subject %p becomes one short line', (template, expected) => {
	const fields = [
		{ name: 'name', text: 'Ada' },
		{ name: 'count', text: '12' },
		{ name: 'self', text: '{{name}}' },
		{ name: 'lines', text: 'one\r\ntwo' },
	];
	expect(fillSubject(template, { fields })).toBe(expected);
});

test.each([
	[{ email: 'ada@example.org' }, null, 'ada@example.org'],
	[{ email: 'ada@example.org' }, 'bea@example.org', 'bea@example.org'],
	[{ Email: ' ada@example.org ' }, null, 'ada@example.org'],
	[{ email: 'ada@example.org, eve@example.org' }, null, null],
	[{ email: ['ada@example.org', 'eve@example.org'] }, null, null],
	[{ email: { address: 'ada@example.org' } }, null, null],
	[{ email: 'ada@example.org\r\nBcc: eve@example.org' }, null, null],
	[{ email: 'ada@example.org' }, 'no address', 'ada@example.org'],
	[{ mail: 'ada@example.org' }, null, null],
])('replies to %j with _replyto %j go to %j', (data, replyTo, expected) => {
	expect(render(data, { replyTo }).replyTo).toBe(expected);
});

test('both parts show every field, the form and a link to the submission', () => {
	const mail = render({ name: 'Ada', message: 'one\ntwo', count: 3 });
	const url = `https://forms.example.com/#/forms/${encodeId(form.id)}/submissions/${encodeId(id)}`;
	for (const part of [mail.text, mail.html]) {
		for (const text of ['Contact', 'name', 'Ada', 'message', 'one\ntwo', 'count', '3', url])
			expect(part).toContain(text);
	}
});

test('the foot leads to where the notifications of the form are set', () => {
	const url = `https://forms.example.com/#/forms/${encodeId(form.id)}/settings?group=notifications`;
	for (const part of [render({ a: 'b' }).text, render({ a: 'b' }).html]) expect(part).toContain(url);
});

test('the foot says what the rules of the spam score found, if anything', () => {
	const spamReasons = JSON.stringify([
		{ rule: 'links', points: 0.5, detail: '1 link, 0.5 each: <b>.example' },
		{ rule: 'of a later version', points: -1, detail: 'x\r\ny' },
	]);
	const mail = render({ a: 'b' }, { spamReasons });
	const line = 'Spam score -0.5: Links +0.5 (1 link, 0.5 each: <b>.example); of a later version −1 (x y)';
	expect(mail.text).toContain(`\n-- \n${line}\nSent because`);
	expect(mail.html).toContain(Bun.escapeHTML(line));
	expect(render({ a: 'b' }, { spamReasons: null }).text).not.toContain('Spam score');
});

test('markup in names, values, subject and form name stays text', () => {
	const evil = '"><script>alert(1)</script>&amp;\'';
	const mail = renderNotification(identity, {
		form: { ...form, name: evil },
		submission: { id, receivedAt, data: JSON.stringify({ [evil]: evil }), subject: evil, replyTo: null },
		to: ['owner@example.com'],
	});
	expect(mail.html).not.toContain('<script');
	expect(mail.html).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;&#39;');
	expect(mail.text).toContain(evil);
});

test('the HTML part loads nothing from anywhere', () => {
	const { html } = render({ picture: '<img src=https://example.org/p.png>' });
	expect(html).not.toMatch(/<(img|script|link|iframe|form|object)\b/i);
	expect(html).not.toMatch(/url\(|@import/);
});

test('control characters become visible, lone surrogates are replaced, line ends are alike', () => {
	const { text, html } = render('{"a":"x\\u0000y\\u001b[2Jz\\r\\nnext\\rlast\\ud800\\u0085"}');
	for (const part of [text, html]) expect(part).toContain('x␀y␛[2Jz\nnext\nlast\ufffd\ufffd');
});

test('a huge submission is cut at 100 kB with a hint, at a whole character', () => {
	const mail = render({ first: 'kept', big: '😀<'.repeat(100_000), last: 'left out' });
	for (const part of [mail.text, mail.html]) {
		expect(part).toContain('kept');
		expect(part).toContain('open it with the link');
		expect(part).not.toContain('left out');
		expect(part.isWellFormed()).toBe(true);
	}
	expect(Buffer.byteLength(mail.html)).toBeLessThan(110_000);
});

test('the identity of a mail is that of its submission, again and again', () => {
	const mail = render({ a: 'b' });
	expect(mail).toEqual(render({ a: 'b' }));
	expect(mail.messageId).toBe(`${encodeId(id)}@forms.example.com`);
	expect(mail.date).toEqual(new Date('2026-01-02T03:04:05Z'));
});

test('a server without a public name takes the identity from the sender', () => {
	const local = { ...identity, baseUrl: 'http://127.0.0.1:8080' };
	const submission = { id, receivedAt, data: '{"a":"b"}', subject: null, replyTo: null };
	const mail = renderNotification(local, { form, submission, to: ['owner@example.com'] });
	expect(mail.messageId).toBe(`${encodeId(id)}@example.com`);
	expect(mail.headers['List-Id']).toBe(`<${encodeId(form.id)}.forms.example.com>`);
});

test('a mail to something that is no address is not made', () => {
	const submission = { id, receivedAt, data: '{}', subject: null, replyTo: null };
	for (const to of [[], ['a@example.com>\r\nRCPT TO:<evil@example.org']]) {
		expect(() => renderNotification(identity, { form, submission, to })).toThrow('is not a mail address');
	}
});

test('a digest counts all and shows some', () => {
	const latest = Array.from({ length: 60 }, (_, i) => ({
		id: id + i,
		receivedAt,
		data: JSON.stringify({ n: `no ${i}` }),
		subject: null,
		replyTo: null,
	}));
	const mail = renderDigest(identity, {
		id: id + 99,
		madeAt: receivedAt,
		form,
		total: 1234,
		latest,
		to: ['owner@example.com'],
	});
	expect(mail.subject).toBe('1,234 more submissions: Contact');
	expect(mail.text).toContain('n: no 49');
	expect(mail.text).not.toContain('n: no 50');
	expect(mail.html).toContain('and 1,184 more');
});

test('a line of a digest is cut between characters as people see them', () => {
	const family = '👨‍👩‍👧‍👦';
	const latest = [{ id, receivedAt, data: JSON.stringify({ n: family.repeat(40) }), subject: null, replyTo: null }];
	const to = ['owner@example.com'];
	const { text } = renderDigest(identity, { id: id + 1, madeAt: receivedAt, form, total: 1, latest, to });
	expect(text).toMatch(new RegExp(`^n: (?:${family}){12}…$`, 'm'));
});

test.each([
	['forms@example.com', { name: '', address: 'forms@example.com' }],
	['Forms <forms@example.com>', { name: 'Forms', address: 'forms@example.com' }],
	['"Forms, Inc." <forms@example.com>', { name: 'Forms, Inc.', address: 'forms@example.com' }],
	['forms@localhost', { name: '', address: 'forms@localhost' }],
	['forms', undefined],
	['a@example.com, b@example.com', undefined],
	['Forms <a@example.com> <b@example.com>', undefined],
])('the sender %p is %j', (text, expected) => {
	expect(parseSender(text)).toEqual(expected);
});

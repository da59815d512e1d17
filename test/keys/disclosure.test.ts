/** Routes that let content out take the permission to read, whatever else they do. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { DeliveryList, DeliveryWithContent } from '../../src/delivery/schema.ts';
import type { Form } from '../../src/forms/schema.ts';
import { type ScriptedSmtp, startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { until } from '../until.ts';

interface Rejection {
	code: string;
	error: string;
}

let peer: ScriptedSmtp;
let server: TestServer;
let writer: string;
let author: string;

beforeAll(async () => {
	peer = await startScriptedSmtp();
	server = await openTestServer({
		settings: { FORMSRV_SMTP_URL: peer.url, FORMSRV_MAIL_FROM: 'Forms <forms@example.com>' },
	});
	writer = await server.createKey({ permissions: ['write', 'delete'] });
	author = await server.createKey({ permissions: ['write', 'read'] });
});
afterAll(async () => {
	await server.close();
	await peer.close();
});

const makeForm = (json: object = {}, key?: string) => server.createForm<Form>({ name: 'Contact', ...json }, key);

const change = (form: Form, json: object, key?: string) =>
	server.call<Form & Rejection>(`PATCH /api/forms/${form.id}`, { json, key });
const deliveriesOf = async (form: Form, key?: string) =>
	(await server.call<DeliveryList>(`GET /api/forms/${form.id}/deliveries`, { key })).body.deliveries;

describe('the notification address', () => {
	test('can be changed with the permission to read, and not with write alone', async () => {
		const form = await makeForm({ notificationEmail: 'owner@example.com' });
		for (const notificationEmail of ['thief@example.com', 'owner@example.com, thief@example.com', null]) {
			const { status, body } = await change(form, { name: 'Renamed', notificationEmail }, writer);
			expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
			expect(body.error).toContain('"read"');
		}
		const bare = await makeForm();
		expect((await change(bare, { notificationEmail: 'thief@example.com' }, writer)).status).toBe(403);
		expect((await server.call<Form>(`GET /api/forms/${form.id}`)).body).toEqual(form);
		expect((await change(form, { notificationEmail: 'new@example.com' }, author)).body.notificationEmail).toBe(
			'new@example.com',
		);
	});

	test('can be sent unchanged, and given to a new form, with write alone', async () => {
		const form = await makeForm({ notificationEmail: 'owner@example.com' }, writer);
		const { status, body } = await change(form, { ...form, name: 'Renamed' }, writer);
		expect([status, body.notificationEmail, body.name]).toEqual([200, 'owner@example.com', 'Renamed']);
		expect(await deliveriesOf(form)).toEqual([]);
	});

	test('gets a mail when another replaces it, without submitted content', async () => {
		const form = await makeForm({ notificationEmail: 'a@example.com, b@example.com' });
		await server.submit(form.slug, { secret: 'The cake is a lie' });
		await change(form, { notificationEmail: 'b@example.com, successor@example.com' });
		await until(async () => (await deliveriesOf(form)).every(({ state }) => state === 'sent'));
		const [notice, ...others] = await deliveriesOf(form);
		expect(notice).toMatchObject({
			event: 'form.notification-email-changed',
			destination: 'a@example.com, b@example.com',
		});
		expect([notice?.submission, others.length]).toEqual([null, 1]);
		const subject = 'Subject: Notification address changed: Contact';
		const mail = peer.accepted.find(({ to, content }) => to[0] === 'a@example.com' && content.includes(subject));
		expect(mail?.to).toEqual(['a@example.com', 'b@example.com']);
		expect(mail?.content).not.toContain('cake');
		expect(mail?.content).not.toContain('successor@example.com');
	});

	test('of a test form gets a captured mail', async () => {
		const key = await server.createKey({ mode: 'test' });
		const form = await makeForm({ notificationEmail: 'a@example.com' }, key);
		await change(form, { notificationEmail: null }, key);
		const [notice] = await deliveriesOf(form, key);
		expect(notice?.state).toBe('captured');
		const { body } = await server.call<DeliveryWithContent>(`GET /api/deliveries/${notice?.id}`, { key });
		expect(body.content.text).toContain('Notification address changed');
	});
});

describe('a form-level key with write', () => {
	test('sets flags, one by one and many at once, and sends nothing', async () => {
		const form = await makeForm({ notificationEmail: 'owner@example.com' });
		await server.submit(form.slug, { note: 'cake', _gotcha: 'filled in' });
		const key = await server.createKey({ forms: [form.id], permissions: ['read', 'write'] });
		const path = `/api/forms/${form.id}/submissions` as const;
		const listed = await server.call<{ submissions: { id: string }[] }>(`GET ${path}?filter=spam`, { key });
		const id = listed.body.submissions[0]?.id;
		const flags = { isRead: true, isStarred: true, isSpam: false };
		for (const [route, json] of [
			[`PATCH ${path}/${id}`, { isSpam: false, sendWithheld: true }],
			[`PATCH ${path}`, { ids: [id], set: { isSpam: false }, sendWithheld: true }],
		] as const) {
			const { status, body } = await server.call<Rejection>(route, { key, json });
			expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
			expect(body.error).toContain('sendWithheld');
		}
		expect((await server.call<object>(`GET ${path}/${id}`)).body).toMatchObject({ isSpam: true });
		expect((await server.call<object>(`PATCH ${path}/${id}`, { key, json: flags })).body).toMatchObject({
			id,
			...flags,
		});
		const many = { filter: 'starred', set: { isRead: false } };
		expect((await server.call<object>(`PATCH ${path}`, { key, json: many })).body).toEqual({ updated: 1 });
		expect((await server.call<object>(`GET ${path}/${id}`)).body).toMatchObject({ ...flags, isRead: false });
		expect((await deliveriesOf(form)).map(({ state }) => state)).not.toContain('sent');
	});

	test('without read neither sees what it marks nor searches for it', async () => {
		const form = await makeForm();
		await server.submit(form.slug, { secret: 'The cake is a lie' });
		const key = await server.createKey({ forms: [form.id], permissions: ['write'] });
		const path = `/api/forms/${form.id}/submissions` as const;
		const { body } = await server.call<{ submissions: { id: string }[] }>(`GET ${path}`);
		const flagged = await server.call(`PATCH ${path}/${body.submissions[0]?.id}`, { key, json: { isRead: true } });
		expect([flagged.status, flagged.text.includes('cake')]).toEqual([200, false]);
		const json = { filter: 'all', search: 'cake', set: {} };
		expect((await server.call(`PATCH ${path}`, { key, json })).status).toBe(403);
	});
});

describe('what was submitted', () => {
	test('is not in the response to a change of flags without the permission to read', async () => {
		const form = await makeForm();
		await server.submit(form.slug, { secret: 'The cake is a lie' });
		const { body } = await server.call<{ submissions: { id: string }[] }>(`GET /api/forms/${form.id}/submissions`);
		const route = `PATCH /api/forms/${form.id}/submissions/${body.submissions[0]?.id}` as const;
		const flagged = await server.call<object>(route, { key: writer, json: { isRead: true } });
		expect(flagged.status).toBe(200);
		expect(flagged.body).toContainAllKeys([
			...['id', 'createdAt', 'isRead', 'isStarred', 'isSpam'],
			...['isPending', 'confirmedAt', 'isArchived'],
		]);
		expect(flagged.body).toMatchObject({ isRead: true });
		expect((await server.call<object>(route, { key: author, json: { isRead: true } })).text).toContain('cake');
	});

	test('is not tried out with lists, a honeypot or a threshold, and the counts of spam', async () => {
		const form = await makeForm();
		const entries = { block: { add: ['text:the cake is'] } };
		for (const [route, json] of [
			['PATCH /api/lists', entries],
			[`PATCH /api/forms/${form.id}/lists`, entries],
			[`PATCH /api/forms/${form.id}`, { spam: { threshold: 5, honeypot: ['secret'] } }],
			[`PATCH /api/forms/${form.id}`, { spam: { threshold: 1, honeypot: ['_gotcha'] } }],
		] as const) {
			const { status, body } = await server.call<Rejection>(route, { key: writer, json });
			expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
			expect(body.error).toContain('"read"');
			await server.submit(form.slug, { secret: 'The cake is a lie' });
		}
		const unchanged = await change(form, { ...form, name: 'Renamed' }, writer);
		expect([unchanged.status, unchanged.body.spamCount]).toEqual([200, 0]);
		expect((await server.call(`PATCH /api/forms/${form.id}/lists`, { key: author, json: entries })).status).toBe(200);
	});

	test('is not tried out with a rule that its values must differ', async () => {
		const form = await makeForm({ fields: [{ name: 'code', type: 'text' }] });
		await server.submit(form.slug, { code: '4711', email: 'ada@example.com' });
		const code = { name: 'code', type: 'text', unique: true, onDuplicate: 'keepFirst' };
		const email = { name: 'email', type: 'email', unique: true };
		const { status, body } = await change(form, { fields: [code] }, writer);
		expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
		expect(body.error).toContain('"read"');
		expect((await change(form, { fields: [code] }, author)).status).toBe(200);
		for (const fields of [[code, email], [{ ...code, type: 'number' }], [{ ...code, onDuplicate: 'refuse' }]])
			expect((await change(form, { fields }, writer)).status).toBe(403);
		const others = {
			fields: [
				{ ...code, label: 'Code' },
				{ ...email, unique: false },
			],
		};
		expect((await change(form, others, writer)).status).toBe(200);
		expect((await change(form, { fields: null }, writer)).status).toBe(200);
		await makeForm({ fields: [code, email] }, writer);
	});

	test('is not disclosed by the count of a bulk change or deletion by search', async () => {
		const form = await makeForm();
		const path = `/api/forms/${form.id}/submissions` as const;
		const chosen = { filter: 'all', search: 'cake' };
		for (const [route, json] of [
			[`PATCH ${path}`, { ...chosen, set: { isRead: true } }],
			[`POST ${path}/delete`, chosen],
		] as const) {
			const { status, body } = await server.call<Rejection>(route, { key: writer, json });
			expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
			expect(body.error).toContain('"read"');
			expect((await server.call(route, { key: writer, json: { ...json, search: undefined } })).status).toBe(200);
		}
		expect((await server.call(`PATCH ${path}`, { key: author, json: { ...chosen, set: {} } })).status).toBe(200);
	});
});

/** Deliveries over the API: shown, retried and released, with admin keys only. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import PostalMime from 'postal-mime';
import type { AuditLog } from '../../src/audit/schema.ts';
import type { DeliveryList, DeliveryWithContent } from '../../src/delivery/schema.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { until } from '../until.ts';
import { type ScriptedSmtp, startScriptedSmtp } from './scripted-smtp.ts';

let peer: ScriptedSmtp;
let server: TestServer;
let testKey: string;

beforeAll(async () => {
	peer = await startScriptedSmtp();
	server = await openTestServer({
		settings: {
			FORMSRV_SMTP_URL: peer.url,
			FORMSRV_MAIL_FROM: 'Forms <forms@example.com>',
			FORMSRV_BASE_URL: 'https://forms.example.com',
			FORMSRV_RATE_AUTH: '0',
		},
	});
	testKey = await server.createKey({ mode: 'test' });
});
afterAll(async () => {
	await server.close();
	await peer.close();
});

async function makeForm(values: object = {}, key?: string): Promise<{ id: string; slug: string }> {
	const json = { name: 'Contact', notificationEmail: 'owner@example.com', ...values };
	return server.createForm(json, key);
}

async function listOf(form: string, key?: string): Promise<DeliveryList> {
	return (await server.call<DeliveryList>(`GET /api/forms/${form}/deliveries`, key ? { key } : {})).body;
}

const untilState = (form: string, state: string) =>
	until(async () => (await listOf(form)).deliveries[0], { isSo: (latest) => latest?.state === state });

test('a submission’s mail is in the lists, with what was sent', async () => {
	const form = await makeForm();
	await server.submit(form.slug, { name: 'Ada', email: 'ada@example.org' });
	const sent = await untilState(form.id, 'sent');
	expect(sent).toMatchObject({
		form: form.id,
		channel: 'mail',
		destination: 'owner@example.com',
		attempts: 1,
		lastError: null,
	});

	const { body } = await server.call<DeliveryWithContent>(`GET /api/deliveries/${sent.id}`);
	expect(body.content).toMatchObject({
		to: ['owner@example.com'],
		replyTo: 'ada@example.org',
		subject: 'New submission: Contact',
	});
	const ofSubmission = await server.call<DeliveryList>(
		`GET /api/forms/${form.id}/submissions/${sent.submission}/deliveries`,
	);
	expect(ofSubmission.body.deliveries).toEqual([sent]);
	const filtered = await server.call<DeliveryList>(`GET /api/deliveries?form=${form.id}&state=failed`);
	expect(filtered.body).toMatchObject({
		deliveries: [],
		pagination: { total: 0, hasMore: false },
		mail: { isSet: true },
	});
	const page = await server.call<DeliveryList>('GET /api/deliveries?channel=mail&limit=1');
	expect(page.body.deliveries).toHaveLength(1);
	const mail = await PostalMime.parse(peer.accepted.at(-1)?.content ?? '');
	expect(mail.text).toContain(`https://forms.example.com/#/forms/${form.id}/submissions/${sent.submission}`);
});

test('what a test form would send is captured, shown in full, and never sent', async () => {
	const form = await makeForm({}, testKey);
	await server.submit(form.slug, { name: '<b>Tess</b>' });
	const [captured] = (await listOf(form.id, testKey)).deliveries;
	expect(captured?.state).toBe('captured');
	const { body } = await server.call<DeliveryWithContent>(`GET /api/deliveries/${captured?.id}`, { key: testKey });
	expect(body.content.html).toContain('&lt;b&gt;Tess&lt;/b&gt;');
	const preview = await server.call(`GET /api/deliveries/${captured?.id}/preview`, { key: testKey });
	expect(preview.text).toBe(body.content.html);
	expect(preview.headers.get('Content-Security-Policy')).toContain('sandbox');
	const retried = await server.call<{ code: string }>(`POST /api/deliveries/${captured?.id}/retry`, { key: testKey });
	expect([retried.status, retried.body.code]).toEqual([409, 'CONFLICT']);
});

test('the other mode’s deliveries do not exist', async () => {
	const form = await makeForm();
	await server.submit(form.slug, { a: 'b' });
	const sent = await untilState(form.id, 'sent');
	for (const route of [`/api/deliveries/${sent.id}`, `/api/forms/${form.id}/deliveries`] as const) {
		expect((await server.call(`GET ${route}`, { key: testKey })).status).toBe(404);
	}
	const all = await server.call<DeliveryList>('GET /api/deliveries', { key: testKey });
	expect(all.body.deliveries.map((one) => one.id)).not.toContain(sent.id);
});

test('only admin keys see deliveries', async () => {
	const key = await server.createKey({ permissions: ['read', 'write', 'delete'] });
	for (const route of [
		'GET /api/deliveries',
		'GET /api/deliveries/x',
		'POST /api/deliveries/retry',
		'POST /api/mail/test',
	] as const) {
		expect((await server.call(route, { key })).status).toBe(403);
		expect((await server.call(route, { key: null })).status).toBe(401);
	}
});

test('a failed mail can be retried, singly and in bulk', async () => {
	const form = await makeForm({ notificationEmail: 'gone@example.com' });
	const refusing = {
		RCPT: (mail: { to: string[] }) => (mail.to.at(-1) === 'gone@example.com' ? '550 gone' : undefined),
	};
	peer.script = refusing;
	await server.submit(form.slug, { a: 'b' });
	const failed = await untilState(form.id, 'failed');
	expect(failed.lastError).toContain('550 gone');
	peer.script = {};
	const retried = await server.call<DeliveryWithContent>(`POST /api/deliveries/${failed.id}/retry`);
	expect([retried.status, retried.body.id]).toEqual([200, failed.id]);
	await untilState(form.id, 'sent');
	const many = await server.call('POST /api/deliveries/retry', { json: { form: form.id, state: 'failed' } });
	expect(many.body).toEqual({ retried: 0 });
	const again = await server.call('POST /api/deliveries/retry', { json: { ids: [failed.id, 'nonsense'] } });
	expect(again.body).toEqual({ retried: 1 });
	await untilState(form.id, 'sent');
	peer.script = refusing;
	await server.call(`POST /api/deliveries/${failed.id}/retry`);
	await untilState(form.id, 'failed');
	peer.script = {};
	const ofForm = await server.call('POST /api/deliveries/retry', { json: { form: form.id } });
	expect(ofForm.body).toEqual({ retried: 1 });
	await untilState(form.id, 'sent');
	const { body } = await server.call<AuditLog>(`GET /api/audit?object=form:${form.id}`);
	const entries = body.entries.map(({ action, details }) => [action, details.counts?.deliveries]);
	expect(entries).toContainEqual(['retryDelivery', 1]);
	expect(entries).toContainEqual(['retryDeliveries', 1]);
});

test('marking as not spam offers to send the withheld mail', async () => {
	const form = await makeForm();
	const mails = peer.accepted.length;
	await server.submit(form.slug, { a: 'b', _gotcha: 'x' });
	const withheld = await untilState(form.id, 'withheld');
	expect(withheld.lastError).toContain('spam');
	const path = `/api/forms/${form.id}/submissions/${withheld.submission}` as const;
	await server.call(`PATCH ${path}`, { json: { isSpam: false } });
	await server.call(`PATCH ${path}`, { json: { isRead: true, sendWithheld: true } });
	expect((await listOf(form.id)).deliveries[0]?.state).toBe('withheld');
	await server.call(`PATCH ${path}`, { json: { isSpam: false, sendWithheld: true } });
	await untilState(form.id, 'sent');
	expect(peer.accepted).toHaveLength(mails + 1);
});

test('a deleted form takes its waiting mails along', async () => {
	const form = await makeForm({ notificationEmail: 'full@example.com' });
	peer.script = { RCPT: '452 full' };
	await server.submit(form.slug, { a: 'b' });
	await untilState(form.id, 'waiting');
	await server.call(`DELETE /api/forms/${form.id}`);
	peer.script = {};
	expect((await server.call(`GET /api/forms/${form.id}/deliveries`)).status).toBe(404);
	const waiting = await server.call<DeliveryList>('GET /api/deliveries?state=waiting');
	expect(waiting.body.deliveries).toEqual([]);
});

test.each([
	['state=lost', 'state'],
	['channel=pigeon', 'channel'],
	['limit=1.5', 'limit'],
	['state=sent&state=failed', 'state'],
])('?%s is rejected, naming the parameter', async (query, field) => {
	const { status, body } = await server.call<{ errors: { field: string }[] }>(`GET /api/deliveries?${query}`);
	expect([status, body.errors[0]?.field]).toEqual([400, field]);
});

test('a missing delivery is 404', async () => {
	const form = await makeForm();
	expect((await server.call('GET /api/deliveries/zzz')).status).toBe(404);
	expect((await server.call('POST /api/deliveries/zzz/retry')).status).toBe(404);
	expect((await server.call('GET /api/deliveries?form=zzz')).status).toBe(404);
	expect((await server.call(`GET /api/forms/${form.id}/submissions/zzz/deliveries`)).status).toBe(404);
});

test('the test mail returns the server’s reply, or the cause of the failure', async () => {
	const good = await server.call('POST /api/mail/test', { json: { to: 'you@example.com' } });
	expect(good.body).toEqual({ accepted: true, reply: '250 2.0.0 queued as 4711' });
	expect(peer.accepted.at(-1)).toMatchObject({ from: 'forms@example.com', to: ['you@example.com'] });
	peer.script = { MAIL: '550 not you' };
	const bad = await server.call<{ error: string }>('POST /api/mail/test', { json: { to: 'you@example.com' } });
	expect([bad.status, bad.body.error]).toEqual([
		409,
		'The server rejected the sender, FORMSRV_MAIL_FROM: 550 not you.',
	]);
	peer.script = {};
	const wrong = await server.call('POST /api/mail/test', { json: { to: 'you@example.com, me@example.com' } });
	expect(wrong.status).toBe(400);
});

test('test mails are for live keys, and few: more within the minute are rejected and not sent', async () => {
	const own = await openTestServer({
		settings: { FORMSRV_SMTP_URL: peer.url, FORMSRV_MAIL_FROM: 'Forms <forms@example.com>' },
	});
	const before = peer.accepted.length;
	const attempt = async (key: string, to = 'you@example.com') => own.call('POST /api/mail/test', { key, json: { to } });
	const inTestMode = await attempt(await own.createKey({ mode: 'test' }));
	expect([inTestMode.status, inTestMode.body]).toMatchObject([403, { code: 'FORBIDDEN' }]);
	expect((await attempt(own.adminKey, 'nobody')).status).toBe(400);
	// A key of its own for each, as an owner of one could make them.
	for (let i = 0; i < 5; i++) expect((await attempt(await own.createKey(), ' you@example.com ')).status).toBe(200);
	const sixth = await attempt(await own.createKey());
	expect([sixth.status, sixth.body]).toMatchObject([429, { code: 'RATE_LIMITED' }]);
	expect(Number(sixth.headers.get('Retry-After'))).toBeWithin(1, 61);
	expect(peer.accepted.length - before).toBe(5);
	await own.close();
});

/** The mail of a form with invented values, over the API: shown to its owner, or sent to its recipients. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { DeliveryList, MailContent } from '../../../src/delivery/schema.ts';
import type { Form } from '../../../src/forms/schema.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { type ScriptedSmtp, startScriptedSmtp } from '../scripted-smtp.ts';

setDefaultTimeout(30_000);

let peer: ScriptedSmtp;
let server: TestServer;

beforeAll(async () => {
	peer = await startScriptedSmtp();
	server = await openTestServer({
		settings: { FORMSRV_SMTP_URL: peer.url, FORMSRV_MAIL_FROM: 'Forms <forms@example.com>' },
	});
});
afterAll(async () => {
	await server.close();
	await peer.close();
});

async function make(json: object): Promise<Form> {
	return await server.createForm<Form>({ name: 'Contact', ...json });
}

const FIELDS = [
	{ name: 'email', type: 'email', label: 'Your e-mail', required: true },
	{ name: 'topic', type: 'select', options: ['Sales', 'Help'] },
	{ name: 'code', type: 'text', pattern: '[A-Z]{3}-[0-9]{2}' },
	{ name: 'cv', type: 'file' },
];

test('its values keep to the rules, its routes count, and nothing is sent or stored', async () => {
	const form = await make({
		notification: {
			to: 'all@example.com',
			cc: 'copy@example.com',
			subject: '{{topic}} of {{email}}',
			replyTo: 'email',
		},
		routes: [{ where: [{ field: 'topic', is: 'sales' }], to: 'sales@example.com' }],
		fields: FIELDS,
	});
	const path = `/api/forms/${form.id}/notification/preview` as const;
	const { status, body } = await server.call<MailContent>(`POST ${path}`);
	expect(status).toBe(200);
	expect(body).toMatchObject({
		from: { name: 'Forms', address: 'forms@example.com' },
		to: ['sales@example.com'],
		cc: ['copy@example.com'],
		bcc: [],
		replyTo: 'ada@example.com',
		subject: 'Sales of ada@example.com',
	});
	expect(body.text).toMatch(/Your e-mail:\nada@example.com\n\ntopic:\nSales\n\ncode:\n[A-Z]{3}-[0-9]{2}\n/);
	const page = await server.call(`GET ${path}`);
	expect(page.text.replaceAll(/\/submissions\/\w+/g, '')).toContain('<h1 dir="auto">Sales of ada@example.com</h1>');
	expect(page.headers.get('Content-Security-Policy')).toContain('sandbox');
	expect(peer.accepted).toEqual([]);
	expect((await server.call<DeliveryList>('GET /api/deliveries')).body.deliveries).toEqual([]);
});

test('a test goes to all of its recipients, and says which of them the mail server did not take', async () => {
	const form = await make({ notification: { to: 'a@example.com', bcc: 'b@example.com' } });
	const path = `POST /api/forms/${form.id}/notification/test` as const;
	const { body } = await server.call(path);
	expect(body).toEqual({ accepted: true, reply: '250 2.0.0 queued as 4711', to: ['a@example.com', 'b@example.com'] });
	expect(peer.accepted.at(-1)?.to).toEqual(['a@example.com', 'b@example.com']);
	peer.script = { RCPT: ({ to }) => (to.at(-1) === 'b@example.com' ? '550 5.1.1 no such mailbox' : undefined) };
	const partly = await server.call<{ error: string }>(path);
	expect([partly.status, partly.body.error]).toEqual([
		409,
		expect.stringContaining('Sent, but not to all. b@example.com'),
	]);
	peer.script = {};
});

test('the mail is shown with the fields in the order of the rules, also those whose names are numbers', async () => {
	const fields = ['name', '10', '2'].map((name) => ({ name, type: 'text' }));
	const form = await make({ notificationEmail: 'a@example.com', fields });
	const { body } = await server.call<MailContent>(`POST /api/forms/${form.id}/notification/preview`);
	expect(body.text.match(/^\w+(?=:$)/gm)).toEqual(['name', '10', '2']);
});

test('without mails, and in test mode, the error says so', async () => {
	const form = await make({ routes: [{ where: [{ field: 'name', is: 'Nobody' }], to: 'a@example.com' }] });
	for (const what of ['preview', 'test'] as const) {
		const { status, body } = await server.call<{ error: string }>(`POST /api/forms/${form.id}/notification/${what}`);
		expect([status, body.error]).toEqual([409, expect.stringContaining('sends no mail')]);
		expect((await server.call(`POST /api/forms/none/notification/${what}`)).status).toBe(404);
	}
	const key = await server.createKey({ mode: 'test' });
	const { body } = await server.call<Form>('POST /api/forms', {
		key,
		json: { name: 'T', notificationEmail: 'a@example.com' },
	});
	expect((await server.call(`POST /api/forms/${body.id}/notification/preview`, { key })).status).toBe(200);
	expect((await server.call(`POST /api/forms/${body.id}/notification/test`, { key })).status).toBe(403);
});

test('no more than five tests a minute are sent', async () => {
	const form = await make({ notificationEmail: 'a@example.com' });
	const statuses: number[] = [];
	for (let i = 0; i < 6; i++) statuses.push((await server.call(`POST /api/forms/${form.id}/notification/test`)).status);
	expect(statuses.at(-1)).toBe(429);
});

/** Who is notified: a text, a list, and names beside the addresses. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Form } from '../../src/forms/schema.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { until } from '../until.ts';
import { type ScriptedSmtp, startScriptedSmtp } from './scripted-smtp.ts';

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

const make = (notificationEmail: unknown) =>
	server.call<Form & { errors: { field: string; code: string }[] }>('POST /api/forms', {
		json: { name: 'Contact', notificationEmail },
	});

test.each([
	['ada@example.com', 'ada@example.com'],
	['Ada <ada@example.com>', 'Ada <ada@example.com>'],
	[['ada@example.com'], 'ada@example.com'],
	[['ada@example.com', 'Bob <bob@example.com>'], 'ada@example.com, Bob <bob@example.com>'],
	['Lovelace <ada@example.com>,bob@example.com', 'Lovelace <ada@example.com>, bob@example.com'],
	[['"Lovelace, Ada" <ada@example.com>'], '"Lovelace, Ada" <ada@example.com>'],
	['Zoë <zoe@example.com>', 'Zoë <zoe@example.com>'],
	[
		Array.from({ length: 10 }, (_, i) => `a${i}@example.com`),
		Array.from({ length: 10 }, (_, i) => `a${i}@example.com`).join(', '),
	],
])('%j is returned as a text, which can be sent back', async (sent, text) => {
	const { status, body } = await make(sent);
	expect([status, body.notificationEmail]).toEqual([201, text]);
	const path = `/api/forms/${body.id}` as const;
	for (const notificationEmail of [text, [text]]) {
		const again = await server.call<Form>(`PATCH ${path}`, { json: { notificationEmail } });
		expect(again.body.notificationEmail).toBe(text);
	}
	expect((await server.call<{ deliveries: [] }>(`GET ${path}/deliveries`)).body.deliveries).toEqual([]);
});

test.each([
	[[]],
	[['']],
	[[['ada@example.com']]],
	[['ada@example.com', 7]],
	[['"Ada', 'Bob" <bob@example.com>']],
	[Array(11).fill('a@example.com')],
	[Array(6).fill('a@example.com, b@example.com')],
	['Ada\r\nBcc: eve@example.com <ada@example.com>'],
	[['Ada <ada@example.com>\nBcc: eve@example.com']],
	['Lovelace, Ada <ada@example.com>'],
	[{ ada: 'ada@example.com' }],
])('%j is rejected by name', async (sent) => {
	const { status, body } = await make(sent);
	expect([status, body.errors[0]?.field.split('.')[0]]).toEqual([400, 'notificationEmail']);
});

test('a mail goes to each of them, with their names', async () => {
	const { body } = await make(['"Lovelace, Ada" <ada@example.com>', 'bob@example.com', 'Zoë <zoe@example.com>']);
	await server.submit(body.slug, { note: 'to all three' });
	const mail = await until(() => peer.accepted.find(({ content }) => content.includes('to all three')));
	expect(mail.to).toEqual(['ada@example.com', 'bob@example.com', 'zoe@example.com']);
	const to = mail.content.replace(/\r\n[ \t]+/g, ' ').match(/^To: (.*)$/m)?.[1];
	expect(to).toBe('"Lovelace, Ada" <ada@example.com>, bob@example.com, =?UTF-8?Q?Zo=C3=AB?= <zoe@example.com>');
});

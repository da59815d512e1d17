/** Mails and webhook requests of submissions whose stored text was damaged while they waited: they say so, send nothing of it, and it becomes a finding. */

import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { eq, type SQL, sql } from 'drizzle-orm';
import PostalMime from 'postal-mime';
import { decodeId } from '../../src/ids.ts';
import { submissions } from '../../src/storage/tables.ts';
import { isOnPostgres } from '../engine.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { until } from '../until.ts';
import { startScriptedSmtp } from './scripted-smtp.ts';

setDefaultTimeout(30_000);

interface Event {
	data: { submission: { id: string; data: object; meta: object | null; damaged?: true } };
}
interface Listed {
	deliveries: { id: string; channel: string; state: string; event: string; lastError: string | null }[];
}

const LARGE = 'x'.repeat(1_100_000);
const DAMAGED: [what: string, text: string, set: { data?: string | SQL; meta?: string }][] = [
	['a quote is lost', 'Hello', { data: '{"message":"Hello}' }],
	['the last byte of a large text is lost', LARGE, { data: `{"message":"${LARGE}"]` }],
	['what stands beside it is lost', 'Hello', { meta: '{"a":' }],
];
// PostgreSQL keeps no text that is not UTF-8.
if (!isOnPostgres) {
	const bytes = sql`cast(x'7b226d657373616765223a2248656cff6f227d' as text)`;
	DAMAGED.push(['a byte is no UTF-8 any more', 'Hello', { data: bytes }]);
}

let server: TestServer;
const closing: (() => unknown)[] = [];
afterEach(async () => {
	await server.close();
	for (const close of closing.splice(0)) await close();
});

/** A mail server and a receiver that take nothing until they are told to. */
async function open({ settings = {}, hasMail = true, hasWebhook = true } = {}) {
	const smtp = await startScriptedSmtp({ MAIL: '451 4.3.0 later' });
	const events: Event[] = [];
	let status = 503;
	const hook = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			const event = (await request.json()) as Event;
			if (status < 300) events.push(event);
			return new Response(null, { status });
		},
	});
	closing.push(smtp.close, () => hook.stop(true));
	server = await openTestServer({
		settings: {
			FORMSRV_SMTP_URL: `${smtp.url}?tls=off`,
			FORMSRV_MAIL_FROM: 'forms@example.com',
			FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
			FORMSRV_MAX_BODY: '4MiB',
			FORMSRV_RATE_API: '0',
			...settings,
		},
	});
	const json = { name: 'Contact', slug: 'contact', notificationEmail: hasMail ? 'owner@example.com' : null };
	const form = await server.createForm<{ id: string }>(json);
	if (hasWebhook) await server.call(`POST /api/forms/${form.id}/webhooks`, { json: { url: hook.url.href } });
	const listed = async () => (await server.call<Listed>('GET /api/deliveries')).body.deliveries;
	return {
		smtp,
		/** Each was tried, and waits. */
		async tried(count: number) {
			const isTried = ({ lastError }: Listed['deliveries'][number]) => lastError !== null;
			await until(async () => (await listed()).filter(isTried).length === count);
		},
		events,
		listed,
		async damage(id: string, set: (typeof DAMAGED)[number][2]) {
			const rowId = decodeId(id) as number;
			await server.app.storage.batch((tx) => [tx.update(submissions).set(set).where(eq(submissions.id, rowId))]);
		},
		async sendAll() {
			smtp.script = {};
			status = 204;
			for (const { id } of await listed()) await server.call(`POST /api/deliveries/${id}/retry`);
		},
	};
}

const submit = async (message: string) =>
	(await server.submit('contact', { message })).headers.get('Formsrv-Submission-Id') as string;
const problems = async () => JSON.stringify((await server.call<{ problems: object }>('GET /api/status')).body.problems);

describe.each(DAMAGED)('%s', (_, text, set) => {
	test('its mail and its webhook request name it as damaged, and so does what is kept of them', async () => {
		const { smtp, events, listed, tried, damage, sendAll } = await open();
		const id = await submit(text);
		await tried(2);
		await damage(id, set);
		expect(await problems()).not.toContain(id);
		await sendAll();
		await until(() => events.length === 1 && smtp.accepted.length === 1);
		expect(events[0]?.data.submission).toMatchObject({ id, data: {}, meta: null, damaged: true });
		const mail = await PostalMime.parse(smtp.accepted[0]?.content ?? '');
		for (const part of [mail.text, mail.html]) {
			expect(part).toContain('This submission can no longer be read');
			expect(part).not.toContain('Hello');
			expect(part).not.toContain('x'.repeat(20));
		}
		expect(await problems()).toContain(`The submission ${id} cannot be read.`);
		await until(async () => (await listed()).every(({ state }) => state === 'sent'));
		for (const delivery of await listed()) {
			const { text: shown } = await server.call(`GET /api/deliveries/${delivery.id}`);
			expect(shown).toContain(delivery.channel === 'mail' ? 'can no longer be read' : '"damaged":true');
		}
	});
});

test.each(['mail', 'webhook'])('a %s alone makes it a finding', async (channel) => {
	const hasMail = channel === 'mail';
	const { smtp, events, tried, damage, sendAll } = await open({ hasMail, hasWebhook: !hasMail });
	const id = await submit('Hello');
	await tried(1);
	await damage(id, { data: '{"message":"Hello}' });
	expect(await problems()).not.toContain(id);
	await sendAll();
	await until(() => smtp.accepted.length + events.length === 1);
	expect(await problems()).toContain(`The submission ${id} cannot be read.`);
});

test.each([
	['its mail is composed', LARGE],
	['it is listed', 'A \ufffd'],
])('a submission that is removed while %s is not damaged', async (_, text) => {
	const { listed, tried } = await open({ hasWebhook: false });
	const id = await submit(text);
	await tried(1);
	const [delivery] = await listed();
	const { body } = await server.call<{ forms: { id: string }[] }>('GET /api/forms');
	const { submissions: stored } = server.app.storage;
	const readText = stored.text;
	let isRemoved = false;
	stored.text = async (of, maxBytes) => {
		isRemoved = (await stored.remove(of.formId, [of.id])).length === 1;
		return readText(of, maxBytes);
	};
	if (text === LARGE) await server.call(`GET /api/deliveries/${delivery?.id}`);
	else await server.call(`GET /api/forms/${body.forms[0]?.id}/submissions`);
	expect(isRemoved).toBe(true);
	expect(await problems()).not.toContain(id);
});

test('damaged after it was sent: the copy that the dashboard shows of the request says so, and is a finding', async () => {
	const { events, tried, damage, listed, sendAll } = await open();
	const id = await submit('Hello');
	await tried(2);
	await sendAll();
	await until(async () => events.length === 1 && (await listed()).every(({ state }) => state === 'sent'));
	await damage(id, { data: '{"message":"Hello}' });
	const webhook = (await listed()).find(({ channel }) => channel === 'webhook');
	const { text } = await server.call(`GET /api/deliveries/${webhook?.id}`);
	expect(text).toContain('"data":{},');
	expect(text).toContain('"damaged":true');
	expect(text).not.toContain('Hello');
	expect(await problems()).toContain(`The submission ${id} cannot be read.`);
});

test('a digest names those that are damaged, and shows the others', async () => {
	const { smtp, damage, listed } = await open({ settings: { FORMSRV_MAIL_PER_HOUR: '1' }, hasWebhook: false });
	smtp.script = {};
	await submit('The first');
	await until(() => smtp.accepted.length === 1);
	const [second] = [await submit('The second'), await submit('The third')];
	await until(async () => (await listed()).filter(({ state }) => state === 'gathered').length === 2);
	await damage(second as string, { data: '{"message":"The second}' });
	const digest = (await listed()).find(({ event }) => event === 'submissions.digest');
	const { text } = await server.call(`GET /api/deliveries/${digest?.id}`);
	expect(text).toContain('can no longer be read');
	expect(text).toContain('The third');
	expect(text).not.toContain('The second');
	expect(await problems()).toContain(`The submission ${second} cannot be read.`);
});

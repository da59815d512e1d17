/** Two servers on one database in PostgreSQL: deliveries, captcha challenges and events, whichever of them a request comes to. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startScriptedSmtp } from '../../delivery/scripted-smtp.ts';
import { freePort } from '../../free-port.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { until } from '../../until.ts';

const SUBMISSIONS = 6;
const MAILS_AN_HOUR = 3;
/** A server that sends would find each of the other's by looking, every five seconds. */
const BY_LOOKING_MS = 5000;

interface Form {
	id: string;
}
interface Deliveries {
	deliveries: { state: string }[];
	mail: { heldReason: string | null };
}
interface Challenge {
	algorithm: string;
	challenge: string;
	salt: string;
	maxnumber: number;
	signature: string;
}

const smtpPort = freePort();
const arrived: number[] = [];
const receiver = Bun.serve({
	hostname: '127.0.0.1',
	port: 0,
	async fetch(request) {
		arrived.push(Number(/"n":(\d+)/.exec(await request.text())?.[1]));
		return new Response();
	},
});
let one: TestServer;
let other: TestServer;

beforeAll(async () => {
	const database = await newPostgresDatabase();
	const settings = {
		FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
		FORMSRV_SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
		FORMSRV_MAIL_FROM: 'forms@example.com',
	};
	one = await openTestServer({ database, settings });
	other = await openTestServer({ database, settings });
}, 30_000);
afterAll(async () => {
	await Promise.all([one.close(), other.close(), receiver.stop(true)]);
});

const makeForm = async (slug: string, more: object = {}) =>
	(await one.createForm<Form>({ name: slug, slug, ...more })).id;

test('a delivery goes out once and at once, whichever server took the submission', async () => {
	const id = await makeForm('hooked');
	await one.call(`POST /api/forms/${id}/webhooks`, { json: { url: receiver.url.href } });
	// The one that sends has begun.
	await one.submit('hooked', { n: 0 });
	await until(() => arrived.includes(0));
	const began = performance.now();
	for (let n = 1; n <= SUBMISSIONS; n++) {
		expect((await (n % 2 === 0 ? one : other).submit('hooked', { n })).status).toBe(200);
		await until(() => arrived.includes(n));
	}
	expect(performance.now() - began).toBeLessThan(BY_LOOKING_MS);
	expect(arrived.toSorted()).toEqual(Array.from({ length: SUBMISSIONS + 1 }, (_, n) => n));
}, 60_000);

test('while the mail server is away both servers say so, and a retry at either ends the pause', async () => {
	const id = await makeForm('mailed', { notificationEmail: 'owner@example.com' });
	for (const server of [one, other]) await server.submit('mailed', { n: 1 });
	const at = async (server: TestServer) => (await server.call<Deliveries>(`GET /api/forms/${id}/deliveries`)).body;
	for (const server of [one, other]) await until(async () => (await at(server)).mail.heldReason !== null);
	const peer = await startScriptedSmtp({}, smtpPort);
	for (const server of [one, other]) await server.call('POST /api/deliveries/retry', { json: { state: 'waiting' } });
	await until(() => peer.accepted.length === 2);
	for (const server of [one, other]) await until(async () => (await at(server)).mail.heldReason === null);
	await peer.close();
}, 60_000);

test('the hourly mail cap counts what another server sent', async () => {
	const peer = await startScriptedSmtp();
	const database = await newPostgresDatabase();
	const settings = {
		FORMSRV_SMTP_URL: peer.url,
		FORMSRV_MAIL_FROM: 'forms@example.com',
		FORMSRV_MAIL_PER_HOUR: `${MAILS_AN_HOUR}`,
	};
	const first = await openTestServer({ database, settings });
	await first.call('POST /api/forms', { json: { name: 'a', slug: 'a', notificationEmail: 'owner@example.com' } });
	await first.submit('a', { n: 1 });
	await until(() => peer.accepted.length === 1);
	await first.close();
	const second = await openTestServer({ database, settings });
	for (let n = 2; n <= MAILS_AN_HOUR + 2; n++) await second.submit('a', { n });
	const states = async () =>
		(await second.call<Deliveries>('GET /api/deliveries')).body.deliveries.map(({ state }) => state);
	await until(async () => (await states()).filter((state) => state === 'gathered').length === 2);
	await until(async () => (await states()).filter((state) => state === 'sent').length === MAILS_AN_HOUR);
	expect(peer.accepted).toHaveLength(MAILS_AN_HOUR);
	await second.close();
	await peer.close();
}, 60_000);

test('a solved challenge counts once, at whichever server', async () => {
	await makeForm('captcha', { captcha: 'altcha' });
	const response = await fetch(`${one.submitUrl}/f/captcha/challenge`);
	const { algorithm, challenge, salt, maxnumber, signature } = (await response.json()) as Challenge;
	let number = 0;
	while (number < maxnumber && Bun.SHA256.hash(salt + number, 'hex') !== challenge) number++;
	const altcha = Buffer.from(JSON.stringify({ algorithm, challenge, number, salt, signature })).toString('base64');
	const { call } = one;
	await Promise.all([one, other, one, other].map((server) => server.submit('captcha', { n: 1, altcha })));
	const forms = (await call<{ forms: { slug: string; submissionCount: number }[] }>('GET /api/forms')).body.forms;
	expect(forms.find(({ slug }) => slug === 'captcha')?.submissionCount).toBe(1);
}, 30_000);

test('a browser at one server sees what comes to the other', async () => {
	const id = await makeForm('seen');
	const abort = new AbortController();
	const headers = { Authorization: `Bearer ${other.adminKey}` };
	const stream = await fetch(`${other.baseUrl}/api/events`, { headers, signal: abort.signal });
	const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
	let heard = new TextDecoder().decode((await reader.read()).value);
	await one.submit('seen', { n: 1 });
	while (!heard.includes(`event: submission`) || !heard.includes(id))
		heard += new TextDecoder().decode((await reader.read()).value);
	abort.abort();
}, 30_000);

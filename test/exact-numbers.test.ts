/** A number is shown with all the digits that were sent, and members in the order in which they were, whichever way they go out. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeliveryList } from '../src/delivery/schema.ts';
import type { Form } from '../src/forms/schema.ts';
import type { SubmissionList } from '../src/submissions/schema.ts';
import { openCommandLine } from './cli/command-line.ts';
import { openTestServer, type TestServer } from './server.ts';

const NUMBERS = ['1e400', '-1E-400', '123456789012345678901234567890', '1.10', '-0', '0.1000000000000000055'];
const [HUGE, TINY, LONG, LISTED, DEEP, CLOSE] = NUMBERS;
/** With names that an object of JavaScript has first. */
const BODY = `{"a":${HUGE},"10":${TINY},"c":${LONG},"2":[${LISTED},{"e":${DEEP}}],"1":${CLOSE}}`;
/** A number as it was sent, and not a part of a longer one. */
const standsIn = (number: string) => new RegExp(`(?<![\\d.])${RegExp.escape(number)}(?![\\d.eE])`);

const folder = mkdtempSync(join(tmpdir(), 'formsrv-exact-'));
const cli = openCommandLine(folder);
let server: TestServer;
let key: string;
let form: Form;
let deliveries: DeliveryList['deliveries'];
let submission: string;

beforeAll(async () => {
	await cli.call('keys', 'create');
	const { database } = cli.config();
	server = await openTestServer({ database, settings: { FORMSRV_WEBHOOK_ALLOW: '127.0.0.1' } });
	// A key for test forms, so that outgoing deliveries are kept.
	key = await server.createKey({ mode: 'test' });
	const json = { name: 'Contact', slug: 'contact', notificationEmail: 'ada@example.com' };
	form = (await server.call<Form>('POST /api/forms', { key, json })).body;
	const hook = { url: 'http://127.0.0.1:9000/hook' };
	expect((await server.call(`POST /api/forms/${form.id}/webhooks`, { key, json: hook })).status).toBe(201);
	expect((await post({ Accept: 'application/json' })).status).toBe(200);
	const list = await server.call<SubmissionList>(`GET /api/forms/${form.id}/submissions`, { key });
	submission = list.body.submissions[0]?.id ?? '';
	deliveries = (await server.call<DeliveryList>(`GET /api/forms/${form.id}/deliveries`, { key })).body.deliveries;
}, 30_000);
afterAll(async () => {
	await server.close();
	rmSync(folder, { recursive: true, force: true });
});

const post = (headers: Record<string, string>) =>
	fetch(`${server.submitUrl}/f/contact`, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json', ...headers },
		body: BODY,
	});
const api = async (path: string) => (await server.call(`GET /${path}`, { key })).text;
const deliveryOf = (channel: string) => deliveries.find((one) => one.channel === channel)?.id;

const WAYS: Record<string, () => Promise<string>> = {
	'the list': () => api(`api/forms/${form.id}/submissions`),
	CSV: () => api(`api/forms/${form.id}/export?format=csv`),
	JSON: () => api(`api/forms/${form.id}/export?format=json`),
	NDJSON: () => api(`api/forms/${form.id}/export?format=ndjson`),
	'a mail': async () => JSON.parse(await api(`api/deliveries/${deliveryOf('mail')}`)).content.text,
	'the HTML of a mail': () => api(`api/deliveries/${deliveryOf('mail')}/preview`),
	'a webhook request': () => api(`api/deliveries/${deliveryOf('webhook')}`),
	'a tool of agents': async () => {
		const call = { name: 'list_submissions', arguments: { form: form.id, fields: ['1', '2', '10', 'a', 'c'] } };
		const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
		return (await server.call('POST /mcp', { key, json })).text;
	},
	'submissions list': async () => (await cli.call('submissions', 'list', 'contact')).stdout,
	'submissions list --json': async () => (await cli.call('submissions', 'list', 'contact', '--json')).stdout,
	'submissions show': async () => (await cli.call('submissions', 'show', 'contact', submission)).stdout,
	'submissions export': async () => (await cli.call('submissions', 'export', 'contact')).stdout,
	'deliveries show of a mail': async () => (await cli.call('deliveries', 'show', `${deliveryOf('mail')}`)).stdout,
	'deliveries show': async () => (await cli.call('deliveries', 'show', `${deliveryOf('webhook')}`)).stdout,
	'deliveries show --json': async () =>
		(await cli.call('deliveries', 'show', `${deliveryOf('webhook')}`, '--json')).stdout,
};

test.each(Object.keys(WAYS))('%s', async (way) => {
	const text = await (WAYS[way] as () => Promise<string>)();
	const places = NUMBERS.map((number) => ({ number, at: standsIn(number).exec(text)?.index ?? -1 }));
	const missing = places.filter(({ at }) => at < 0).map(({ number }) => number);
	expect({ missing, text: missing.length > 0 ? text : '' }).toEqual({ missing: [], text: '' });
	expect(places.toSorted((one, other) => one.at - other.at).map(({ number }) => number)).toEqual(NUMBERS);
});

/** Webhooks of every format on one form of a real server: settings, what arrives, and what the owner sees of it. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { WEBHOOKS_MAX } from '../../../src/delivery/webhooks/posting-settings.ts';
import {
	isMessageFormat,
	MESSAGE_FORMAT_NAMES,
	type MessageFormatName,
} from '../../../src/form-values/message-formats.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { until } from '../../until.ts';
import { faultsOf, PUBLISHED } from './published-formats.ts';

setDefaultTimeout(60_000);

interface Received {
	method: string;
	url: URL;
	headers: Headers;
	// biome-ignore lint/suspicious/noExplicitAny: any JSON
	body: any;
}
interface Hook {
	id: string;
	format: string;
	headers: Record<string, null>;
	body: unknown;
	where: unknown[];
	errors: { field: string; message: string }[];
}

let server: TestServer;
let receiver: Bun.Server<undefined>;
const received: Received[] = [];
const AUTHORIZATION = 'Bearer secret-of-the-owner';

beforeAll(async () => {
	receiver = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			const { method, url, headers } = request;
			received.push({ method, url: new URL(url), headers, body: await request.json() });
			return Response.json({ ok: true });
		},
	});
	server = await openTestServer({ settings: { FORMSRV_WEBHOOK_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
	await server.close();
	await receiver.stop(true);
});

const createForm = () => server.createForm({ name: 'Contact' });

const add = (form: string, json: object) => server.call<Hook>(`POST /api/forms/${form}/webhooks`, { json });
const here = (address: string) => address.replace(/^https:\/\/[^/]+/, receiver.url.origin);

async function arrived(count: number): Promise<Received[]> {
	await until(() => received.length >= count);
	return received.splice(0);
}

/** Webhooks of all formats. */
const HOOKS = [
	...MESSAGE_FORMAT_NAMES.map((format) => ({
		url: PUBLISHED[format].address,
		format,
		include: 'all',
		headers: { Authorization: AUTHORIZATION },
	})),
	{ url: 'https://x/custom', format: 'custom', body: { said: '{{message}}', to: ['{{form.name}}'] } },
	{ url: 'https://x/standard', format: 'standard' },
];
/** As many as a form may have; a new format makes another form. */
const HOOKS_OF_FORMS = Array.from({ length: Math.ceil(HOOKS.length / WEBHOOKS_MAX) }, (_, i) =>
	HOOKS.slice(i * WEBHOOKS_MAX, (i + 1) * WEBHOOKS_MAX),
);

test.each(HOOKS_OF_FORMS.map((hooks) => [hooks]))(
	'webhooks of all formats on one form each get a submission once, in their shape, with the headers of the owner',
	async (hooks) => {
		const form = await createForm();
		for (const hook of hooks) expect((await add(form.id, { ...hook, url: here(hook.url) })).status).toBe(201);
		const message = 'Hi @everyone <!channel> ``` [x](https://evil.example)';
		await server.submit(form.slug, { name: 'Ada', message });
		const { submissions } = (
			await server.call<{ submissions: { id: string }[] }>(`GET /api/forms/${form.id}/submissions`)
		).body;
		const id = submissions[0]?.id;
		const link = `${server.baseUrl}/#/forms/${form.id}/submissions/${id}`;
		const all = await arrived(hooks.length);
		expect(all.length).toBe(hooks.length);
		for (const { format } of hooks) {
			if (!isMessageFormat(format)) continue;
			const origin = new URL(PUBLISHED[format].address).origin;
			const target = PUBLISHED[format].target.replace(/^\w+ /, '').replace('ID', '');
			const mine = all.filter(
				({ url }) => url.href.replace(url.origin, origin).replace(/(?<=\/)msg_\w+$/, '') === target,
			);
			expect(mine.length).toBe(1);
			const [{ method, url, headers, body }] = mine as [Received];
			expect(faultsOf(format, { method, url: url.href.replace(url.origin, origin), body }, link)).toEqual([]);
			expect(headers.get('authorization')).toBe(AUTHORIZATION);
			expect(headers.get('webhook-id')).toStartWith('msg_');
			expect(JSON.stringify(body)).toContain('Ada');
		}
		const wanted: Record<string, object> = {
			custom: { said: message, to: ['Contact'] },
			standard: { type: 'submission.created', data: { submission: { id, data: { message } } } },
		};
		for (const { format } of hooks) {
			if (wanted[format])
				expect(all.find(({ url }) => url.pathname === `/${format}`)?.body).toMatchObject(wanted[format]);
		}

		const { deliveries } = (
			await server.call<{ deliveries: { id: string; state: string }[] }>(`GET /api/deliveries?form=${form.id}`)
		).body;
		const shown = await Promise.all(
			deliveries.map(
				async (one) => (await server.call<{ content: object }>(`GET /api/deliveries/${one.id}`)).body.content,
			),
		);
		for (const { body } of all.filter(({ url }) => url.pathname !== '/standard')) expect(shown).toContainEqual(body);
	},
);

test('the test of a webhook posts a message in its format', async () => {
	const form = await createForm();
	for (const format of MESSAGE_FORMAT_NAMES) {
		const { body } = await add(form.id, { url: here(PUBLISHED[format].address), format });
		const result = await server.call(`POST /api/forms/${form.id}/webhooks/${body.id}/test`);
		expect(result.body).toMatchObject({ delivered: true, status: 200 });
		const [{ method, url, body: sent }] = (await arrived(1)) as [Received];
		const origin = new URL(PUBLISHED[format].address).origin;
		const link = `${server.baseUrl}/#/forms/${form.id}`;
		expect(faultsOf(format, { method, url: url.href.replace(url.origin, origin), body: sent }, link)).toEqual([]);
		await server.call(`DELETE /api/forms/${form.id}/webhooks/${body.id}`);
	}
});

test('conditions decide at which submissions a webhook is asked', async () => {
	const form = await createForm();
	await add(form.id, { url: here('https://x/sales'), where: [{ field: 'topic', is: 'sales' }] });
	await add(form.id, {
		url: here('https://x/long'),
		where: [
			{ field: 'topic', is: 'Sales' },
			{ field: 'phone', exists: true },
		],
	});
	await server.submit(form.slug, { topic: 'Support', phone: '1' });
	await server.submit(form.slug, { topic: 'Sales' });
	await server.submit(form.slug, { topic: ['Other', 'SALES'], phone: '1' });
	const all = await arrived(3);
	await Bun.sleep(300);
	const asked = [...all, ...received.splice(0)].map(
		({ url, body }) => `${url.pathname} ${body.data.submission.data.topic}`,
	);
	expect(asked.toSorted()).toEqual(['/long Other,SALES', '/sales Other,SALES', '/sales Sales']);
});

describe('settings', () => {
	let form: string;
	beforeAll(async () => {
		form = (await createForm()).id;
	});
	const url = 'https://hooks.example.com/a';
	const token = { 'X-Token': 'abc' };

	test.each<[object, string]>([
		[{ format: 'teletype' }, 'format'],
		[{ format: 'telegram' }, 'url'],
		[{ format: 'telegram', url: 'https://api.telegram.org/bot1:X/sendMessage?chat_id=1&Parse_Mode=HTML' }, 'url'],
		[{ format: 'ntfy', url: 'https://ntfy.sh/' }, 'url'],
		[{ format: 'ntfy', url: 'https://ntfy.sh/alerts?md=1' }, 'url'],
		[{ format: 'matrix' }, 'url'],
		[{ format: 'gotify' }, 'url'],
		[{ include: 'everything' }, 'include'],
		[{ name: 'x'.repeat(101) }, 'name'],
		[{ format: 'custom' }, 'body'],
		[{ format: 'custom', body: 'text' }, 'body'],
		[{ format: 'custom', body: 5 }, 'body'],
		[{ format: 'custom', body: { a: ['{{#if x}}'] } }, 'body.a.0'],
		[{ format: 'custom', body: { a: '{{x' } }, 'body.a'],
		[{ format: 'custom', body: { a: { '{{x}}': 1 } } }, 'body.a.{{x}}'],
		[{ format: 'custom', body: { a: '{{form.secret}}' } }, 'body.a'],
		[{ format: 'custom', body: { a: 'x'.repeat(8200) } }, 'body'],
		[{ format: 'custom', body: JSON.parse(`${'['.repeat(3000)}1${']'.repeat(3000)}`) }, 'body'],
		[{ body: { a: 'b' } }, 'body'],
		[{ headers: { 'X-A': 'b\r\nX-B: c' } }, 'headers.X-A'],
		[{ headers: { 'X-A': '' } }, 'headers.X-A'],
		[{ headers: { 'X-A': 'ä' } }, 'headers.X-A'],
		[{ headers: { 'X-A': null } }, 'headers.X-A'],
		[{ headers: { 'X-A': 'x'.repeat(2049) } }, 'headers.X-A'],
		[{ headers: { 'X A': 'b' } }, 'headers.X A'],
		[{ headers: { Host: 'evil' } }, 'headers.Host'],
		[{ headers: { 'content-length': '1' } }, 'headers.content-length'],
		[{ headers: { 'Webhook-Signature': 'v1,x' } }, 'headers.Webhook-Signature'],
		[{ headers: { 'X-A': 'b', 'x-a': 'c' } }, 'headers.x-a'],
		[{ headers: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`X-${i}`, 'b'])) }, 'headers'],
		[{ headers: 'X-A: b' }, 'headers'],
		[{ where: [{ field: 'a' }] }, 'where.0'],
		[{ where: [{ field: 'a', matches: 'b' }] }, 'where.0.matches'],
		[{ where: Array(6).fill({ field: 'a', is: 'b' }) }, 'where'],
	])('%j is rejected, naming %s', async (more, field) => {
		const { status, body } = await add(form, { url, ...more });
		expect([status, body.errors?.map((error) => error.field)]).toEqual([400, [field]]);
	});

	test('values of headers are written, kept and never returned', async () => {
		const made = await add(form, { url, headers: token });
		expect(made.body.headers).toEqual({ 'X-Token': null });
		expect(made.text).not.toContain('abc');
		const path = `/api/forms/${form}/webhooks/${made.body.id}` as const;
		const read = (await server.call<Hook>(`GET ${path}`)).body;
		expect(read.headers).toEqual({ 'X-Token': null });
		const row = async () => {
			const rows = await server.app.storage.db.select().from((await import('../../../src/storage/tables.ts')).webhooks);
			return rows.find(({ url: address, headers }) => address.startsWith(url) && headers !== null)?.headers ?? null;
		};
		expect((await server.call(`PATCH ${path}`, { json: { ...read, name: 'CRM' } })).body).toMatchObject({
			name: 'CRM',
		});
		expect(await row()).toEqual(token);
		await server.call(`PATCH ${path}`, { json: { url: `${url}/b`, headers: { 'X-Token': null, 'X-More': 'd' } } });
		expect(await row()).toEqual({ ...token, 'X-More': 'd' });
		const elsewhere = await server.call<Hook>(`PATCH ${path}`, { json: { url: 'https://elsewhere.example.com/' } });
		expect([elsewhere.status, elsewhere.body.errors.map(({ field }) => field)]).toEqual([
			400,
			['headers.X-Token', 'headers.X-More'],
		]);
		const bare = await server.call<Hook>(`PATCH ${path}`, {
			json: { url: 'https://elsewhere.example.com/', headers: null },
		});
		expect([bare.status, bare.body.headers]).toEqual([200, {}]);
	});

	test('a webhook changes to another format and back, and can be sent back as it was read', async () => {
		const { body } = await add(form, {
			url,
			format: 'custom',
			body: { text: '{{a}}' },
			where: [{ field: 'a', exists: true }],
		});
		const path = `/api/forms/${form}/webhooks/${body.id}` as const;
		const change = async (json: object) => (await server.call<Hook>(`PATCH ${path}`, { json })).body;
		const { secret: _, ...shown } = body as Hook & { secret: string };
		expect(await change(shown)).toEqual(shown);
		expect(await change({ format: 'slack' })).toMatchObject({ format: 'slack', body: null });
		expect((await change({ format: 'custom' })).errors.map(({ field }) => field)).toEqual(['body']);
		expect(await change({ format: null, where: null })).toMatchObject({ format: 'standard', where: [] });
	});
});

test('each format names the page of its vendor', () => {
	for (const format of MESSAGE_FORMAT_NAMES as MessageFormatName[])
		expect(PUBLISHED[format].source).toStartWith('https://');
});

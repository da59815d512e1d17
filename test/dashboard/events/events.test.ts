import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createEventStreams } from '../../../src/dashboard/events/streams.ts';
import type { Form } from '../../../src/forms/schema.ts';
import { openCommandLine } from '../../cli/command-line.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { until } from '../../until.ts';

let server: TestServer;
let form: Form;
let other: Form;

interface Heard {
	event: string;
	data: Record<string, string>;
}

/** Opens a stream; `next` answers the next event that is neither `hello` nor a beat. */
async function listen(key: string | null, headers: Record<string, string> = {}) {
	const abort = new AbortController();
	const response = await fetch(`${server.baseUrl}/api/events`, {
		headers: { ...(key && { Authorization: `Bearer ${key}` }), ...headers },
		signal: abort.signal,
	});
	const reader = (response.body as ReadableStream<Uint8Array>).getReader();
	let text = '';
	async function read(): Promise<Heard | undefined> {
		for (;;) {
			const end = text.indexOf('\n\n');
			if (end >= 0) {
				const lines = text.slice(0, end).split('\n');
				text = text.slice(end + 2);
				const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
				if (field('event') && field('event') !== 'beat')
					return { event: `${field('event')}`, data: JSON.parse(`${field('data')}`) };
				continue;
			}
			const { value, done } = await reader.read();
			if (done) return undefined;
			text += new TextDecoder().decode(value);
		}
	}
	expect(response.status).toBe(200);
	expect(response.headers.get('Content-Type')).toBe('text/event-stream');
	expect(await read()).toEqual({ event: 'hello', data: {} });
	return { next: read, close: () => abort.abort() };
}

beforeAll(async () => {
	server = await openTestServer();
	form = await server.createForm<Form>({ name: 'Contact' });
	other = await server.createForm<Form>({ name: 'Other' });
});
afterAll(() => server.close());

test('a new submission is an event once it is stored', async () => {
	const stream = await listen(server.adminKey);
	await server.submit(form.slug, { name: 'Ada' });
	const heard = await stream.next();
	expect(heard).toMatchObject({ event: 'submission', data: { formId: form.id } });
	const read = await server.call(`GET /api/forms/${form.id}/submissions/${heard?.data.submissionId}`);
	expect(read.status).toBe(200);
	stream.close();
});

test('changes of submissions and forms are events', async () => {
	await server.submit(form.slug, { name: 'Grace' });
	const { body } = await server.call<{ submissions: { id: string }[] }>(`GET /api/forms/${form.id}/submissions`);
	const change = { event: 'change', data: { formId: form.id } };
	const path = `/api/forms/${form.id}/submissions/${body.submissions[0]?.id}` as const;
	const stream = await listen(server.adminKey);
	await server.call(`PATCH ${path}`, { json: { isRead: true } });
	expect(await stream.next()).toEqual(change);
	await server.call(`DELETE ${path}`);
	expect(await stream.next()).toEqual(change);
	await server.call(`PATCH /api/forms/${form.id}`, { json: { name: 'Renamed' } });
	expect(await stream.next()).toEqual(change);
	stream.close();
});

test('what a command writes beside the server is told: by its event, or by another greeting', async () => {
	const { database } = server.app.config;
	const FORMSRV_DATABASE_URL = database.startsWith('/') ? `sqlite:${database}` : database;
	const beside = openCommandLine(undefined, { FORMSRV_DATABASE_URL });
	const stream = await listen(server.adminKey);
	for (const name of ['One', 'Two']) {
		const { id } = await beside.json('forms', 'create', name);
		expect([
			{ event: 'hello', data: {} },
			{ event: 'change', data: { formId: id } },
		]).toContainEqual((await stream.next()) as Heard);
	}
	await server.submit(form.slug, { name: 'Ada' });
	expect((await stream.next())?.event).toBe('submission');
	stream.close();
});

test('a change of keys is told to those who may see them, by another greeting', async () => {
	const reader = await listen(await server.createKey({ permissions: ['read'] }));
	const stream = await listen(server.adminKey);
	await server.call('POST /api/keys', { json: { permissions: ['read'] } });
	expect(await stream.next()).toEqual({ event: 'hello', data: {} });
	await server.submit(form.slug, { name: 'Ada' });
	expect((await reader.next())?.event).toBe('submission');
	stream.close();
	reader.close();
});

test('a stream has events of its mode only, and that of a form-level key of its form only', async () => {
	const testKey = await server.createKey({ mode: 'test' });
	const testForm = (await server.call<Form>('POST /api/forms', { json: { name: 'Test' }, key: testKey })).body;
	const ofForm = await listen(await server.createKey({ form: form.id }));
	const ofTest = await listen(testKey);
	await server.submit(other.slug, { name: 'Ada' });
	await server.submit(form.slug, { name: 'Ada' });
	await server.submit(testForm.slug, { name: 'Ada' });
	expect((await ofForm.next())?.data.formId).toBe(form.id);
	expect((await ofTest.next())?.data.formId).toBe(testForm.id);
	ofForm.close();
	ofTest.close();
});

test('a stream of a key of several forms has the events of each of them and of no other', async () => {
	const make = async (name: string) => await server.createForm<Form>({ name });
	const [one, two, three] = [await make('One'), await make('Two'), await make('Three')];
	const stream = await listen(await server.createKey({ forms: [one.id, two.id] }));
	const heard: unknown[] = [];
	for (const { id, slug } of [three, one, two]) {
		await server.submit(slug, { name: 'Ada' });
		if (id !== three.id) heard.push((await stream.next())?.data.formId);
	}
	expect(heard).toEqual([one.id, two.id]);
	stream.close();
});

test('each state of a mail is an event', async () => {
	const { body } = await server.call<Form>('POST /api/forms', { json: { name: 'Mails' } });
	const stream = await listen(server.adminKey);
	const { events } = server.app.storage;
	events.publish({ type: 'delivery', formId: Number.parseInt(body.id, 36), deliveryId: 36, state: 'sent' });
	expect(await stream.next()).toEqual({ event: 'delivery', data: { formId: body.id, id: '10', state: 'sent' } });
	stream.close();
});

test('a disconnected client is removed, with its subscription', async () => {
	const { streams, storage } = server.app;
	const stream = await listen(server.adminKey);
	expect(streams.count()).toBeGreaterThan(0);
	stream.close();
	await until(() => streams.count() === 0);
	expect(storage.events.isHeard('submission')).toBe(false);
});

test('a silent stream has beats', async () => {
	const streams = createEventStreams(server.app.storage, { beatMs: 10 });
	const principal = {
		keyId: '1',
		sessionId: null,
		mode: 'live' as const,
		permissions: ['read' as const],
		formIds: null,
	};
	const reader = streams.open({ principal, reauthorize: async () => {} }).getReader();
	const read = async () => new TextDecoder().decode((await reader.read()).value);
	expect(await read()).toStartWith('retry: 3000\nevent: hello\n');
	expect(await read()).toBe('event: beat\ndata: {}\n\n');
	streams.closeAll();
	while (!(await reader.read()).done);
});

test('streams do not hold up a server that is to stop', async () => {
	const own = await openTestServer();
	const response = await fetch(`${own.baseUrl}/api/events`, { headers: { Authorization: `Bearer ${own.adminKey}` } });
	const [text] = await Promise.all([response.text(), own.close()]);
	expect(text).toContain('event: hello');
});

test('HEAD opens no stream', async () => {
	const response = await fetch(`${server.baseUrl}/api/events`, {
		method: 'HEAD',
		headers: { Authorization: `Bearer ${server.adminKey}` },
		signal: AbortSignal.timeout(5000),
	});
	expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
});

test('events of deliveries go only to callers that may see them', async () => {
	const [owner, reader] = [
		await listen(server.adminKey),
		await listen(await server.createKey({ permissions: ['read'] })),
	];
	server.app.storage.events.publish({
		type: 'delivery',
		formId: Number.parseInt(form.id, 36),
		deliveryId: 1,
		state: 'sent',
	});
	expect((await owner.next())?.event).toBe('delivery');
	await server.submit(form.slug, { name: 'Ada' });
	expect((await reader.next())?.event).toBe('submission');
	owner.close();
	reader.close();
});

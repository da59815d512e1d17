/** The audit log has settings before and after, and never secrets or what was submitted. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { expireAuditLog } from '../../src/audit/entries.ts';
import type { AuditEntry, AuditLog } from '../../src/audit/schema.ts';
import { decodeId } from '../../src/ids.ts';
import { auditLog } from '../../src/storage/audit-table.ts';
import { DAY_MS } from '../../src/tasks/durations.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { attach } from '../submissions/files/attached.ts';
import { until } from '../until.ts';

setDefaultTimeout(60_000);

let server: TestServer;

beforeAll(async () => {
	server = await openTestServer({ settings: { FORMSRV_RATE_AUTH: '0', FORMSRV_WEBHOOK_ALLOW: '127.0.0.1' } });
});
afterAll(() => server.close());

async function read(query = '', key?: string): Promise<AuditLog> {
	const { status, body, text } = await server.call<AuditLog>(`GET /api/audit${query}`, key ? { key } : {});
	expect(status, text).toBe(200);
	return body;
}

const waitFor = (query: string, count: number, key?: string) =>
	until(async () => (await read(query, key)).entries, {
		isSo: (entries) => entries.reduce((sum, entry) => sum + entry.count, 0) >= count,
	});

/** The search index follows behind the commits. */
async function untilFound({ id }: { id: string }, word: string): Promise<void> {
	const path = `GET /api/forms/${id}/submissions?search=${word}` as const;
	await until(async () => (await server.call<{ submissions: unknown[] }>(path)).body.submissions.length > 0);
}

const makeForm = (more: object = {}, key?: string) => server.createForm({ name: 'Contact', ...more }, key);

describe('an entry', () => {
	test('has the settings before and after, lists by what came and went, and no others', async () => {
		const { id } = await makeForm({ allowedDomains: ['a.example', 'b.example'] });
		await server.call(`PATCH /api/forms/${id}`, {
			json: {
				name: 'Contact',
				isActive: false,
				allowedDomains: ['b.example', 'c.example'],
				spam: { threshold: 7 },
				fields: [{ name: 'email', type: 'email' }],
				closedText: 'x'.repeat(300),
			},
		});
		const { entries } = await read(`?object=form:${id}&action=updateForm`);
		expect(entries[0]).toMatchObject({
			actor: { kind: 'key', name: expect.stringMatching(/^sk_live_…/) },
			form: id,
			object: { kind: 'form', id },
			mode: 'live',
			count: 1,
		});
		expect(entries[0]?.details.changes).toEqual({
			isActive: { before: true, after: false },
			allowedDomains: { before: 2, after: 2, added: ['c.example'], removed: ['a.example'] },
			'spam.threshold': { before: 5, after: 7 },
			fields: { before: 0, after: 1, added: ['email'], removed: [] },
			closedText: { before: null, after: `${'x'.repeat(200)}…` },
		});
	});

	test('has of changes that overlap what each found', async () => {
		const { id } = await makeForm({ name: 'first' });
		const names = Array.from({ length: 12 }, (_, i) => `name ${i}`);
		await Promise.all(names.map((name) => server.call(`PATCH /api/forms/${id}`, { json: { name } })));
		const { entries } = await read(`?object=form:${id}&action=updateForm`);
		const steps = entries.map(({ details }) => (details.changes as { name: { before: string; after: string } }).name);
		const next = new Map(steps.map(({ before, after }) => [before, after]));
		const chain = ['first'];
		for (let name = next.get('first'); name; name = next.get(name)) chain.push(name);
		expect(chain.slice(1).sort()).toEqual(names.toSorted());
		expect(chain.at(-1)).toBe((await server.app.forms.get(id)).name);
	});

	test('shows of secrets only that they changed', async () => {
		const { id } = await makeForm();
		const url = 'https://hooks.example.com/path-with-a-credential';
		const { body } = await server.call<{ id: string; secret: string }>(`POST /api/forms/${id}/webhooks`, {
			json: { url },
		});
		await server.call(`POST /api/forms/${id}/webhooks/${body.id}/rotate-secret`);
		await server.call(`PATCH /api/forms/${id}/webhooks/${body.id}`, { json: { url: `${url}-2` } });
		const { body: key } = await server.call<{ key: string }>('POST /api/keys', { json: { permissions: ['read'] } });
		const { entries } = await read(`?object=webhook:${body.id}`);
		expect(entries.map(({ action, details }) => [action, details.changes])).toMatchObject([
			['updateWebhook', { url: { changed: true } }],
			['rotateWebhookSecret', { secret: { changed: true } }],
			['createWebhook', { url: { after: 'https://hooks.example.com/…' } }],
		]);
		const all = JSON.stringify(await server.app.storage.db.select().from(auditLog));
		for (const secret of ['credential', body.secret, key.key, server.adminKey]) expect(all).not.toContain(secret);
	});

	test('holds nothing that was submitted, nor what was searched for, nor entries of lists', async () => {
		const form = await makeForm({ files: { maxFiles: 1 } });
		const cv = new File(['canary-bytes'], 'canary-file.txt', { type: 'text/plain' });
		const { path } = await attach(server, [cv], { slug: form.slug, fields: { name: 'canary-value' } });
		await server.call(`PATCH ${path}`, { json: { isStarred: true } });
		await server.call(`GET /api/forms/${form.id}/export?search=canary-value`);
		const bulk = { filter: 'all', search: 'canary-value' };
		await untilFound(form, 'canary-value');
		await server.call(`POST /api/forms/${form.id}/submissions/delete`, { json: bulk });
		await server.call(`POST /api/forms/${form.id}/submissions/delete`, { json: { ...bulk, dryRun: false } });
		await server.call(`PATCH /api/forms/${form.id}/lists`, { json: { block: ['email:canary@example.org'] } });
		await waitFor(`?object=form:${form.id}&action=exportSubmissions`, 1);
		const all = JSON.stringify(await server.app.storage.db.select().from(auditLog));
		expect(all).not.toContain('canary');
		const { entries } = await read(`?object=form:${form.id}&action=deleteSubmissions`);
		expect(entries.map(({ details }) => details)).toEqual([
			{ counts: { submissions: 1 }, facts: { filter: 'all', search: true } },
			{ facts: { filter: 'all', search: true, dryRun: true, matched: 1 } },
		]);
	});
});

describe('the log', () => {
	test('says nothing of requests that change nothing: rejected ones, lists, submissions', async () => {
		const form = await makeForm();
		const readKey = await server.createKey({ permissions: ['read'] });
		const before = (await read('?limit=1')).pagination.total;
		await server.submit(form.slug, { name: 'Ada' });
		await server.call(`GET /api/forms/${form.id}/submissions`);
		const rejected = [
			await server.call(`PATCH /api/forms/${form.id}`, { json: { name: '' } }),
			await server.call(`PATCH /api/forms/${form.id}`, { json: { name: 'x' }, key: readKey }),
			await server.call('POST /api/forms', { json: { name: 'x', slug: form.slug } }),
			await server.call(`DELETE /api/forms/${form.id}/submissions/0`),
			await server.call('DELETE /api/session', {
				key: null,
				headers: { 'X-Formsrv-CSRF': '1', 'Sec-Fetch-Site': 'same-origin' },
			}),
		];
		expect(rejected.map(({ status }) => status)).toEqual([400, 403, 409, 404, 200]);
		expect((await read('?limit=1')).pagination.total).toBe(before);
	});

	test('has one entry for a bulk change of many chunks, with the number of all', async () => {
		const form = await makeForm();
		for (let i = 0; i < 450; i += 50)
			await Promise.all(
				Array.from({ length: 50 }, () =>
					server.app.storage.submissions.append({
						formId: decodeId(form.id) ?? 0,
						data: '{"a":1}',
						names: ['a'],
						spamReason: null,
					}),
				),
			);
		await server.call(`PATCH /api/forms/${form.id}/submissions`, { json: { filter: 'all', set: { isRead: true } } });
		const { entries } = await read(`?object=form:${form.id}&action=updateSubmissions`);
		expect(entries.map(({ details }) => details)).toEqual([
			{ counts: { submissions: 450 }, facts: { isRead: true, filter: 'all' } },
		]);
	});

	test('counts downloads, exports and opened links, repeated ones in one entry', async () => {
		const { id, slug } = await makeForm({ files: { maxFiles: 1 } });
		const { path, files } = await attach(server, [new File(['text'], 'cv.txt')], { slug });
		const file = files[0]?.id;
		const { body: link } = await server.call<{ url: string }>(`POST ${path}/files/${file}/link`);
		for (let i = 0; i < 5; i++) {
			await server.call(`GET ${path}/files/${file}`);
			await (await fetch(`${server.baseUrl}${new URL(link.url).pathname}${new URL(link.url).search}`)).text();
		}
		await server.call(`GET ${path}/files.zip`);
		await server.call(`GET /api/forms/${id}/export?format=ndjson&filter=unread`);
		const downloads = await waitFor(`?object=file:${file}&action=downloadFile`, 5);
		expect(downloads.map(({ count }) => count)).toEqual([5]);
		const opened = await waitFor(`?object=file:${file}&action=openFileLink`, 5);
		const holder = expect.stringMatching(/^key\./);
		expect(opened).toMatchObject([{ count: 5, actor: { kind: 'link' }, details: { facts: { for: holder } } }]);
		expect(JSON.stringify(opened)).not.toContain(new URL(link.url).searchParams.get('signature') as string);
		const [exported] = await waitFor(`?object=form:${id}&action=exportSubmissions`, 1);
		expect(exported?.details.facts).toEqual({ format: 'ndjson', filter: 'unread' });
		expect(await waitFor(`?object=form:${id}&action=downloadFiles`, 1)).toHaveLength(1);
		expect(await waitFor(`?object=form:${id}&action=openFileLink`, 5)).toEqual(opened);
		expect((await read(`?object=form:${id}&action=createFileLink`)).entries).toHaveLength(1);
	});

	test('has an opened link to a file of a test form in test mode', async () => {
		const key = await server.createKey({ mode: 'test' });
		const form = await makeForm({ files: { maxFiles: 1 } }, key);
		const { path, files } = await attach(server, [new File(['text'], 'cv.txt')], { slug: form.slug, key });
		const { body: link } = await server.call<{ url: string }>(`POST ${path}/files/${files[0]?.id}/link`, { key });
		await (await fetch(`${server.baseUrl}${new URL(link.url).pathname}${new URL(link.url).search}`)).text();
		const query = `?object=form:${form.id}&action=openFileLink`;
		const [entry] = await waitFor(query, 1, key);
		expect(entry).toMatchObject({ mode: 'test', object: { kind: 'file', id: files[0]?.id }, count: 1 });
		expect((await read(query)).entries).toEqual([]);
	});

	test('has each sign-in with its way, also with the first use of a key, which is noted beside it', async () => {
		const { token, key } = await server.app.keys.create({ mode: 'live', name: 'office', permissions: ['read'] });
		await server.call('POST /api/session', { key: null, json: { key: token } });
		const link = await server.app.sessions.createLink();
		await server.call('POST /api/session', { key: null, json: { token: link } });
		const { entries } = await read('?action=openSession&limit=2');
		expect(entries).toMatchObject([
			{ actor: { kind: 'session' }, object: { kind: 'session' }, details: { facts: { way: 'link' } } },
			{
				actor: { kind: 'key', id: key.id, name: 'office' },
				object: { kind: 'session' },
				details: { facts: { way: 'key' } },
			},
		]);
	});

	test('is not filled by clients that fail to sign in', async () => {
		const attempt = (network: number) =>
			server.call('POST /api/session', {
				key: null,
				json: { key: 'sk_live_wrong' },
				headers: { 'X-Forwarded-For': `198.51.${network}.7` },
			});
		for (let network = 0; network < 200; network += 50)
			await Promise.all(Array.from({ length: 50 }, (_, i) => attempt(network + i)));
		await server.call('GET /api/forms', { key: 'sk_live_wrong', headers: { 'X-Forwarded-For': '198.51.0.7' } });
		const entries = await waitFor('?action=failedSignIn&limit=100', 201);
		expect(entries.length).toBeLessThanOrEqual(51);
		expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(201);
		expect(entries.find(({ actor }) => actor.kind === 'others')?.count).toBeGreaterThan(100);
	});

	test('is read with the permission audit, by mode, and page by page', async () => {
		const key = await server.createKey({ permissions: ['audit'] });
		const testKey = await server.createKey({ mode: 'test' });
		const { body: form } = await server.call<{ id: string }>('POST /api/forms', { json: { name: 'T' }, key: testKey });
		expect((await server.call('GET /api/forms', { key })).status).toBe(403);
		expect((await read(`?object=form:${form.id}`, key)).entries).toEqual([]);
		expect((await read(`?object=form:${form.id}`, testKey)).entries).toHaveLength(1);
		const pages = [await read('?limit=3', key), await read('?limit=3&offset=3', key)];
		const ids = pages.flatMap(({ entries }) => entries.map(({ id }) => id));
		expect(ids).toEqual((await read('?limit=6', key)).entries.map(({ id }) => id));
		expect(new Set(ids).size).toBe(6);
		expect(pages[0]?.pagination.hasMore).toBe(true);
		const since = pages[0]?.entries[2]?.createdAt;
		expect((await read(`?since=${since}&limit=100`)).entries.every((entry) => entry.createdAt > `${since}`)).toBe(true);
		expect((await read(`?until=${since}&limit=3`)).entries.every((entry) => entry.createdAt <= `${since}`)).toBe(true);
		const { actor } = (await read('?action=createForm&limit=1')).entries[0] as AuditEntry;
		expect((await read(`?actor=key:${actor.id}&limit=1`)).entries[0]?.actor).toEqual(actor);
	});

	test.each([
		['actor=ada', 'actor'],
		['object=form', 'object'],
		['action=%3Cb%3E', 'action'],
		['since=yesterday', 'since'],
		['who=me', 'who'],
	])('rejects ?%s with the name of the parameter', async (query, field) => {
		const { status, body } = await server.call<{ errors: { field: string }[] }>(`GET /api/audit?${query}`);
		expect([status, body.errors[0]?.field]).toEqual([400, field]);
	});

	test('loses entries by age only', async () => {
		const { storage } = server.app;
		const { total } = (await read('?limit=1')).pagination;
		const pause = async () => true;
		await expireAuditLog(storage, { before: Date.now() - DAY_MS, pause });
		expect((await read('?limit=1')).pagination.total).toBe(total);
		await expireAuditLog(storage, { before: Date.now() + DAY_MS, pause });
		expect((await read('?limit=1')).pagination.total).toBe(0);
	});
});

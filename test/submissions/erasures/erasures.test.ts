/** Erasing a person: what goes, what stays, what is counted, and that nothing acknowledged before escapes. */

import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import type { Form } from '../../../src/forms/schema.ts';
import { decodeId } from '../../../src/ids.ts';
import type { Mode } from '../../../src/storage/tables.ts';
import { deliveries, idempotencyKeys, submissions } from '../../../src/storage/tables.ts';
import type { Erasure, ErasureOutcome } from '../../../src/submissions/erasures/schema.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { allFiles, allText } from './all-text.ts';

setDefaultTimeout(180_000);

const ADA = 'ada@example.org';
const STAYING = ['nada@example.org', 'ada@example.org.uk', 'ada@example.orgx', 'ada+x@example.org'];

let server: TestServer;
beforeAll(async () => {
	server = await openTestServer({
		settings: { FORMSRV_RATE_SUBMIT: '0', FORMSRV_RATE_FORM: '0', FORMSRV_RATE_API: '0' },
	});
});
afterAll(() => server.close());
let form: Form;
beforeEach(async () => {
	form = await create();
});

const create = (settings: object = {}, mode: Mode = 'live') =>
	server.app.forms.create(mode, { name: 'Contact', ...settings });
const erase = async (json: object) => (await server.call<ErasureOutcome>('POST /api/erasures', { json })).body;
const preview = (email = ADA) => erase({ email });
const eraseNow = (email = ADA) => erase({ email, dryRun: false });
const dump = async () => (await allText(server.app.config.database)).toLowerCase();

async function submitAll(texts: readonly string[], slug = form.slug): Promise<void> {
	for (const text of texts) expect((await server.submit(slug, { text })).status).toBe(200);
}

async function textsOf({ id }: Form, filter = 'all'): Promise<string[]> {
	type Listed = { submissions: { data: Record<string, string> }[] };
	const { body } = await server.call<Listed>(`GET /api/forms/${id}/submissions?limit=100&filter=${filter}`);
	return body.submissions.map(({ data }) => data.text ?? JSON.stringify(data)).sort();
}

async function submitFile(fields: Record<string, string>, fileName: string): Promise<void> {
	const body = new FormData();
	for (const [name, value] of Object.entries(fields)) body.set(name, value);
	body.set('cv', new File([`%PDF-1.7 the file ${fileName}`], fileName));
	const response = await fetch(`${server.submitUrl}/f/${form.slug}`, { method: 'POST', body, redirect: 'manual' });
	expect(response.status).toBeLessThan(400);
	await response.body?.cancel();
}

const filesOf = ({ app }: TestServer) => (app.config.files.place as { folder: string }).folder;

/** The counts of a form are those of its rows. */
async function checkCounts({ id }: Form): Promise<void> {
	const rows = await server.app.storage.db
		.select()
		.from(submissions)
		.where(eq(submissions.formId, decodeId(id) as number));
	const { body } = await server.call<Form>(`GET /api/forms/${id}`);
	const inbox = rows.filter(({ isSpam }) => !isSpam);
	expect(body).toMatchObject({
		submissionCount: inbox.length,
		unreadCount: inbox.filter(({ isRead }) => !isRead).length,
		spamCount: rows.length - inbox.length,
	});
	for (const filter of ['all', 'spam'])
		expect(await textsOf({ ...form, id }, filter)).toHaveLength(
			filter === 'all' ? inbox.length : rows.length - inbox.length,
		);
}

describe('submissions', () => {
	test('that name the whole address go, wherever it stands in them; those of others stay', async () => {
		await submitAll(STAYING);
		await submitAll([ADA, 'ADA@Example.Org', `Ada <${ADA}>; x`, '{"to":["x","\\nada@example.org"]}']);
		await submitAll([`{"to":"${ADA}","to":"x"}`, '["a",{"ada@example.org":1,"ada@example.org":2}]']);
		await server.submit(form.slug, { text: 'nested', deep: { list: [1, { mail: ADA }] } });
		await server.submit(form.slug, { text: 'reply to', _replyto: ADA });
		await server.submit(form.slug, { text: 'subject', _subject: `From ${ADA}` });
		await server.submit(form.slug, { text: 'name of a field', [ADA]: 'yes' });
		await server.submit(form.slug, { text: ADA, _gotcha: 'x' });
		await submitFile({ text: 'file' }, `cv of ${ADA}.pdf`);
		expect(await preview()).toMatchObject({ dryRun: true, submissions: 12, files: 1, listEntries: 0, settings: [] });
		expect((await textsOf(form)).length).toBe(15);
		const { erasure, ...outcome } = await eraseNow();
		expect(outcome).toMatchObject({ dryRun: false, submissions: 12, files: 1 });
		expect(erasure).toMatchObject({ state: 'done', submissions: 12, againAt: null });
		expect(await textsOf(form)).toEqual([...STAYING].sort());
		expect(await textsOf(form, 'spam')).toEqual([]);
		await checkCounts(form);
		const text = await dump();
		expect(text.replace(/n?ada@example\.org(\.uk|x)/g, '').replaceAll('nada@example.org', '')).not.toContain(ADA);
		expect(text).toContain('nada@example.org');
		expect(allFiles(filesOf(server))).not.toContain(`cv of ${ADA}`);
		expect(await preview()).toMatchObject({ submissions: 0, files: 0, deliveries: 0 });
	});

	test('of all forms and both modes go, of a deleted form too', async () => {
		const all = [form, await create({}, 'test'), await create({ context: { page: true } })];
		for (const { slug } of all) await submitAll([ADA, 'other'], slug);
		await server.submit(all[2]?.slug ?? '', { text: 'page' }, { Referer: 'https://example.com/of/ada%40example.org' });
		const gone = await create();
		await submitAll([ADA], gone.slug);
		await server.call(`DELETE /api/forms/${gone.id}`);
		await eraseNow();
		for (const { id } of all) {
			const rows = await server.app.storage.db
				.select()
				.from(submissions)
				.where(eq(submissions.formId, decodeId(id) as number));
			expect(rows.map(({ data }) => data)).toEqual(['{"text":"other"}']);
		}
		expect(await dump()).not.toMatch(/[^n]ada(@|%40)example\.org[^.x]/);
	});

	test('that cannot be found by the word any more are not found by a search', async () => {
		await submitAll(['nada@example.org', `${ADA} zebra`]);
		await server.app.storage.search.catchUp();
		const search = async (word: string) =>
			(await server.call<{ pagination: { total: number } }>(`GET /api/forms/${form.id}/submissions?search=${word}`))
				.body.pagination.total;
		expect(await search('zebra')).toBe(1);
		await eraseNow();
		expect([await search('zebra'), await search(ADA), await search('nada')]).toEqual([0, 1, 1]);
	});
});

describe('beside submissions', () => {
	const rowOf = (values: object) => ({
		formId: decodeId(form.id) as number,
		channel: 'mail' as const,
		event: 'submissions.digest',
		state: 'sent' as const,
		destination: 'owner@example.com',
		finishedAt: Date.now(),
		...values,
		id: server.app.storage.nextId(),
	});

	test('kept mails and digests that name it lose their content, mails to it go, others stay', async () => {
		const rows = [
			rowOf({ content: JSON.stringify({ to: 'owner@example.com', text: `Name: Ada\nEmail: ${ADA}\n` }) }),
			rowOf({ content: JSON.stringify({ to: 'owner@example.com', text: 'Email: nada@example.org' }) }),
			rowOf({ lastError: `550 <${ADA}>: unknown`, state: 'failed' }),
			rowOf({ destination: `owner@example.com, ${ADA}` }),
			rowOf({ destination: ADA, state: 'waiting', finishedAt: null, nextAttemptAt: Date.now() + 1e9 }),
			rowOf({
				...{ channel: 'webhook', event: 'submission.deleted', state: 'waiting', finishedAt: null },
				...{ destination: `https://hooks.example.com/?to=${ADA}`, nextAttemptAt: Date.now() + 1e9 },
				content: JSON.stringify({ submission: { id: 'cmnrg2x8a1c' } }),
			}),
		];
		await server.app.storage.batch((tx) => [tx.insert(deliveries).values(rows)]);
		expect(await preview()).toMatchObject({ submissions: 0, deliveries: 5 });
		expect(await eraseNow()).toMatchObject({ deliveries: 5 });
		const left = await server.app.storage.db
			.select()
			.from(deliveries)
			.where(eq(deliveries.formId, decodeId(form.id) as number))
			.orderBy(deliveries.id);
		expect(
			left.map(({ id, content, lastError, state }) => [
				rows.findIndex((row) => row.id === id),
				content,
				lastError,
				state,
			]),
		).toEqual([
			[0, null, null, 'sent'],
			[1, expect.stringContaining('nada@'), null, 'sent'],
			[2, null, null, 'failed'],
			[4, null, null, 'waiting'],
			[5, expect.stringContaining('cmnrg2x8a1c'), null, 'waiting'],
		]);
		await server.app.storage.batch((tx) => [
			tx.delete(deliveries).where(eq(deliveries.formId, decodeId(form.id) as number)),
		]);
	});

	test.each(['submissions.digest', 'form.notification-email-changed'])(
		'%s that is being sent is waited for: its content is stored when that ends',
		async (event) => {
			const row = rowOf({ event, state: 'sending', finishedAt: null, nextAttemptAt: Date.now() + 60_000 });
			await server.app.storage.batch((tx) => [tx.insert(deliveries).values(row)]);
			const erasing = eraseNow();
			await Bun.sleep(700);
			const content = JSON.stringify({ text: ADA });
			await server.app.storage.batch((tx) => [
				tx.update(deliveries).set({ state: 'sent', nextAttemptAt: null, content }).where(eq(deliveries.id, row.id)),
			]);
			const id = (await erasing).erasure?.id ?? '';
			expect(await server.app.erasures.settled(id, 30_000)).toMatchObject({ deliveries: 1, state: 'done' });
			expect(await dump()).not.toContain('"text":"ada@example.org"');
		},
	);

	test('entries of lists go, of a form and of all, and keys of repeated requests', async () => {
		const lists = {
			block: [`email:${ADA}`, 'email:nada@example.org'],
			allow: [`text:write to ${ADA}`, 'domain:example.org'],
		};
		await server.call(`PATCH /api/forms/${form.id}/lists`, { json: lists });
		await server.call('PATCH /api/lists', { json: lists });
		await server.submit(form.slug, { text: 'x' }, { 'Idempotency-Key': `for:${ADA}` });
		await server.submit(form.slug, { text: 'x' }, { 'Idempotency-Key': `for nada@example.org` });
		expect(await preview()).toMatchObject({ listEntries: 4 });
		expect(await eraseNow()).toMatchObject({ listEntries: 4 });
		expect(await dump()).not.toContain(`email:${ADA}`);
		const left = { block: ['email:nada@example.org'], allow: ['domain:example.org'] };
		expect((await server.call('GET /api/lists')).body).toEqual(left);
		expect((await server.call(`GET /api/forms/${form.id}/lists`)).body).toEqual(left);
		await server.call('PATCH /api/lists', { json: { block: null, allow: null } });
		const keys = await server.app.storage.db.select({ key: idempotencyKeys.key }).from(idempotencyKeys);
		expect(keys.map(({ key }) => key)).toEqual(['for nada@example.org']);
	});

	test('settings stay, and are named', async () => {
		const owned = await create({ notificationEmail: ADA, closedText: `Write to ${ADA}.` });
		await server.call(`POST /api/forms/${owned.id}/webhooks`, {
			json: { url: `https://hooks.example.com/?to=${ADA}` },
		});
		await server.createKey({ name: ADA });
		const { settings } = await eraseNow();
		expect(settings).toHaveLength(4);
		expect(settings).toEqual(
			expect.arrayContaining([
				{ form: owned.id, setting: 'notificationEmail' },
				{ form: owned.id, setting: 'closedText' },
				{ form: owned.id, setting: 'webhooks' },
				{ form: null, setting: 'keys' },
			]),
		);
	});
});

describe('the record', () => {
	test('names who asked, and not the address; a list has the newest first', async () => {
		await submitAll([ADA]);
		const { erasure } = await eraseNow();
		const { body } = await server.call<{ erasures: Erasure[] }>('GET /api/erasures');
		expect(body.erasures[0]).toEqual(erasure as Erasure);
		expect((await server.call(`GET /api/erasures/${erasure?.id}`)).body).toEqual(erasure);
		expect(erasure?.by).toMatch(/^key:[0-9a-z]+$/);
		expect(erasure?.hash).toMatch(/^[0-9a-f]{64}$/);
		expect((await eraseNow()).erasure?.hash).toBe(erasure?.hash ?? '');
		expect((await eraseNow('nada@example.org')).erasure?.hash).not.toBe(erasure?.hash ?? '');
	});

	test.each([
		{},
		{ email: '' },
		{ email: 'ada' },
		{ email: 'a@b.c, d@e.f' },
		{ email: 1 },
		{ email: ADA, dryRun: 'no' },
		{ email: ADA, all: true },
	])('is not made of %p', async (json) => {
		const { status, body } = await server.call<{ code: string }>('POST /api/erasures', { json });
		expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
	});

	test('unknown: 404', async () => {
		expect((await server.call('GET /api/erasures/nothing')).status).toBe(404);
	});
});

test('an erasure that was stopped at any pause goes on, and what came after the request stays', async () => {
	const texts = Array.from({ length: 30 }, (_, i) => (i % 3 === 0 ? ADA : `${i}`));
	await submitAll(texts);
	const { erasures, storage } = server.app;
	await fc.assert(
		fc.asyncProperty(fc.nat(6), async (pauses) => {
			// Held by another process until its lease ends: the server's own runs leave it alone.
			let left = pauses;
			const { erasure } = await erasures.note(ADA, 'test');
			await erasures.run(async () => left-- > 0);
			storage.events.publish({ type: 'sweep' });
			await submitAll([ADA]);
			expect(await erasures.settled(erasure.id, 30_000)).toMatchObject({ state: 'done' });
			expect(await textsOf(form)).toEqual([ADA, ...texts.filter((text) => text !== ADA)].sort());
			await checkCounts(form);
			expect(storage.findings.has('damage')).toBe(false);
		}),
		{ numRuns: 5 },
	);
});

test('submissions that arrive while one runs: those acknowledged before it go, those after it stay', async () => {
	const acknowledged: { text: string; at: number }[] = [];
	let isSending = true;
	const senders = Array.from({ length: 4 }, async (_, sender) => {
		for (let i = 0; isSending; i++) {
			const text = i % 2 === 0 ? `${sender}-${i} <${ADA}>` : `${sender}-${i} <nada@example.org>`;
			await server.submit(form.slug, { text });
			acknowledged.push({ text, at: performance.now() });
			await Bun.sleep(2);
		}
	});
	for (let run = 0; run < 5; run++) {
		await Bun.sleep(200);
		const asked = performance.now();
		const { erasure } = await eraseNow();
		expect(await server.app.erasures.settled(erasure?.id ?? '', 30_000)).toMatchObject({ state: 'done' });
		const before = [...acknowledged];
		const rows = await server.app.storage.db
			.select({ data: submissions.data })
			.from(submissions)
			.where(eq(submissions.formId, decodeId(form.id) as number));
		const there = new Set(rows.map(({ data }) => JSON.parse(data).text));
		for (const { text, at } of before) {
			if (text.includes('nada@')) expect(there).toContain(text);
			else if (at < asked) expect(there).not.toContain(text);
		}
	}
	isSending = false;
	await Promise.all(senders);
	await eraseNow();
	const others = acknowledged.map(({ text }) => text).filter((text) => text.includes('nada@'));
	const { body } = await server.call<Form>(`GET /api/forms/${form.id}`);
	expect(body.submissionCount).toBe(others.length);
});

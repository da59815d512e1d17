/** A slug that a form had leads there still, or is kept from others, or goes to another form. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { AppError } from '../../src/errors.ts';
import { createFindBySlug } from '../../src/forms/by-slug.ts';
import { createForms } from '../../src/forms/forms.ts';
import { sweepForms } from '../../src/forms/sweep.ts';
import { openStorage } from '../../src/storage/open.ts';
import { rejectionOfAsync } from '../rejection.ts';
import { openTestServer } from '../server.ts';
import { tempFolder } from '../temp-folder.ts';

const DAY_MS = 24 * 3_600_000;

async function open() {
	const clock = { now: Date.UTC(2026, 0, 2) };
	const file = join(tempFolder(), 'formsrv.db');
	const storage = await openStorage(file, { now: () => clock.now });
	const forms = createForms(storage, { captchas: () => new Set(), now: () => clock.now });
	const findBySlug = createFindBySlug(storage);
	const nameAt = async (slug: string) => (await findBySlug(slug))?.name;
	const sweep = () => sweepForms(storage, { pause: async () => true, now: () => clock.now });
	const rename = (id: string, slug: string) => forms.update(id, { input: { slug } });
	return { clock, storage, forms, nameAt, rename, sweep };
}

test('a renamed form is found by all former slugs, in any case, and lists them', async () => {
	const { storage, forms, nameAt, rename } = await open();
	const { id } = await forms.create('live', { name: 'One', slug: 'first' });
	expect(await nameAt('first')).toBe('One');
	await rename(id, 'second');
	expect((await rename(id, 'third')).formerSlugs).toEqual(['first', 'second']);
	for (const slug of ['first', 'SECOND', 'third']) expect(await nameAt(slug)).toBe('One');
	expect(await forms.list()).toMatchObject([{ slug: 'third', formerSlugs: ['first', 'second'] }]);
	expect((await rename(id, 'first')).formerSlugs.sort()).toEqual(['second', 'third']);
	expect(await forms.update(id, { input: { name: 'Uno', slug: 'first' } })).toEqual(await forms.get(id));
	expect(await nameAt('third')).toBe('Uno');
	await storage.close();
});

test('another form can take a former slug, which then leads to it only', async () => {
	const { storage, forms, nameAt, rename } = await open();
	const { id } = await forms.create('live', { name: 'One', slug: 'first' });
	await rename(id, 'second');
	await rename(id, 'third');
	await forms.create('live', { name: 'Two', slug: 'first' });
	const three = await forms.create('live', { name: 'Three' });
	await rename(three.id, 'second');
	expect([await nameAt('first'), await nameAt('second'), await nameAt('third')]).toEqual(['Two', 'Three', 'One']);
	expect((await forms.get(id)).formerSlugs).toEqual([]);
	expect((await rejectionOfAsync(() => rename(id, 'first'))).code).toBe('SLUG_TAKEN');
	expect((await rejectionOfAsync(() => forms.create('live', { name: 'X', slug: 'third' }))).code).toBe('SLUG_TAKEN');
	await storage.close();
});

test('a form of the other mode cannot take one', async () => {
	const { storage, forms, nameAt, rename } = await open();
	const { id } = await forms.create('live', { name: 'One', slug: 'first' });
	await rename(id, 'second');
	const refusal = await rejectionOfAsync(() => forms.create('test', { name: 'Two', slug: 'first' }));
	expect(refusal).toEqual({ code: 'SLUG_TAKEN', message: 'The slug "first" is taken by another form.' });
	const two = await forms.create('test', { name: 'Two' });
	expect((await rejectionOfAsync(() => rename(two.id, 'first'))).code).toBe('SLUG_TAKEN');
	expect(await nameAt('first')).toBe('One');
	await storage.close();
});

test('all slugs of a deleted form are reserved for 30 days, also once its rows are removed', async () => {
	const { clock, storage, forms, nameAt, rename, sweep } = await open();
	const { id } = await forms.create('live', { name: 'One', slug: 'first' });
	await rename(id, 'second');
	await forms.remove(id);
	const other = await forms.create('live', { name: 'Other' });
	for (const wait of [0, 29 * DAY_MS, DAY_MS - 1]) {
		clock.now += wait;
		await sweep();
		for (const slug of ['first', 'second']) {
			expect(await nameAt(slug)).toBeUndefined();
			for (const attempt of [() => forms.create('live', { name: 'Two', slug }), () => rename(other.id, slug)]) {
				const { code, message } = await rejectionOfAsync(attempt);
				expect(code).toBe('SLUG_TAKEN');
				expect(message).toContain('It is free after 2026-02-01.');
			}
		}
	}
	clock.now += 1;
	await forms.create('live', { name: 'Two', slug: 'first' });
	await sweep();
	await rename(other.id, 'second');
	expect([await nameAt('first'), await nameAt('second')]).toEqual(['Two', 'Other']);
	await storage.close();
});

test('two changes of one slug at once lose neither', async () => {
	const { storage, forms, nameAt, rename } = await open();
	const { id } = await forms.create('live', { name: 'One', slug: 'first' });
	const two = await forms.create('live', { name: 'Two', slug: 'other' });
	await Promise.all([rename(id, 'second'), rename(id, 'third')]);
	for (const slug of ['first', 'second', 'third']) expect(await nameAt(slug)).toBe('One');
	// Asked for while it is still another's: no way round the question whether it may be taken over.
	const [, error] = await Promise.allSettled([rename(id, 'fourth'), rename(two.id, 'third')]);
	expect((error as PromiseRejectedResult).reason as AppError).toMatchObject({ code: 'SLUG_TAKEN' });
	expect(await nameAt('third')).toBe('One');
	await storage.close();
});

test('over the API, submissions to the old address arrive, and taking it over needs the permission to read', async () => {
	const server = await openTestServer();
	const form = await server.createForm<{ id: string }>({ name: 'One', slug: 'first' });
	await server.call(`PATCH /api/forms/${form.id}`, { json: { slug: 'second' } });
	expect((await server.submit('first', { a: 'b' })).status).toBe(200);
	expect((await server.submit('second', { a: 'b' })).status).toBe(200);
	const { body } = await server.call<{ formerSlugs: string[]; submissionCount: number }>(`GET /api/forms/${form.id}`);
	expect(body).toMatchObject({ formerSlugs: ['first'], submissionCount: 2 });
	const key = await server.createKey({ permissions: ['write'] });
	const mine = await server.call<{ id: string }>('POST /api/forms', { key, json: { name: 'Mine' } });
	const attempts = [
		await server.call<{ error: string }>('POST /api/forms', { key, json: { name: 'Mine', slug: 'first' } }),
		await server.call<{ error: string }>(`PATCH /api/forms/${mine.body.id}`, { key, json: { slug: 'First' } }),
	];
	for (const { status, body: refusal } of attempts) {
		expect(status).toBe(403);
		expect(refusal.error).toContain('"read"');
	}
	expect((await server.submit('first', { a: 'b' })).status).toBe(200);
	expect((await server.call('POST /api/forms', { json: { name: 'New', slug: 'first' } })).status).toBe(201);
	await server.close();
});

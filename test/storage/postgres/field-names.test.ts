/** Field names in PostgreSQL: what clients invent without end takes no place for ever. */

import { expect, test } from 'bun:test';
import postgres from 'postgres';
import type { Storage } from '../../../src/storage/contract.ts';
import { PLACE } from '../../../src/storage/filters.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { forms } from '../../../src/storage/tables.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { until } from '../../until.ts';

const FORM = 7;
const SHAPES = 2000;

const append = (storage: Storage, ...names: string[]) =>
	storage.submissions.append({
		formId: FORM,
		data: JSON.stringify(Object.fromEntries(names.map((name) => [name, 'x']))),
		names,
		spamReason: null,
		subject: null,
		replyTo: null,
	});

async function open() {
	const address = await newPostgresDatabase();
	const storage = await openStorage(address);
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 's', name: 'n' })]);
	return { address, storage };
}

test('names that found no room are listed once others are gone, and what comes meanwhile is stored', async () => {
	const { storage } = await open();
	const junk = await Promise.all(Array.from({ length: SHAPES }, (_, i) => append(storage, 'junk', `j${i}`)));
	await append(storage, 'late', 'field');
	expect((await storage.submissions.names(FORM, PLACE.inbox)).isPartial).toBe(true);
	await storage.submissions.remove(FORM, junk);
	expect(await storage.submissions.names(FORM, PLACE.inbox)).toEqual({ names: [], isPartial: true });
	storage.maintain();
	await until(async () => !(await storage.submissions.names(FORM, PLACE.inbox)).isPartial);
	await append(storage, 'later');
	expect(await storage.submissions.names(FORM, PLACE.inbox)).toEqual({
		names: ['late', 'field', 'later'],
		isPartial: false,
	});
	await storage.close();
}, 60_000);

test('names that were removed while a server still used them are found again', async () => {
	const { address, storage } = await open();
	await append(storage, 'a', 'b');
	const sql = postgres(address, { max: 1, fetch_types: false });
	await sql`delete from form_shapes`;
	await append(storage, 'a', 'b');
	for (let i = 0; i < 2; i++)
		expect(await storage.submissions.names(FORM, PLACE.inbox)).toEqual({ names: ['a', 'b'], isPartial: false });
	expect(await sql`select names from form_shapes`).toHaveLength(1);
	await Promise.all([storage.close(), sql.end()]);
}, 30_000);

test('more names than are listed are said to be so; those first seen are', async () => {
	const { storage } = await open();
	const many = Array.from({ length: 1999 }, (_, i) => `n${i}`);
	const first = await append(storage, ...many);
	await append(storage, 'c', 'd');
	expect(await storage.submissions.names(FORM, PLACE.inbox)).toEqual({ names: [...many, 'c'], isPartial: true });
	await storage.submissions.remove(FORM, [first]);
	expect(await storage.submissions.names(FORM, PLACE.inbox)).toEqual({ names: ['c', 'd'], isPartial: false });
	await storage.close();
}, 30_000);

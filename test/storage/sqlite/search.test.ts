import type { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { searchText } from '../../../src/storage/search-text.ts';
import { fold, searchWords } from '../../../src/storage/search-words.ts';
import { openReadConnection } from '../../../src/storage/sqlite/connection.ts';
import { openSqlite as openStorage, type SqliteStorage as Storage } from '../../../src/storage/sqlite/open.ts';
import { segmentTable } from '../../../src/storage/sqlite/search-segments.ts';
import { createSubmissionReader } from '../../../src/storage/sqlite/submission-reader.ts';
import type { Condition } from '../../../src/storage/submission.ts';
import { forms } from '../../../src/storage/tables.ts';
import { tempFolder } from '../../temp-folder.ts';

const FORM = 7;
const OTHER_FORM = 8;

interface Stored {
	id: number;
	formId: number;
	values: string[];
}

/** So small that what the tests store is spread over several. */
const SEARCH_VOLUME = { submissions: 3, characters: 1000 };

async function open(file = join(tempFolder(), 'formsrv.db')) {
	const storage = openStorage(file, { searchSegment: SEARCH_VOLUME });
	await storage.batch((tx) => [
		tx.insert(forms).values({ id: FORM, mode: 'live', slug: 'a', name: 'A' }).onConflictDoNothing(),
		tx.insert(forms).values({ id: OTHER_FORM, mode: 'live', slug: 'b', name: 'B' }).onConflictDoNothing(),
	]);
	const client = openReadConnection(file);
	const reader = createSubmissionReader(client, () => {});
	return {
		file,
		storage,
		reader,
		async close() {
			client.close();
			await storage.close();
		},
	};
}

async function append(storage: Storage, values: unknown, formId = FORM): Promise<number> {
	const data = JSON.stringify(values);
	const names = Object.keys(values as object);
	return storage.submissions.append({ formId, data, names, spamReason: null, subject: null, replyTo: null });
}

async function catchUp(storage: Storage): Promise<void> {
	while ((await storage.search.advance()) || (await storage.search.clear()));
}

/** One after the other, so that each has the chance to begin a segment. */
async function appendIndexed(storage: Storage, count: number): Promise<number[]> {
	const ids: number[] = [];
	for (let i = 0; i < count; i++) {
		ids.push(await append(storage, { note: `common ${i}` }));
		await catchUp(storage);
	}
	return ids;
}

function volumeNumbers(client: Database): number[] {
	const rows = client.query('select number from search_volumes order by number').values();
	return rows.map(([number]) => number as number);
}

/** The rowids that one segment by itself knows for a word, also of what is gone. */
function inVolume(client: Database, segment: number, word: string): number[] {
	const table = segmentTable('parts', segment);
	const rows = client.query(`select rowid from ${table} where ${table} match ?`).values(word);
	return rows.map(([rowid]) => rowid as number);
}

function find(reader: ReturnType<typeof createSubmissionReader>, query: string, condition: Partial<Condition> = {}) {
	const selection = { formId: FORM, filter: 'all' as const, ...condition, words: searchWords(query) };
	const { ids, total } = reader.count(selection, { order: 'asc', limit: 10_000, offset: 0 });
	expect(total).toBe(ids.length);
	return ids;
}

/** The same spelling for the model, worked out in its own way for the characters that the test uses. */
const simple = (text: string) =>
	text.toLowerCase().replaceAll('é', 'e').replaceAll('ü', 'u').replaceAll('ａ', 'a').replaceAll('ς', 'σ');

const isUnspaced = (text: string) => /[你好世界かな한글ไท👍]/u.test(text);

function expectedIds(rows: Stored[], query: string): number[] {
	const words = simple(query).split(/\s+/).filter(Boolean);
	const matches = (values: string[], word: string) => {
		const texts = values.map(simple);
		if ([...word].length > 2 || isUnspaced(word)) return texts.some((text) => text.includes(word));
		return texts.some((text) => text.split(/\s/).includes(word) || text.split(/[^\p{L}\p{N}]+/u).includes(word));
	};
	const found = rows.filter(({ formId, values }) => formId === FORM && words.every((word) => matches(values, word)));
	return found.map(({ id }) => id);
}

const character = fc.constantFrom(...'abcABCéÜａσς12 "*-:^()\\\'%_@.#你好世界かな한글ไท👍');
const text = fc.string({ unit: character, maxLength: 12 });
const query = text.filter((candidate) => candidate.trim() !== '');

test('finds exactly the submissions whose values hold every word, whatever happened before', async () => {
	const history = fc.array(
		fc.oneof(
			{
				weight: 5,
				arbitrary: fc.record({ add: fc.array(text, { minLength: 1, maxLength: 3 }), elsewhere: fc.boolean() }),
			},
			{ weight: 2, arbitrary: fc.record({ remove: fc.nat(20) }) },
			{ weight: 2, arbitrary: fc.constant('index' as const) },
			{ weight: 1, arbitrary: fc.constant('restart' as const) },
		),
		{ minLength: 1, maxLength: 40 },
	);
	await fc.assert(
		fc.asyncProperty(history, fc.array(query, { minLength: 5, maxLength: 15 }), async (steps, queries) => {
			let opened = await open();
			let rows: Stored[] = [];
			for (const step of steps) {
				const { storage } = opened;
				if (step === 'index') {
					await storage.search.advance();
					await storage.search.clear();
				} else if (step === 'restart') {
					await opened.close();
					opened = await open(opened.file);
				} else if ('add' in step) {
					const formId = step.elsewhere ? OTHER_FORM : FORM;
					const fields = Object.fromEntries(step.add.map((value, at) => [`f${at}`, value]));
					rows.push({ id: await append(storage, fields, formId), formId, values: step.add });
				} else {
					const row = rows[step.remove];
					if (row) await storage.submissions.remove(row.formId, [row.id]);
					rows = rows.filter((other) => other !== row);
				}
			}
			await catchUp(opened.storage);
			for (const asked of queries) {
				expect({ asked, ids: find(opened.reader, asked) }).toEqual({ asked, ids: expectedIds(rows, asked) });
			}
			await opened.close();
		}),
		{ numRuns: 40 },
	);
}, 60_000);

test('words are found inside of words, in any case, width and with or without accents', async () => {
	const { storage, reader, close } = await open();
	const id = await append(storage, {
		name: 'Renée Müller',
		note: 'Bestellung 你好世界 ﬁnal ＦＵＬＬ',
		nested: [{ deep: ['Kraków', 4711] }],
	});
	await catchUp(storage);
	for (const asked of [
		'renee',
		'RENÉE',
		'üll',
		'stellung müller',
		'好世',
		'世',
		'好',
		'final',
		'full',
		'krakow',
		'4711',
	]) {
		expect({ asked, ids: find(reader, asked) }).toEqual({ asked, ids: [id] });
	}
	for (const asked of ['name', 'note', 'deep', 'Berlin', 'müller berlin', 'mü']) {
		expect({ asked, ids: find(reader, asked) }).toEqual({ asked, ids: [] });
	}
	await close();
});

test('search goes together with filters and bounds, and pages from either end', async () => {
	const { storage, reader, close } = await open();
	const ids: number[] = [];
	for (let i = 0; i < 10; i++) ids.push(await append(storage, { note: `common ${i}` }));
	await storage.submissions.change(FORM, ids.slice(0, 2), { isSpam: true });
	await storage.submissions.change(FORM, ids.slice(2, 5), { isStarred: true, isRead: true });
	await catchUp(storage);
	expect(find(reader, 'common')).toEqual(ids.slice(2));
	expect(find(reader, 'common', { filter: 'spam' })).toEqual(ids.slice(0, 2));
	expect(find(reader, 'common', { filter: 'starred' })).toEqual(ids.slice(2, 5));
	expect(find(reader, 'common', { filter: 'unread' })).toEqual(ids.slice(5));
	expect(find(reader, 'common', { fromId: ids[4], beforeId: ids[7] })).toEqual(ids.slice(4, 7));
	const selection = { formId: FORM, filter: 'all' as const, words: searchWords('common') };
	expect(reader.count(selection, { order: 'desc', limit: 3, offset: 2 })).toEqual({
		ids: [ids[7], ids[6], ids[5]] as number[],
		total: 8,
	});
	expect(reader.count(selection, { order: 'desc', limit: 3, offset: 99 })).toEqual({ ids: [], total: 8 });
	expect(reader.ids(selection, { order: 'asc', limit: 2 })).toEqual(ids.slice(2, 4));
	await close();
});

test('a form that was deleted leaves nothing behind in the index', async () => {
	const { file, storage, reader, close } = await open();
	for (let i = 0; i < 100; i++) await append(storage, { note: `gone ${i}` }, OTHER_FORM);
	const kept = await append(storage, { note: 'gone, but elsewhere' });
	await catchUp(storage);
	while (await storage.submissions.sweep(OTHER_FORM, 30));
	await catchUp(storage);
	const client = openReadConnection(file);
	expect(volumeNumbers(client).flatMap((number) => inVolume(client, number, 'gone'))).toEqual([kept]);
	expect(client.query('select count(*) from search_removals').values()).toEqual([[0]]);
	client.close();
	expect(find(reader, 'gone')).toEqual([kept]);
	await close();
});

test('a full segment is closed and the next one begun, across which a search pages in order', async () => {
	const { file, storage, reader, close } = await open();
	const ids = await appendIndexed(storage, 8);
	const large = await append(storage, { note: 'common '.repeat(200) });
	await catchUp(storage);
	ids.push(large, await append(storage, { note: 'common, after the large one' }));
	await catchUp(storage);
	const client = openReadConnection(file);
	expect(volumeNumbers(client).map((number) => inVolume(client, number, 'common'))).toEqual([
		ids.slice(0, 3),
		ids.slice(3, 6),
		ids.slice(6, 9),
		ids.slice(9),
	]);
	client.close();
	const selection = { formId: FORM, filter: 'all' as const, words: searchWords('common') };
	for (const [order, sorted] of [
		['asc', ids],
		['desc', ids.toReversed()],
	] as const) {
		for (let offset = 0; offset <= ids.length; offset++) {
			const page = { ids: sorted.slice(offset, offset + 4), total: ids.length };
			expect(reader.count(selection, { order, limit: 4, offset })).toEqual(page);
		}
		expect(reader.ids(selection, { order, limit: 7 })).toEqual(sorted.slice(0, 7));
		expect([...reader.rows(selection, order)].map(({ id }) => id)).toEqual(sorted);
	}
	await close();
});

test('a segment of which nothing is left goes as a whole, but the newest one, which bears the mark', async () => {
	const { file, storage, reader, close } = await open();
	const ids = await appendIndexed(storage, 8);
	await storage.submissions.remove(FORM, [...ids.slice(0, 3), ids[4] as number, ...ids.slice(6)]);
	await catchUp(storage);
	const client = openReadConnection(file);
	expect(volumeNumbers(client)).toEqual([2, 3]);
	expect(inVolume(client, 2, 'common')).toEqual([ids[3], ids[5]] as number[]);
	expect(inVolume(client, 3, 'common')).toEqual([]);
	const tables = client.query("select name from sqlite_schema where name in ('search_parts_1', 'search_words_1')");
	expect(tables.values()).toEqual([]);
	expect(client.query('select count(*) from search_removals').values()).toEqual([[0]]);
	client.close();
	ids.push(await append(storage, { note: 'common, later' }));
	await catchUp(storage);
	expect(find(reader, 'common')).toEqual([ids[3], ids[5], ids[8]] as number[]);
	await close();
});

test('nothing is taken out while a form is being removed', async () => {
	const { storage, close } = await open();
	for (let i = 0; i < 4; i++) await append(storage, { note: `gone ${i}` }, OTHER_FORM);
	await catchUp(storage);
	await storage.batch((tx) => [tx.update(forms).set({ deletedAt: 1 }).where(eq(forms.id, OTHER_FORM))]);
	await storage.submissions.sweep(OTHER_FORM, 2);
	expect(await storage.search.clear()).toBe(false);
	while (await storage.submissions.sweep(OTHER_FORM, 2));
	await storage.batch((tx) => [tx.delete(forms).where(eq(forms.id, OTHER_FORM))]);
	expect(await storage.search.clear()).toBe(true);
	await close();
});

test('what is removed before it was indexed is forgotten', async () => {
	const { file, storage, close } = await open();
	const ids: number[] = [];
	for (let i = 0; i < 3; i++) ids.push(await append(storage, { note: 'short-lived' }));
	await storage.submissions.remove(FORM, ids);
	expect([await storage.search.advance(), await storage.search.clear(), await storage.search.clear()]).toEqual([
		false,
		true,
		false,
	]);
	const client = openReadConnection(file);
	expect(client.query('select count(*) from search_removals').values()).toEqual([[0]]);
	expect(volumeNumbers(client)).toEqual([]);
	client.close();
	await close();
});

test('the index is put together until there is nothing left to do', async () => {
	const { storage, close } = await open();
	expect(await storage.search.advance()).toBe(false);
	await append(storage, { note: 'a word' });
	expect(await storage.search.advance()).toBe(true);
	await catchUp(storage);
	expect(await storage.search.advance()).toBe(false);
	await close();
});

test('a segment that grows has few pieces, also while the one before it is still put together', async () => {
	const file = join(tempFolder(), 'formsrv.db');
	const storage = openStorage(file, { searchSegment: { submissions: 2500, characters: 16_000_000 } });
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 'a', name: 'A' })]);
	const client = openReadConnection(file);
	const count = (query: string) => client.query(query).values()[0]?.[0] as number;
	let most = 0;
	for (let i = 0; i < 4800; i += 50) {
		const notes = Array.from({ length: 50 }, () => randomBytes(250).toString('hex'));
		await Promise.all(notes.map((note) => append(storage, { note })));
		// As many steps as there are when submissions come without a pause: one that adds, and the merges that are due.
		for (let step = 0; step < 5; step++) await storage.search.advance();
		const newest = Math.max(...volumeNumbers(client));
		most = Math.max(most, count(`select count(distinct segid) from search_parts_${newest}_idx`));
	}
	expect(most).toBeLessThan(40);
	expect(
		client.query('select number from search_volumes where is_packed = 0 order by number limit 1').values(),
	).toEqual([[1]]);
	client.close();
	await storage.close();
});

test('numbers are found as they were written, and names of fields are not', async () => {
	const { storage, reader, close } = await open();
	const data = '{"serial":12345678901234567890,"prices":[1.10,1E3],"nested":{"inner": "gold"}}';
	const names = ['serial', 'prices', 'nested'];
	await storage.submissions.append({ formId: FORM, data, names, spamReason: null, subject: null, replyTo: null });
	await catchUp(storage);
	const isFound = (words: string) =>
		reader.count({ formId: FORM, filter: 'all', words: searchWords(words) }, { order: 'asc', limit: 9, offset: 0 })
			.total === 1;
	for (const words of ['12345678901234567890', '1.10', '1E3', 'gold'])
		expect([words, isFound(words)]).toEqual([words, true]);
	for (const words of ['12345678901234567000', '1000', 'serial', 'inner'])
		expect([words, isFound(words)]).toEqual([words, false]);
	await close();
});

test('a text that was cut off is searched as far as it goes, wherever it was cut', () => {
	fc.assert(
		fc.property(fc.string({ unit: 'binary' }), fc.nat(), (value, at) => {
			const json = JSON.stringify({ value });
			const whole = searchText(json).text;
			expect(whole).toBe(fold(value));
			expect(() => searchText(json.slice(0, at % json.length))).not.toThrow();
		}),
	);
});

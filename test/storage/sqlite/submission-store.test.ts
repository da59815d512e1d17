import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { FILTERS, type Filter, PLACE } from '../../../src/storage/filters.ts';
import { openSqlite as openStorage, type SqliteStorage as Storage } from '../../../src/storage/sqlite/open.ts';
import { fieldNames } from '../../../src/storage/sqlite/tables.ts';
import { deliveries, forms } from '../../../src/storage/tables.ts';
import { tempFolder } from '../../temp-folder.ts';

const FORM = 7;

interface Model {
	id: number;
	names: string[];
	isRead: boolean;
	isStarred: boolean;
	isSpam: boolean;
}

async function openWithForm(file = join(tempFolder(), 'formsrv.db')): Promise<Storage> {
	const storage = openStorage(file);
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 'contact', name: 'Contact' })]);
	return storage;
}

function append(storage: Storage, names: string[], spamReason: string | null = null): Promise<number> {
	const data = `{${names.map((name) => `${JSON.stringify(name)}:"v"`).join(',')}}`;
	return storage.submissions.append({ formId: FORM, data, names, spamReason, subject: null, replyTo: null });
}

const SUBMISSION = {
	formId: FORM,
	data: '{"x":"v"}',
	names: ['x'],
	spamReason: null,
	subject: null,
	replyTo: null,
};

/** A file of spam, whose bytes are not kept. */
const unkeptFile = (id: number) => ({
	id,
	field: 'cv',
	name: 'cv.pdf',
	type: 'application/pdf',
	claimedType: '',
	bytes: 10,
	sha256: '0'.repeat(64),
	key: null,
	scan: null,
});

const matches: Record<Filter, (row: Model) => boolean> = {
	all: (row) => !row.isSpam,
	unread: (row) => !row.isSpam && !row.isRead,
	starred: (row) => !row.isSpam && row.isStarred,
	spam: (row) => row.isSpam,
	pending: () => false,
};

/** Checks a list against the expected one, worked out the slow way. */
function expectPage(
	storage: Storage,
	rows: Model[],
	query: { filter: Filter; order: 'asc' | 'desc'; limit: number; offset: number; fromId?: number; beforeId?: number },
) {
	const { filter, order, limit, offset, fromId = 0, beforeId = Number.MAX_SAFE_INTEGER } = query;
	const found = rows.filter((row) => matches[filter](row) && row.id >= fromId && row.id < beforeId);
	if (order === 'desc') found.reverse();
	const page = storage.submissions.page({ formId: FORM, ...query });
	expect(page.total).toBe(found.length);
	expect(page.rows.map((row) => row.id)).toEqual(found.slice(offset, offset + limit).map((row) => row.id));
}

async function expectCounts(storage: Storage, rows: Model[]) {
	const [form] = await storage.db.select().from(forms);
	const count = (filter: Filter) => rows.filter(matches[filter]).length;
	expect(form).toMatchObject({
		totalCount: count('all'),
		unreadCount: count('unread'),
		starredCount: count('starred'),
		spamCount: count('spam'),
	});
}

/** In memory and in the file, where each has its count. */
async function expectNames(storage: Storage, rows: Model[]) {
	const stored = await storage.db.select().from(fieldNames);
	for (const isSpam of [false, true]) {
		const named = rows.filter((row) => row.isSpam === isSpam).flatMap((row) => row.names);
		const names = new Set(named);
		expect(
			new Set(JSON.parse(storage.submissions.namesJson(FORM, isSpam ? PLACE.spam : PLACE.inbox)) as string[]),
		).toEqual(names);
		const counts = [...names].map((name) => [JSON.stringify(name), named.filter((one) => one === name).length]);
		const inFile = stored.filter((row) => row.isSpam === isSpam).map(({ name, count }) => [name, count]);
		expect(inFile.toSorted()).toEqual(counts.toSorted());
	}
}

const command = fc.oneof(
	{
		weight: 3,
		arbitrary: fc.record({
			do: fc.constant('append' as const),
			count: fc.integer({ min: 1, max: 700 }),
			spam: fc.boolean(),
			names: fc.uniqueArray(fc.constantFrom('a', 'b', '__proto__', 'a.b', 'ä', '"', '\ud800', ''), {
				minLength: 1,
				maxLength: 3,
			}),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			do: fc.constant('change' as const),
			at: fc.double({ min: 0, max: 0.999, noNaN: true }),
			count: fc.integer({ min: 1, max: 400 }),
			flags: fc.record({ isRead: fc.boolean(), isStarred: fc.boolean(), isSpam: fc.boolean() }, { requiredKeys: [] }),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('remove' as const),
			at: fc.double({ min: 0, max: 0.999, noNaN: true }),
			count: fc.integer({ min: 1, max: 400 }),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
);
const queries = fc.array(
	fc.record({
		filter: fc.constantFrom(...FILTERS),
		order: fc.constantFrom('asc' as const, 'desc' as const),
		limit: fc.integer({ min: 1, max: 100 }),
		offset: fc.nat(3000),
		from: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
		before: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
	}),
	{ minLength: 5, maxLength: 10 },
);

test('pages, totals, counters and field names stay exact through any history of inserts, flags, deletes and restarts', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 8 }), queries, async (commands, asked) => {
			const file = join(tempFolder(), 'formsrv.db');
			let storage = await openWithForm(file);
			let rows: Model[] = [];
			const slice = (at: number, count: number) =>
				rows
					.slice(Math.floor(at * rows.length))
					.slice(0, count)
					.map(({ id }) => id);
			for (const step of commands) {
				if (step.do === 'append') {
					const appendSome = (length: number) =>
						Array.from({ length }, () => append(storage, step.names, step.spam ? 'honeypot' : null));
					const first = await append(storage, step.names, step.spam ? 'honeypot' : null);
					const added = [first, ...(await Promise.all(appendSome(step.count - 1)))];
					rows.push(
						...added.map((id) => ({ id, names: step.names, isRead: false, isStarred: false, isSpam: step.spam })),
					);
				} else if (step.do === 'change') {
					const ids = new Set(slice(step.at, step.count));
					await storage.submissions.change(FORM, [...ids], step.flags);
					rows = rows.map((row) => (ids.has(row.id) ? { ...row, ...step.flags } : row));
				} else if (step.do === 'remove') {
					const ids = new Set(slice(step.at, step.count));
					await storage.submissions.remove(FORM, [...ids]);
					rows = rows.filter((row) => !ids.has(row.id));
				} else {
					storage.close();
					storage = openStorage(file);
				}
			}
			const idAt = (share: number | undefined) =>
				share === undefined ? undefined : rows[Math.floor(share * rows.length)]?.id;
			for (const { from, before, ...query } of asked) {
				expectPage(storage, rows, { ...query, fromId: idAt(from), beforeId: idAt(before) });
			}
			await expectCounts(storage, rows);
			await expectNames(storage, rows);
			storage.close();
		}),
		{ numRuns: 40 },
	);
}, 60_000);

test('field names are listed in the order first seen, and flags do not move them', async () => {
	const storage = await openWithForm();
	const [first] = await Promise.all([append(storage, ['b', 'a']), append(storage, ['c', 'a'])]);
	await storage.submissions.change(FORM, [first], { isRead: true, isStarred: true });
	expect(storage.submissions.namesJson(FORM, PLACE.inbox)).toBe('["b","a","c"]');
	await storage.submissions.change(FORM, [first], { isSpam: true });
	expect(storage.submissions.namesJson(FORM, PLACE.inbox)).toBe('["a","c"]');
	expect(storage.submissions.namesJson(FORM, PLACE.spam)).toBe('["b","a"]');
	storage.close();
});

test('a submission that cannot be stored fails alone; those of the same commit stand', async () => {
	const storage = await openWithForm();
	const before = append(storage, ['a']);
	const broken = storage.submissions.append({
		...SUBMISSION,
		data: null as unknown as string,
	});
	const after = append(storage, ['b']);
	await expect(broken).rejects.toThrow();
	const ids = await Promise.all([before, after]);
	expect(
		storage.submissions
			.page({ formId: FORM, filter: 'all', order: 'asc', limit: 9, offset: 0 })
			.rows.map(({ id }) => id),
	).toEqual(ids);
	storage.close();
});

test('a submission whose deliveries cannot be stored leaves nothing behind, and those of the same commit are counted once', async () => {
	const storage = await openWithForm();
	const before = append(storage, ['a']);
	const broken = storage.submissions.append({
		...SUBMISSION,
		deliveries: [{ formId: FORM, channel: 'mail', state: 'waiting', destination: null as unknown as string }],
	});
	const after = append(storage, ['a', 'b'], 'honeypot');
	await expect(broken).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_NOTNULL' });
	const [id, spamId] = await Promise.all([before, after]);
	const rows = [
		{ id, names: ['a'], isRead: false, isStarred: false, isSpam: false },
		{ id: spamId, names: ['a', 'b'], isRead: false, isStarred: false, isSpam: true },
	];
	expectPage(storage, rows, { filter: 'all', order: 'asc', limit: 9, offset: 0 });
	expectPage(storage, rows, { filter: 'spam', order: 'asc', limit: 9, offset: 0 });
	await expectCounts(storage, rows);
	await expectNames(storage, rows);
	storage.close();
});

test('a submission that cannot be changed or removed is counted as it is, through others of the same commit and a restart', async () => {
	const file = join(tempFolder(), 'formsrv.db');
	const storage = await openWithForm(file);
	const stuck = await append(storage, ['a']);
	const other = await append(storage, ['b']);
	using writer = new Database(file);
	writer.run(`create trigger no_delete before delete on submissions when old.id = ${stuck}
		begin select raise(abort, 'stuck'); end`);
	writer.run(`create trigger no_update before update on submissions when old.id = ${stuck}
		begin select raise(abort, 'stuck'); end`);
	const outcomes = await Promise.allSettled([
		storage.submissions.change(FORM, [stuck], { isSpam: true }),
		storage.submissions.remove(FORM, [stuck]),
		storage.submissions.change(FORM, [other], { isRead: true }),
	]);
	expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
	const flags = { isRead: false, isStarred: false, isSpam: false };
	const rows: Model[] = [
		{ id: stuck, names: ['a'], ...flags },
		{ id: other, names: ['b'], ...flags, isRead: true },
	];
	for (const filter of FILTERS) expectPage(storage, rows, { filter, order: 'asc', limit: 9, offset: 0 });
	await expectCounts(storage, rows);
	await expectNames(storage, rows);
	await storage.close();
	const again = openStorage(file);
	for (const filter of FILTERS) expectPage(again, rows, { filter, order: 'asc', limit: 9, offset: 0 });
	await again.close();
});

test('what another process writes is seen at once', async () => {
	const file = join(tempFolder(), 'formsrv.db');
	const server = await openWithForm(file);
	await append(server, ['a']);
	expect(await server.submissions.hasFiles(FORM)).toBe(false);
	const version = server.settingsVersion();
	const command = openStorage(file);
	const { rows } = command.submissions.page({ formId: FORM, filter: 'all', order: 'asc', limit: 1, offset: 0 });
	await command.submissions.change(
		FORM,
		rows.map(({ id }) => id),
		{ isSpam: true },
	);
	await command.submissions.append({
		...SUBMISSION,
		spamReason: 'honeypot',
		files: [unkeptFile(1)],
	});
	await command.close();
	expect(server.settingsVersion()).not.toBe(version);
	expect(await server.submissions.hasFiles(FORM)).toBe(true);
	expect(server.submissions.page({ formId: FORM, filter: 'all', order: 'asc', limit: 1, offset: 0 }).total).toBe(0);
	await append(server, ['b']);
	expect(server.submissions.namesJson(FORM, PLACE.inbox)).toBe('["b"]');
	server.close();
});

test('nothing is stored for a form that was deleted, though its rows are still there', async () => {
	const storage = await openWithForm();
	await append(storage, ['a']);
	await storage.batch((tx) => [tx.update(forms).set({ deletedAt: 1 })]);
	await expect(append(storage, ['a'])).rejects.toMatchObject({ code: 'FORM_NOT_FOUND' });
	const [form] = await storage.db.select().from(forms);
	expect(form?.totalCount).toBe(1);
	storage.close();
});

test('a form that is deleted in the very commit takes what came before, and nothing after', async () => {
	const storage = await openWithForm();
	const before = append(storage, ['a']);
	const deletion = storage.batch((tx) => [tx.update(forms).set({ deletedAt: 1 })]);
	const after = append(storage, ['b']);
	await expect(after).rejects.toMatchObject({ code: 'FORM_NOT_FOUND' });
	await Promise.all([before, deletion]);
	const undone = storage.batch((tx) => [
		tx.update(forms).set({ deletedAt: null }),
		tx.insert(forms).values({ id: FORM, slug: 'again', name: 'Again', mode: 'live' }),
	]);
	const outcomes = await Promise.allSettled([undone, append(storage, ['c'])]);
	expect(outcomes).toMatchObject([{ status: 'rejected' }, { reason: { code: 'FORM_NOT_FOUND' } }]);
	const [form] = await storage.db.select().from(forms);
	expect(form?.totalCount).toBe(1);
	storage.close();
});

test('a submission is kept although its webhook was deleted in the meantime', async () => {
	const storage = await openWithForm();
	const planned = { formId: FORM, state: 'waiting', destination: 'https://example.com' } as const;
	const id = await storage.submissions.append({
		...SUBMISSION,
		deliveries: [
			{ ...planned, channel: 'webhook', webhookId: 404 },
			{ ...planned, channel: 'mail' },
		],
	});
	expect((await storage.submissions.get(FORM, id))?.data).toBe('{"x":"v"}');
	expect((await storage.db.select().from(deliveries)).map(({ channel }) => channel)).toEqual(['mail']);
	storage.close();
});

test('a page of large submissions is whole, with the size of their texts in place of them', async () => {
	const storage = await openWithForm();
	const data = JSON.stringify({ text: 'é'.repeat(20_000) });
	const large: number[] = [];
	for (let i = 0; i < 4; i++) {
		large.push(await storage.submissions.append({ ...SUBMISSION, data, names: ['text'] }));
	}
	const all = [...large, await append(storage, ['a'])];
	const { rows, total } = storage.submissions.page({ formId: FORM, filter: 'all', order: 'asc', limit: 50, offset: 0 });
	expect(total).toBe(5);
	expect(rows.map(({ id }) => id)).toEqual(all);
	expect(rows.map((row) => row.data)).toEqual([...large.map(() => Buffer.byteLength(data)), '{"a":"v"}']);
	expect(await storage.submissions.entries(FORM, [...all, 7])).toEqual(rows);
	expect(Buffer.from((await storage.submissions.text({ formId: FORM, id: large[0] as number })) ?? '').toString()).toBe(
		data,
	);
	storage.close();
});

/** The storage contract, as features rely on it: what is read, through any history. Each engine runs these tests as they are. */

import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { encodeId } from '../../src/ids.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { FILTERS, type Filter, type Flags, NEW, PLACE, PLACES, toCounts } from '../../src/storage/filters.ts';
import { searchTerms } from '../../src/storage/search-text.ts';
import { searchWords } from '../../src/storage/search-words.ts';
import type { ListQuery, OwnedChange } from '../../src/storage/submission.ts';
import { forms } from '../../src/storage/tables.ts';
import { changeWords } from '../../src/storage/word-lists.ts';
import type { readChunk } from '../../src/submissions/export/chunk.ts';
import type { Layout } from '../../src/submissions/export/formats.ts';
import { append, FORM, listIds, OTHER_FORM, open } from './contract.ts';
import { ENGINES } from './engines.ts';

/** Some are parts of others, or what stands between them. */
const LABELS = ['a', 'aa', ',', '"', 'a\\', "%'_"] as const;

const NARROWED = [
	...[undefined, true, false].map((isArchived) => ({ isArchived })),
	...LABELS.map((label) => ({ label })),
	{ isArchived: false, label: 'a' },
];
const VIEWS = FILTERS.flatMap((filter) => NARROWED.map((narrowed) => ({ filter, ...narrowed })));

/** For each filter, whether it shows submissions with these flags. */
const MATCHES: Record<Filter, (flags: Flags) => boolean> = {
	all: ({ isSpam, isPending }) => !isSpam && !isPending,
	unread: ({ isSpam, isPending, isRead }) => !isSpam && !isPending && !isRead,
	starred: ({ isSpam, isPending, isStarred }) => !isSpam && !isPending && isStarred,
	spam: ({ isSpam }) => isSpam,
	pending: ({ isPending }) => isPending,
};

interface Stored extends Flags {
	id: number;
	labels: readonly string[];
	names: string[];
}

/** Checks that a filter shows exactly the stored submissions that match. */
async function expectList(
	storage: Storage,
	model: readonly Stored[],
	{ filter, isArchived, label, limit, offset }: Pick<ListQuery, 'filter' | 'isArchived' | 'label' | 'limit' | 'offset'>,
): Promise<void> {
	const { submissions } = storage;
	const of = (one: Filter) => model.filter(MATCHES[one]);
	const ids = of(filter)
		.filter((row) => isArchived === undefined || row.isArchived === isArchived)
		.filter(({ labels }) => label === undefined || labels.includes(label))
		.map(({ id }) => id);
	const view = { filter, isArchived, label };
	const page = (order: 'asc' | 'desc') => submissions.list({ formId: FORM, ...view, order, limit, offset });
	for (const [order, all] of [
		['asc', ids],
		['desc', ids.toReversed()],
	] as const) {
		const { rows, total, namesJson } = await page(order);
		expect([rows.map(({ id }) => id), total]).toEqual([all.slice(offset, offset + limit), ids.length]);
		const place = filter === 'spam' || filter === 'pending' ? filter : 'all';
		const named = new Set(of(place).flatMap(({ names }) => names));
		expect(new Set(JSON.parse(namesJson) as string[])).toEqual(named);
	}
	const [low = 0, high = 1] = [model[2]?.id, model[9]?.id];
	const between = ids.filter((id) => id >= low && id < high);
	expect(await listIds(storage, { ...view, fromId: low, beforeId: high })).toEqual(between);
	expect(await submissions.ids({ formId: FORM, ...view }, { order: 'desc', limit: 3 })).toEqual(
		ids.toReversed().slice(0, 3),
	);
	if (isArchived !== undefined || label !== undefined) return;
	const range = { filter, bounds: [0, low, Math.max(low, high)] };
	const below = ids.filter((id) => id < low).length;
	expect((await submissions.countsBetween([FORM], range)).get(FORM)).toEqual([below, between.length]);
}

function changed(row: Stored, { addLabels, removeLabels, ...flags }: OwnedChange): Stored {
	const isPending = row.isPending && !flags.isSpam;
	const labels = changeWords(row.labels, { add: addLabels, remove: removeLabels });
	return { ...row, ...flags, isPending, labels } as Stored;
}

const CHANGE = {
	isRead: fc.boolean(),
	isStarred: fc.boolean(),
	isSpam: fc.boolean(),
	isArchived: fc.boolean(),
	addLabels: fc.subarray([...LABELS]),
	removeLabels: fc.subarray([...LABELS]),
};
const STEP = fc.oneof(
	fc.record({ append: fc.subarray(['a', 'b', 'c'], { minLength: 1 }), place: fc.constantFrom(...PLACES) }),
	fc.record({ at: fc.nat(30), change: fc.record(CHANGE, { requiredKeys: [] }) }),
	fc.record({ remove: fc.nat(30) }),
	fc.record({ confirm: fc.nat(30) }),
);
type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

/** Takes a step, and returns what is stored then. */
async function take(storage: Storage, model: Stored[], one: Step): Promise<Stored[]> {
	const { submissions } = storage;
	if ('append' in one) {
		const data = JSON.stringify(Object.fromEntries(one.append.map((name) => [name, 'x'])));
		const [isSpam, isPending] = [one.place === PLACE.spam, one.place === PLACE.pending];
		const beside = { spamReason: isSpam ? 'honeypot' : null, addressKey: isPending ? 'address' : null };
		const id = await append(storage, { data, ...beside });
		return [...model, { id, names: one.append, labels: [], ...NEW, isSpam, isPending }];
	}
	if ('change' in one) {
		const ids = model.slice(one.at, one.at + 2).map(({ id }) => id);
		expect(await submissions.change(FORM, [...ids, 1], one.change)).toEqual(ids);
		return model.map((row) => (ids.includes(row.id) ? changed(row, one.change) : row));
	}
	if ('confirm' in one) {
		const some = model.slice(one.confirm, one.confirm + 3);
		const asked = some.map(({ id }) => ({ id, uniqueHashes: [], deliveries: [] }));
		const results = await submissions.confirm(FORM, asked, 1);
		expect([...results]).toEqual(some.map(({ id, isPending }) => [id, isPending ? 'confirmed' : 'gone']));
		return model.map((row) => (some.includes(row) ? { ...row, isPending: false } : row));
	}
	const ids = model.slice(one.remove, one.remove + 1).map(({ id }) => id);
	expect(await submissions.remove(FORM, [...ids, 1])).toEqual(ids);
	return model.filter(({ id }) => !ids.includes(id));
}

describe.each(Object.entries(ENGINES))('%s', (_name, createPlace) => {
	test('lists, counts and names agree with what was stored, flagged and removed, through any history', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(STEP, { maxLength: 30 }), fc.nat(5), fc.nat(5), async (steps, offset, limit) => {
				const { storage } = await open(createPlace);
				const { submissions } = storage;
				let model: Stored[] = [];
				for (const one of steps) model = await take(storage, model, one);
				const of = (filter: Filter) => model.filter(MATCHES[filter]);
				const archived = (filter: Filter) => of(filter).filter(({ isArchived }) => isArchived);
				const counts = {
					total: of('all').length,
					unread: of('unread').length,
					starred: of('starred').length,
					spam: of('spam').length,
					pending: of('pending').length,
					archived: archived('all').length,
					archived_unread: archived('unread').length,
					archived_starred: archived('starred').length,
					archived_spam: archived('spam').length,
					archived_pending: archived('pending').length,
				};
				const none = toCounts();
				expect([...(await submissions.counts([FORM, OTHER_FORM]))]).toEqual([
					[FORM, counts],
					[OTHER_FORM, none],
				]);
				for (const view of VIEWS) await expectList(storage, model, { ...view, limit, offset });
				await storage.close();
			}),
			{ numRuns: 12 },
		);
	}, 60_000);

	test('a search finds all of its words, in parts of words too, once the index has caught up', async () => {
		const { storage } = await open(createPlace);
		const ada = await append(storage, { data: '{"name":"Ada Lovelace","city":"Zürich"}' });
		const grace = await append(storage, { data: '{"name":"Grace Hopper","city":"Zurich"}' });
		await append(storage, { formId: OTHER_FORM, data: '{"name":"Ada"}' });
		await storage.search.catchUp();
		const found = (query: string) => listIds(storage, { words: searchWords(query) });
		expect(await found('zurich')).toEqual([ada, grace]);
		expect(await found('LOVE ada')).toEqual([ada]);
		expect(await found('ada hopper')).toEqual([]);
		await storage.submissions.remove(FORM, [ada]);
		expect(await found('zurich')).toEqual([grace]);
		await storage.close();
	});

	test('a search finds apostrophes and hyphens of any kind, whichever it is asked for', async () => {
		const { storage } = await open(createPlace);
		const names = ["Kate O'Neill-Ray", 'Kate O’Neill‑Ray', 'Kate O’Neill–Ray'];
		const ids: number[] = [];
		for (const name of names) ids.push(await append(storage, { data: JSON.stringify({ name, short: "-' and ’" }) }));
		await append(storage, { data: '{"name":"Kate ONeill Ray","short":"and"}' });
		await storage.search.catchUp();
		const found = (query: string) => listIds(storage, { words: searchWords(query) });
		for (const query of [...names, "o'neill", 'O’NEILL kate', "neill‐r '", '–’'])
			expect(await found(query)).toEqual(ids);
		expect(await found('o.neill')).toEqual([]);
		await storage.close();
	});

	test('a search finds letters with strokes, vowel signs and soft hyphens as they are typed without them, and as they are', async () => {
		const { storage } = await open(createPlace);
		const names = ['Søren Łódź', 'Dona\u00addampf Straße', 'שָׁלוֹם', 'مُحَمَّد', 'Œuvre Ægir IŞIK'];
		const ids: number[] = [];
		for (const name of names) ids.push(await append(storage, { data: JSON.stringify({ name }) }));
		await storage.search.catchUp();
		const found = (query: string) => listIds(storage, { words: searchWords(query) });
		for (const [at, queries] of [
			['soren', 'SØR', 'lodz', 'Łódź'],
			['donadampf', 'Dona\u00addampf', 'strasse', 'STRAẞE', 'straße', 'ße', 'aß'],
			['שלום', 'שָׁלוֹם'],
			['محمد', 'مُحَمَّد', 'محم'],
			['oeuvre', 'œuvre', 'aegir', 'ışık', 'işik'],
		].entries())
			for (const query of queries) expect([query, await found(query)]).toEqual([query, [ids[at] as number]]);
		expect(await found('\u00ad')).toEqual([]);
		expect(searchTerms(['øre'])).toEqual({ parts: [['ore', 'øre']], shortWords: [] });
		await storage.close();
	});

	test('a scan sees what is selected, in order, and hands over its result', async () => {
		const { storage } = await open(createPlace);
		const ids = [await append(storage), await append(storage), await append(storage)];
		const request = (order: 'asc' | 'desc') => ({
			selection: { formId: FORM, filter: 'all' as const, beforeId: ids[2] as number },
			order,
			layout: {
				format: 'ndjson',
				columns: [],
				isWhole: true,
				hasAllFields: true,
				listed: [],
				isFormLevel: false,
				bom: false,
				formulas: 'guard',
				timeZone: 'UTC',
			} satisfies Layout as Layout,
			steps: [],
			isFirst: true,
		});
		storage.submissions.prepareScan();
		for (const order of ['asc', 'desc'] as const) {
			const chunk = await storage.submissions.scan<ReturnType<typeof request>, ReturnType<typeof readChunk>>(
				'readChunk',
				request(order),
			);
			const lines = new TextDecoder().decode(chunk.bytes).trimEnd().split('\n');
			const wanted = ids.slice(0, 2).map(encodeId);
			expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(
				order === 'asc' ? wanted : wanted.toReversed(),
			);
		}
		await storage.close();
	});

	test('a deleted form is swept a chunk at a time', async () => {
		const { storage } = await open(createPlace);
		for (let i = 0; i < 3; i++) await append(storage);
		await storage.batch((tx) => [tx.update(forms).set({ deletedAt: 1 }).where(eq(forms.id, FORM))]);
		expect(await storage.submissions.sweep(FORM, 2)).toBe(true);
		expect(await storage.submissions.sweep(FORM, 2)).toBe(true);
		expect(await storage.submissions.sweep(FORM, 2)).toBe(false);
		await storage.batch((tx) => [tx.delete(forms).where(eq(forms.id, FORM))]);
		await storage.close();
	});
});

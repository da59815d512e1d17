/** The listed field names where there are more than fit: through junk, deletions, spam marks, counts that are cut off and restarts. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { PLACE, type Place } from '../../../src/storage/filters.ts';
import { openSqlite, type SqliteStorage } from '../../../src/storage/sqlite/open.ts';
import { forms } from '../../../src/storage/tables.ts';
import { tempFolder } from '../../temp-folder.ts';
import { until } from '../../until.ts';

const MAX = 2000;
const JUNK = 700;
const FORMS = [7, 8];

interface Row {
	id: number;
	formId: number;
	names: string[];
	isSpam: boolean;
}

async function openForms(file: string): Promise<SqliteStorage> {
	const storage = openSqlite(file);
	await storage.batch((tx) =>
		FORMS.map((id) => tx.insert(forms).values({ id, mode: 'live', slug: `f${id}`, name: 'F' })),
	);
	return storage;
}

function append(storage: SqliteStorage, formId: number, { names, isSpam }: { names: string[]; isSpam: boolean }) {
	const data = `{${names.map((name) => `${JSON.stringify(name)}:1`).join()}}`;
	const spamReason = isSpam ? 'honeypot' : null;
	return storage.submissions.append({ formId, data, names, subject: null, replyTo: null, spamReason });
}

const junk = (n: number, length = JUNK) => Array.from({ length }, (_, i) => `junk ${n} ${i}`);

/** Until nothing that was left out has room. */
async function tidied(storage: SqliteStorage, formId: number, place: Place) {
	for (;;) {
		const found = await storage.submissions.names(formId, place);
		if (!found.isPartial || found.names.length >= MAX) return found;
		storage.maintain();
		await Bun.sleep(1);
	}
}

const place = fc.double({ min: 0, max: 0.999, noNaN: true });
const formId = fc.constantFrom(...FORMS);
const count = fc.integer({ min: 1, max: 4 });
const isSpam = fc.boolean();
const step = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.record({
			do: fc.constant('append' as const),
			formId,
			count,
			isSpam,
			names: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', '__proto__', 'ä', '"', '…', '\ud800', ''), { minLength: 1 }),
		}),
	},
	{ weight: 4, arbitrary: fc.record({ do: fc.constant('junk' as const), formId, count, isSpam }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), place, count }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('command' as const), place, count, formId, isSpam }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('mark' as const), place, count, isSpam }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('maintain' as const) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A store and what it must know, changed together. */
async function openWorld() {
	const file = join(tempFolder(), 'formsrv.db');
	let storage = await openForms(file);
	let rows: Row[] = [];
	let junkSent = 0;
	/** For each form and kind, what was listed when last looked at, and that a submission has had ever since. */
	const before = new Map<string, string[]>();

	async function add(form: number, of: { names: string[]; isSpam: boolean }, by = storage) {
		rows.push({ id: await append(by, form, of), formId: form, ...of });
	}

	async function remove(by: SqliteStorage, some: { place: number; count: number }) {
		for (const [form, picked] of pick(some)) {
			const ids = picked.map(({ id }) => id);
			await by.submissions.remove(form, ids);
			rows = rows.filter(({ id }) => !ids.includes(id));
		}
	}

	/** Some that follow one another, by form. */
	const pick = ({ place: at, count: many }: { place: number; count: number }) =>
		Map.groupBy(rows.slice(Math.floor(at * rows.length)).slice(0, many), (row) => row.formId);

	const steps: { [Name in Step['do']]: (one: Extract<Step, { do: Name }>) => unknown } = {
		append: (one) => Promise.all(Array.from({ length: one.count }, () => add(one.formId, one))),
		async junk({ count: many, isSpam: isJunkSpam, formId: form }) {
			for (let i = 0; i < many; i++) await add(form, { names: junk(junkSent++), isSpam: isJunkSpam });
		},
		remove: (one) => remove(storage, one),
		/** Another process writes beside the server. */
		async command(one) {
			const other = openSqlite(file);
			await remove(other, one);
			await add(one.formId, { names: ['by command', ...junk(junkSent++, 3)], isSpam: one.isSpam }, other);
			await other.close();
		},
		async mark(one) {
			for (const [form, picked] of pick(one)) {
				await storage.submissions.change(
					form,
					picked.map(({ id }) => id),
					{ isSpam: one.isSpam },
				);
				for (const row of picked) row.isSpam = one.isSpam;
			}
		},
		/** It goes on beside the next steps. */
		maintain: () => storage.maintain(),
		async restart() {
			await storage.close();
			storage = openSqlite(file);
		},
	};

	function present(form: number, ofSpam: boolean): Set<string> {
		return new Set(rows.filter((row) => row.formId === form && row.isSpam === ofSpam).flatMap(({ names }) => names));
	}

	async function check(isLast: boolean) {
		for (const form of FORMS) {
			for (const [ofSpam, place] of [
				[false, PLACE.inbox],
				[true, PLACE.spam],
			] as const) {
				const { submissions } = storage;
				const listed = await (isLast ? tidied(storage, form, place) : submissions.names(form, place));
				const there = present(form, ofSpam);
				if (!listed.isPartial) expect(new Set(listed.names)).toEqual(there);
				else if (isLast) expect(listed.names.filter((name) => there.has(name))).toHaveLength(MAX);
				expect(new Set(listed.names).size).toBe(listed.names.length);
				expect(listed.names.length).toBeLessThanOrEqual(MAX);
				const key = `${form} ${ofSpam}`;
				expect((before.get(key) ?? []).filter((name) => !listed.names.includes(name))).toEqual([]);
				before.set(key, listed.names);
			}
		}
	}

	return {
		async take(one: Step) {
			await (steps[one.do] as (one: Step) => unknown)(one);
			for (const form of FORMS) {
				for (const ofSpam of [false, true]) {
					const there = present(form, ofSpam);
					const key = `${form} ${ofSpam}`;
					before.set(key, before.get(key)?.filter((name) => there.has(name)) ?? []);
				}
			}
		},
		check,
		close: () => storage.close(),
	};
}

test('names stay listed while any submission has them, and what was left out is listed once it has room, through any history', async () => {
	const histories = fc.array(fc.tuple(step, fc.boolean()), { minLength: 3, maxLength: 20 });
	await fc.assert(
		fc.asyncProperty(histories, async (history) => {
			const world = await openWorld();
			for (const [one, isLookedAt] of history) {
				await world.take(one);
				if (isLookedAt) await world.check(false);
			}
			await world.check(true);
			await world.close();
		}),
		{ numRuns: Number(process.env.RUNS || 25) },
	);
}, 600_000);

test('a name that was left out joins the list with all submissions that have it, not with those that come later', async () => {
	const storage = await openForms(join(tempFolder(), 'formsrv.db'));
	const [form = 0] = FORMS;
	const first = await append(storage, form, { names: junk(0, MAX), isSpam: false });
	await append(storage, form, { names: ['a'], isSpam: false });
	await storage.submissions.remove(form, [first]);
	const latest = await append(storage, form, { names: ['a'], isSpam: false });
	expect(await storage.submissions.names(form, PLACE.inbox)).toEqual({ names: [], isPartial: true });
	expect(await tidied(storage, form, PLACE.inbox)).toEqual({ names: ['a'], isPartial: false });
	await storage.submissions.remove(form, [latest]);
	expect(await storage.submissions.names(form, PLACE.inbox)).toEqual({ names: ['a'], isPartial: false });
	await storage.close();
});

test('a count of many submissions goes on after a restart, beside what comes and goes', async () => {
	const file = join(tempFolder(), 'formsrv.db');
	let storage = await openForms(file);
	const [form = 0] = FORMS;
	const first = await append(storage, form, { names: junk(0, MAX), isSpam: false });
	const more = Array.from({ length: 1000 }, (_, i) =>
		append(storage, form, { names: ['early', `at ${i % 500}`], isSpam: false }),
	);
	const ids = await Promise.all(more);
	await storage.submissions.remove(form, [first]);
	expect(await storage.submissions.names(form, PLACE.inbox)).toEqual({ names: [], isPartial: true });
	storage.maintain();
	await until(async () => (await storage.submissions.names(form, PLACE.inbox)).names.length > 0, { everyMs: 0 });
	await storage.close();
	storage = openSqlite(file);
	expect((await storage.submissions.names(form, PLACE.inbox)).isPartial).toBe(true);
	storage.maintain();
	// By now `at 0` is counted for the first 500 submissions, and for no others.
	const gone = storage.submissions.remove(form, [ids[0] as number, ids[500] as number]);
	await append(storage, form, { names: ['later'], isSpam: false });
	await gone;
	const { names, isPartial } = await tidied(storage, form, PLACE.inbox);
	expect(isPartial).toBe(false);
	expect(names).toEqual(['early', ...Array.from({ length: 499 }, (_, i) => `at ${i + 1}`), 'later']);
	await storage.close();
}, 30_000);

test('a form that is deleted while its names are counted costs nothing that arrives meanwhile', async () => {
	const file = join(tempFolder(), 'formsrv.db');
	const storage = await openForms(file);
	const [gone = 0, other = 0] = FORMS;
	const first = await append(storage, gone, { names: junk(0, MAX), isSpam: false });
	for (let i = 0; i < 500; i++) void append(storage, gone, { names: ['a'], isSpam: false });
	await append(storage, gone, { names: ['b'], isSpam: false });
	await storage.submissions.remove(gone, [first]);
	storage.maintain();
	await until(async () => (await storage.submissions.names(gone, PLACE.inbox)).names.length > 0, { everyMs: 0 });
	while (await storage.submissions.sweep(gone, 500));
	await storage.batch((tx) => [tx.delete(forms).where(eq(forms.id, gone))]);
	for (let i = 0; i < 5; i++) {
		expect(await append(storage, other, { names: ['a'], isSpam: false })).toBeNumber();
		await Bun.sleep(5);
	}
	await storage.close();
});

/** Ids and the clock: ids increase even if the clock is set back, and submissions have the right time once it is right. */

import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openSqlite as openStorage, type SqliteStorage as Storage } from '../../../src/storage/sqlite/open.ts';
import { forms, submissions } from '../../../src/storage/tables.ts';
import { tempFolder } from '../../temp-folder.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const START = Date.UTC(2027, 5, 1);
const FORM = 1;

const opened: (() => void)[] = [];
afterEach(() => {
	for (const close of opened.splice(0)) close();
});

/** A machine whose clock can be set while time passes; its server can be started anew. */
function machine({ elapsed = 0 } = {}) {
	const file = join(tempFolder(), 'formsrv.db');
	const time = { passed: elapsed, shift: 0 };
	const now = () => START + time.passed + time.shift;
	let storage: Storage;
	let stop: () => void;

	function start(): void {
		storage = openStorage(file, { now, elapsed: () => time.passed });
		const noServer = storage.clock.serve(() => {});
		let isOpen = true;
		stop = () => {
			if (!isOpen) return;
			isOpen = false;
			noServer();
			storage.close();
		};
		opened.push(() => stop());
	}

	start();
	const form = { id: FORM, mode: 'live', slug: 'contact', name: 'Contact' } as const;
	return {
		file,
		time,
		now,
		storage: () => storage,
		prepare: () => storage.batch((tx) => [tx.insert(forms).values(form)]),
		start,
		stop: () => stop(),
		restart() {
			stop();
			start();
		},
		/** Stores one submission a second later; answers its id. */
		async submit(): Promise<number> {
			time.passed += SECOND;
			const row = { formId: FORM, data: '{}', names: [], spamReason: null, subject: null, replyTo: null };
			return storage.submissions.append(row);
		},
		createdAt: (id: number) => storage.clock.timeline().millisOf(id),
		/** Returns the ids of a list with `since`. */
		since(millis: number): number[] {
			const fromId = storage.clock.timeline().firstIdAfter(millis);
			const query = { formId: FORM, filter: 'all', order: 'asc', limit: 1000, offset: 0, fromId } as const;
			return storage.submissions.page(query).rows.map(({ id }) => id);
		},
	};
}

/** The same numbers below a bound each time. */
function seeded(seed: number): (bound: number) => number {
	let state = seed + 1;
	return (bound) => {
		state = (state * 48_271) % 2_147_483_647;
		return state % bound;
	};
}

const SHIFTS = [3 * SECOND, 2 * HOUR, 40 * DAY, YEAR, 10 * YEAR, 200 * YEAR];
const CHANGES = SHIFTS.flatMap((shift) => [shift, -shift]).filter((shift) => START + shift > 0);

describe('a clock that is wrong for a while', () => {
	for (const shift of CHANGES) {
		for (const restarts of [[], ['wrong'], ['right'], ['wrong', 'right']]) {
			test(`by ${shift / SECOND} s, server started anew when ${restarts.join(' and ') || 'never'}`, async () => {
				const m = machine();
				await m.prepare();
				const before = [await m.submit(), await m.submit()];
				m.time.shift = shift;
				if (restarts.includes('wrong')) m.restart();
				const meanwhile = [await m.submit()];
				m.time.shift = 0;
				if (restarts.includes('right')) m.restart();
				const after = [await m.submit(), await m.submit(), await m.submit()];

				const all = [...before, ...meanwhile, ...after];
				expect(all).toEqual([...all].sort((a, b) => a - b));
				expect(all.every(Number.isSafeInteger)).toBe(true);
				const right = START + SECOND;
				expect(all.map((id) => m.createdAt(id) - right)).toEqual([
					0,
					SECOND,
					2 * SECOND + shift,
					3 * SECOND,
					4 * SECOND,
					5 * SECOND,
				]);
				m.restart();
				expect(after.map(m.createdAt)).toEqual([3, 4, 5].map((n) => right + n * SECOND));
			});
		}
	}

	test('is seen by who uses the newest moment seen: nothing is missed, and nothing old is told for ever', async () => {
		for (const shift of CHANGES) {
			const m = machine();
			await m.prepare();
			const byLast = new Set<number>();
			const byMax = new Set<number>();
			const seen = { last: 0, max: 0, repeated: 0 };
			const poll = () => {
				const last = m.since(seen.last);
				seen.repeated = last.filter((id) => byLast.has(id)).length;
				for (const id of last) byLast.add(id);
				const newest = last.at(-1);
				if (newest !== undefined) seen.last = m.createdAt(newest);
				for (const id of m.since(seen.max)) {
					byMax.add(id);
					seen.max = Math.max(seen.max, m.createdAt(id));
				}
			};
			const all: number[] = [];
			const submit = async (count: number) => {
				for (let i = 0; i < count; i++) {
					all.push(await m.submit());
					if (i % 2 === 0) poll();
				}
			};
			await submit(5);
			m.time.shift = shift;
			await submit(3);
			m.time.shift = 0;
			await submit(6);
			poll();
			expect([...byLast].sort((a, b) => a - b)).toEqual(all);
			expect([...byMax].sort((a, b) => a - b)).toEqual(all);
			expect(seen.repeated).toBe(0);
		}
	});

	test('several times, over restarts, by all kinds of steps', async () => {
		const m = machine();
		await m.prepare();
		const expected: [number, number][] = [];
		const shifts = [0, DAY, -DAY, 2 * SECOND, 0, 10 * YEAR, 9 * YEAR, 0, -YEAR, 0, 300 * YEAR, 0, -5 * SECOND, 0, 900];
		for (const [i, shift] of shifts.entries()) {
			m.time.shift = shift;
			if (i % 3 === 1) m.restart();
			for (let n = 0; n < 3; n++) expected.push([await m.submit(), m.now()]);
			if (i % 4 === 2) m.restart();
		}
		const ids = expected.map(([id]) => id);
		expect(ids).toEqual([...ids].sort((a, b) => a - b));
		for (const [id, moment] of expected) {
			// A clock that goes back by less than a second is not followed.
			expect(Math.abs(m.createdAt(id) - moment)).toBeLessThanOrEqual(SECOND);
		}
		m.restart();
		for (const [id, moment] of expected) expect(Math.abs(m.createdAt(id) - moment)).toBeLessThanOrEqual(SECOND);
		expect(m.since(0)).toEqual(ids);
	});

	test('tells who polls at the right time nothing old again, whatever happened before', async () => {
		const happenings: ((m: ReturnType<typeof machine>) => unknown)[] = [
			(m) => m.submit(),
			(m) => m.restart(),
			(m) => m.storage().clock.look(),
			(m) => {
				m.time.passed += 90 * SECOND;
			},
		];
		for (let round = 0; round < 30; round++) {
			const m = machine();
			await m.prepare();
			const random = seeded(round);
			for (let turn = 0; turn < 12; turn++) {
				m.time.shift = ([0, 0, 10 * YEAR, -YEAR, HOUR, 3 * SECOND, -3 * SECOND] as const)[random(7)] as number;
				for (let i = random(3); i >= 0; i--) await happenings[random(happenings.length)]?.(m);
			}
			m.time.shift = 0;
			// Until then the clock may say again what it has said.
			m.time.passed += 3 * HOUR;
			let last = await m.submit();
			const seen = m.since(m.createdAt(last));
			last = await m.submit();
			expect([round, m.since(m.createdAt(last)), m.since(m.createdAt(last) - 1)]).toEqual([round, [], [last]]);
			expect(m.createdAt(last)).toBe(m.now());
			expect(seen).toEqual([]);
		}
	}, 60_000);

	test('does not change what a command beside the server has made meanwhile', async () => {
		const m = machine();
		await m.prepare();
		await m.submit();
		m.time.shift = 10 * YEAR;
		m.restart();
		await m.submit();
		m.time.passed += SECOND;
		const beside = openStorage(m.file, { now: m.now });
		const id = beside.nextId();
		await beside.close();
		const meanwhile = m.now();
		m.time.shift = 0;
		const after = await m.submit();
		expect(m.createdAt(id)).toBe(meanwhile);
		expect(m.createdAt(after)).toBe(m.now());
		expect(after).toBeGreaterThan(id);
	});

	test('and a machine that begins each time in the past leaves no trace in what comes later', async () => {
		const m = machine();
		await m.prepare();
		for (let boot = 0; boot < 12; boot++) {
			m.time.passed += DAY;
			m.time.shift = -2 * YEAR;
			m.restart();
			await m.submit();
			m.time.shift = 0;
			m.storage().clock.look();
			const id = await m.submit();
			expect(m.createdAt(id)).toBe(m.now());
		}
		expect(m.storage().clock.timeline().steps.at(-1)?.offsetMs).toBe(0);
	});

	test('whose row cannot be stored with the first id behind it leaves neither', async () => {
		const m = machine();
		await m.prepare();
		m.time.shift = 10 * YEAR;
		await m.submit();
		m.time.shift = 0;
		const storage = m.storage();
		m.time.passed += SECOND;
		const row = { formId: FORM, data: '{}', names: [], spamReason: null, subject: null, replyTo: null };
		const other = new Database(m.file);
		other.run('create trigger refuse before insert on clock_steps begin select raise(rollback, "no"); end');
		await expect(storage.submissions.append(row)).rejects.toThrow();
		expect(other.query('select count(*) from clock_steps where offset_ms > 0').values()).toEqual([[0]]);
		other.run('drop trigger refuse');
		other.close();
		const next = await m.submit();
		m.restart();
		expect(m.createdAt(next)).toBe(m.now());
	});
});

test('a clock that is right leaves nothing to remember', async () => {
	const m = machine();
	await m.prepare();
	for (let i = 0; i < 20; i++) {
		m.time.passed += 13 * HOUR;
		await m.submit();
		if (i % 5 === 0) m.restart();
	}
	expect(m.storage().clock.timeline().steps).toEqual([]);
	expect(m.storage().clock.report()).toEqual({ problem: null, latest: null });
});

test.each([
	['a night', 25 * HOUR, true],
	['a season', 100 * DAY, true],
	['longer than anyone believes', YEAR, false],
	['less than no time', -2 * HOUR, false],
])('after a stop of %s the clock counts as settled or not', async (_, passed, isSettled) => {
	const m = machine();
	await m.prepare();
	await m.submit();
	m.stop();
	m.time.shift += passed;
	m.start();
	expect(m.storage().clock.isSettled()).toBe(isSettled);
	await m.submit();
	expect(m.storage().clock.isSettled()).toBe(isSettled);
	if (isSettled) expect(m.storage().clock.timeline().steps).toEqual([]);
});

test('more ids than a millisecond has go on into the next', async () => {
	const m = machine();
	const storage = m.storage();
	const ids = Array.from({ length: 1000 }, () => storage.nextId());
	expect(new Set(ids).size).toBe(1000);
	expect(m.createdAt(ids[999] as number) - m.now()).toBeLessThan(10);
});

test('a server and what is beside it never make the same id', async () => {
	const m = machine();
	await m.prepare();
	const beside = [1, 2, 3].map(() => openStorage(m.file, { now: m.now }));
	const made: number[] = [];
	for (let i = 0; i < 500; i++) {
		made.push(m.storage().nextId());
		for (const storage of beside) made.push(storage.nextId());
		if (i === 200) m.time.shift = YEAR;
		if (i === 300) m.time.shift = -YEAR;
		if (i % 7 === 0) m.time.passed += 1;
	}
	for (const storage of beside) await storage.close();
	expect(new Set(made).size).toBe(made.length);
});

test('a file of the time before, in which all ids stand still in the future, goes on from now', async () => {
	const m = machine();
	await m.prepare();
	const stuck = (START + 10 * YEAR) * 2048 + 5;
	const other = { id: FORM + 1, mode: 'live', slug: 'other', name: 'Other' } as const;
	const rows = [0, 1, 2].map((n) => ({ id: stuck + n, formId: other.id, data: '{}' }));
	await m.storage().batch((tx) => [tx.insert(forms).values(other), tx.insert(submissions).values(rows)]);
	m.restart();
	const id = await m.submit();
	expect(m.createdAt(id)).toBe(m.now());
	expect(m.since(m.now() - 1)).toEqual([id]);
	expect(m.since(START + 10 * YEAR)).toEqual([id]);
});

/** Two forms under random steps, as `lists.test.ts` takes them, and what they have to show for them. */

import { expect } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { AppError } from '../../src/errors.ts';
import { UniqueViolation } from '../../src/storage/errors.ts';
import { searchWords } from '../../src/storage/search-words.ts';
import { openStorage, type Storage } from '../../src/storage/storage.ts';
import { FILTERS, type Filter, type Flags, type ListQuery, type NewSubmission } from '../../src/storage/submission.ts';
import { forms, idempotencyKeys, submissions } from '../../src/storage/tables.ts';
import { SCANS } from '../../src/submissions/scan-module.ts';
import { newPostgresDatabase } from '../postgres.ts';
import { tempFolder } from '../temp-folder.ts';
import { FORM, form, OTHER_FORM } from './contract.ts';

const WORDS = ['apple', 'banana', 'cherry', 'Döner', '日本'];
const NAMES = ['name', 'email', 'message', 'a.b', '__proto__', '7'];
/** Above so many submissions, more are removed than come. */
const MANY = 2600;
/** The most pages of a kind that are read; of more, some are chosen. */
const MOST_PAGES: Record<string, number> = { sqlite: 60, postgres: 3 };
const SEGMENT = { submissions: 500, characters: 100_000 };

export const STEP_KINDS = ['submit', 'change', 'remove', 'wait', 'reopen', 'kill'] as const;
type Kind = (typeof STEP_KINDS)[number];
const ODDS: Record<Kind, number> = { submit: 50, change: 20, remove: 8, wait: 18, reopen: 3, kill: 3 };

const MATCHES: Record<Filter, (flags: Flags) => boolean> = {
	all: ({ isSpam }) => !isSpam,
	unread: ({ isSpam, isRead }) => !isSpam && !isRead,
	starred: ({ isSpam, isStarred }) => !isSpam && isStarred,
	spam: ({ isSpam }) => isSpam,
};

interface Row extends Flags {
	id: number;
	n: number;
	formId: number;
	fields: Record<string, unknown>;
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** Returns whole numbers from 0 to below a bound, the same for the same seed. */
function seeded(seed: number): (bound: number) => number {
	let state = Math.imul(seed, 0x9e3779b9);
	return (bound) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
	};
}

export async function createWorld(engine: string, seed: number) {
	const random = seeded(seed);
	/** Apart, because checks ask for as many numbers as there are pages. */
	const choice = seeded(seed + 1e6);
	const isPostgres = engine === 'postgres';
	let place = isPostgres ? await newPostgresDatabase() : join(tempFolder(), 'formsrv.db');
	const servers: Storage[] = [];
	for (let i = 0; i < (isPostgres ? 2 : 1); i++) servers.push(await open());
	await server().batch((tx) => [tx.insert(forms).values([FORM, OTHER_FORM].map((id) => form(id)))]);
	const done = Object.fromEntries(STEP_KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
	/** The numbers of submissions that must be there, and of those that may be: a kill came before the response. */
	const acknowledged = new Set<number>();
	const uncertain = new Set<number>();
	const told = new Map<string, number>();
	let inFlight: Promise<unknown>[] = [];
	/** Grows with each kill: whatever ends after it is told to nobody. */
	let life = 0;
	let sent = 0;
	let size = 0;

	async function open(): Promise<Storage> {
		const storage = await openStorage(place, { scans: SCANS, searchSegment: SEGMENT });
		storage.serve();
		return storage;
	}

	function pick<T>(list: readonly T[]): T {
		return list[random(list.length)] as T;
	}

	function server(): Storage {
		return pick(servers);
	}

	function newSubmission(storage: Storage, n: number): NewSubmission {
		const formId = random(8) === 0 ? OTHER_FORM : FORM;
		const names = NAMES.filter(() => random(2) === 0);
		const fields = names.map((name) => `${JSON.stringify(name)}:"${pick(WORDS)} ${pick(WORDS)}"`);
		const isRobot = random(12) === 0;
		const file = { field: 'cv', name: 'cv.pdf', type: 'application/pdf', claimedType: '', sha256: '', scan: null };
		const files = [1, 2].slice(random(2)).map((bytes) => ({ ...file, id: storage.nextId(), bytes, key: null }));
		const key = { formId, key: `key ${random(500)}`, bodyHash: 'h', next: null, createdAt: 1, since: 0 };
		return {
			formId,
			data: `{${[`"n":${n}`, ...fields].join()}}`,
			names: ['n', ...names],
			spamReason: isRobot || random(10) === 0 ? 'honeypot' : null,
			subject: random(5) === 0 ? 'Hello' : null,
			replyTo: null,
			hasDecoy: isRobot,
			...(random(4) === 0 && { files }),
			...(random(10) === 0 && { idempotencyKey: key }),
		};
	}

	/** As the intake does it: what it waits for, files or a captcha, comes before the row. */
	async function submit(): Promise<void> {
		const n = ++sent;
		const storage = server();
		const row = newSubmission(storage, n);
		const [turns, waitsMs, born] = [random(6), random(5), life];
		for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
		if (turns === 5) await Bun.sleep(waitsMs);
		try {
			const id = await storage.submissions.append(row);
			if (born !== life) return;
			acknowledged.add(n);
			size++;
			const { formId, key } = row.idempotencyKey ?? {};
			if (key) told.set(`${formId} ${key}`, id);
		} catch (error) {
			if (!(error instanceof UniqueViolation)) throwIfAlive(error, born);
		}
	}

	/** What was cut off says so, and what comes before PostgreSQL is back is rejected. */
	function throwIfAlive(error: unknown, born: number): void {
		if ((born === life && !isPostgres) || !(error instanceof AppError)) throw error;
	}

	async function act(kind: 'change' | 'remove'): Promise<void> {
		const { submissions: log } = server();
		const formId = random(8) === 0 ? OTHER_FORM : FORM;
		const [filter, order, born] = [pick(FILTERS), pick(['asc', 'desc'] as const), life];
		const limit = kind === 'remove' && size > MANY ? 600 : 1 + random(random(4) === 0 ? 200 : 4);
		const flag = pick(['isRead', 'isStarred', 'isSpam'] as const);
		const flags = { [flag]: random(3) > 0 };
		try {
			const ids = await log.ids({ formId, filter }, { order, limit });
			if (kind === 'change') return void (await log.change(formId, ids, flags));
			const numbers = (await log.entries(formId, ids)).map(({ data }) => JSON.parse(`${data}`).n as number);
			for (const n of numbers) uncertain.add(n);
			size -= (await log.remove(formId, ids)).length;
			if (born === life) for (const n of numbers) acknowledged.delete(n);
		} catch (error) {
			throwIfAlive(error, born);
		}
	}

	async function settle(): Promise<void> {
		await Promise.all(inFlight);
		inFlight = [];
	}

	async function reopen(): Promise<void> {
		await settle();
		const at = random(servers.length);
		await servers[at]?.close();
		servers[at] = await open();
	}

	/** The file as it is left behind, wherever a commit is, goes on as another; a server of PostgreSQL loses its connections. */
	async function kill(): Promise<void> {
		life++;
		if (isPostgres) {
			const sql = postgres(place, { max: 1, fetch_types: false });
			await sql`select pg_terminate_backend(pid) from pg_stat_activity
				where datname = current_database() and application_name like 'formsrv writer%'`;
			await sql.end();
			await settle();
			// Until the servers have noticed that the database is there, they reject what comes.
			while (servers.some(({ findings }) => findings.rejection('submission'))) await Bun.sleep(5);
			return;
		}
		const left = join(tempFolder(), 'formsrv.db');
		for (const suffix of ['', '-wal']) copyFileSync(place + suffix, left + suffix);
		await settle();
		for (const killed of servers.splice(0)) await killed.close();
		place = left;
		servers.push(await open());
	}

	async function rows(): Promise<Row[]> {
		const { id, formId, data, isRead, isStarred, isSpam } = submissions;
		const columns = { id, formId, data, isRead, isStarred, isSpam };
		const found = await server().db.select(columns).from(submissions).orderBy(id);
		return found.map(({ data, ...row }) => {
			const fields = JSON.parse(data);
			return { ...row, fields, n: fields.n };
		});
	}

	async function expectList(query: Omit<ListQuery, 'order' | 'limit' | 'offset'>, found: readonly Row[]) {
		for (const [order, all] of [
			['asc', found],
			['desc', found.toReversed()],
		] as const) {
			const ids = all.map(({ id }) => id);
			for (const limit of [1, 7, 50, 100]) {
				const pages = Math.ceil(ids.length / limit) + 1;
				const most = MOST_PAGES[engine] as number;
				for (let i = 0; i < Math.min(pages, most); i++) {
					const offset = (pages > most ? random(pages) : i) * limit;
					const { rows: page, total } = await server().submissions.list({ ...query, order, limit, offset });
					const what = { ...query, order, limit, offset };
					expect([what, total, page.map(({ id }) => id)]).toEqual([
						what,
						ids.length,
						ids.slice(offset, offset + limit),
					]);
				}
			}
		}
	}

	async function expectForm(formId: number, all: readonly Row[]): Promise<void> {
		const { submissions: lists } = server();
		const idAt = () => (random(4) === 0 ? random(2 ** 50) : (all[random(all.length + 1)]?.id ?? 0) + random(2));
		const counts: number[] = [];
		for (const filter of FILTERS) {
			const found = all.filter(MATCHES[filter]);
			counts.push(found.length);
			await expectList({ formId, filter }, found);
			const [fromId = 0, beforeId = 0] = [idAt(), idAt()].sort((a, b) => a - b);
			const between = found.filter(({ id }) => id >= fromId && id < beforeId);
			await expectList({ formId, filter, fromId, beforeId }, between);
			const bounds = [0, fromId, beforeId, Number.MAX_SAFE_INTEGER];
			expect((await lists.countsBetween([formId], { filter, bounds })).get(formId)).toEqual(
				[0, 1, 2].map((i) => found.filter(({ id }) => id >= (bounds[i] ?? 0) && id < (bounds[i + 1] ?? 0)).length),
			);
			const word = pick(WORDS);
			const holding = found.filter(({ fields }) => Object.values(fields).some((value) => `${value}`.includes(word)));
			const [order, limit] = ['desc', 50] as const;
			const hits = await lists.list({ formId, filter, words: searchWords(word), order, limit, offset: 0 });
			const newest = holding.toReversed().slice(0, limit);
			expect([hits.total, hits.rows.map(({ id }) => id)]).toEqual([holding.length, newest.map(({ id }) => id)]);
		}
		const [total, unread, starred, spam] = counts;
		expect((await lists.counts([formId])).get(formId)).toEqual({ total, unread, starred, spam } as never);
		for (const isSpam of [false, true]) {
			const { names } = await lists.names(formId, isSpam);
			const used = all.filter((row) => row.isSpam === isSpam).flatMap(({ fields }) => Object.keys(fields));
			expect(names.toSorted()).toEqual([...new Set(used)].sort());
		}
	}

	return {
		done,
		acknowledged: () => acknowledged.size,
		async step(): Promise<void> {
			const kinds = STEP_KINDS.flatMap((one) => Array<Kind>(ODDS[one]).fill(one));
			const kind = kinds[choice(kinds.length)] as Kind;
			done[kind]++;
			if (kind === 'submit') {
				const many = random(20) === 0 ? 150 : 1 + random(8);
				for (let i = 0; i < many; i++) inFlight.push(submit());
			} else if (kind === 'change' || kind === 'remove') inFlight.push(act(kind));
			else if (kind === 'wait') await (random(3) === 0 ? settle() : Bun.sleep(random(3)));
			else await (kind === 'kill' ? kill() : reopen());
		},
		async check(): Promise<void> {
			await settle();
			await server().search.catchUp();
			const all = await rows();
			const stored = all.map(({ n }) => n);
			expect(stored.length).toBe(new Set(stored).size);
			const there = new Set(stored);
			expect([...acknowledged].filter((n) => !there.has(n) && !uncertain.has(n))).toEqual([]);
			for (const formId of [FORM, OTHER_FORM]) {
				await expectForm(
					formId,
					all.filter((row) => row.formId === formId),
				);
			}
			for (const { formId, key, submissionId } of await server().db.select().from(idempotencyKeys)) {
				const id = told.get(`${formId} ${key}`);
				if (id !== undefined) expect(submissionId).toBe(id);
			}
			// Servers whose clocks differ by some milliseconds: what is indexed is otherwise 1.5 seconds old.
			if (isPostgres) await Bun.sleep(50);
		},
		async close(): Promise<void> {
			await settle();
			await Promise.all(servers.map((storage) => storage.close()));
		},
	};
}

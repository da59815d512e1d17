/** Two forms under random steps, as `lists.test.ts` takes them, and what they have to show for them. */

import { expect } from 'bun:test';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import postgres from 'postgres';
import { AppError } from '../../src/errors.ts';
import { IDS_PER_MILLISECOND } from '../../src/ids.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { UniqueViolation } from '../../src/storage/errors.ts';
import { FILTERS } from '../../src/storage/filters.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { ImportedSubmission, NewSubmission } from '../../src/storage/submission.ts';
import { forms, idempotencyKeys, submissions } from '../../src/storage/tables.ts';
import { joinWords } from '../../src/storage/word-lists.ts';
import { SCANS } from '../../src/submissions/scan-module.ts';
import { newPostgresDatabase } from '../postgres.ts';
import { seeded } from '../seeded.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';
import { FORM, form, OTHER_FORM } from './contract.ts';
import { expectForm, LABELS, scanRows } from './lists-scan.ts';

const WORDS = ['apple', 'banana', 'cherry', 'Döner', '日本'];
const NAMES = ['name', 'email', 'message', 'a.b', '__proto__', '7'];
/** Above so many submissions, more are removed than come: the counts of several blocks, and no more than a check can page through. */
const MANY = 2600;
const SEGMENT = { submissions: 500, characters: 100_000 };

/** Shuffled so many at a time, so that none is missing where few are taken. */
const DECK = { submit: 41, change: 16, confirm: 6, remove: 6, import: 2, wait: 14, command: 1, reopen: 1, kill: 1 };
type Kind = keyof typeof DECK;
const CARDS = Object.entries(DECK).flatMap(([kind, count]) => Array<Kind>(count).fill(kind as Kind));

export interface Check {
	/** The most pages of a list that are read; without it every page is. */
	mostPages?: number;
}

export type World = Awaited<ReturnType<typeof createWorld>>;

export async function createWorld(engine: string, seed: number) {
	const random = seeded(seed);
	/** Apart, because checks ask for as many numbers as there are pages. */
	const choice = seeded(seed + 1e6);
	const isPostgres = engine === 'postgres';
	const folder = tempFolder();
	let place = isPostgres ? await newPostgresDatabase() : join(folder, '0', 'formsrv.db');
	const servers: Storage[] = [];
	for (let i = 0; i < (isPostgres ? 2 : 1); i++) servers.push(await open());
	await server().batch((tx) => [tx.insert(forms).values([FORM, OTHER_FORM].map((id) => form(id)))]);
	/** The numbers of submissions that must be there, of those that may be, because a kill came before the response, and of those that must not. */
	const acknowledged = new Set<number>();
	const uncertain = new Set<number>();
	const removed = new Set<number>();
	const told = new Map<string, number>();
	let inFlight: Promise<unknown>[] = [];
	const startedAt = Date.now();
	const unfinished: ImportedSubmission[] = [];
	let deck: Kind[] = [];
	let copies = 0;
	/** Grows with each kill. */
	let life = 0;
	let sent = 0;

	async function open(): Promise<Storage> {
		const storage = await openStorage(place, { scans: SCANS, searchSegment: SEGMENT });
		storage.serve();
		return storage;
	}

	/** Whatever ends after a kill is told to nobody; servers of PostgreSQL lose their connections alone. */
	function isTold(born: number): boolean {
		return isPostgres || born === life;
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
		const key = { formId, key: `key ${random(2000)}`, bodyHash: 'h', next: null, createdAt: 1, since: 0 };
		return {
			formId,
			data: `{${[`"n":${n}`, ...fields].join()}}`,
			names: ['n', ...names],
			spamReason: isRobot || random(10) === 0 ? 'honeypot' : null,
			addressKey: random(6) === 0 ? `address ${random(20)}` : null,
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
			if (!isTold(born)) return;
			acknowledged.add(n);
			const { formId, key } = row.idempotencyKey ?? {};
			if (key) told.set(`${formId} ${key}`, id);
		} catch (error) {
			if (!(error instanceof UniqueViolation)) throwIfAlive(error, born);
		}
	}

	/** Accepts two errors: one that was cut off says so, and one before PostgreSQL is back is a rejection. */
	function throwIfAlive(error: unknown, born: number): void {
		if ((born === life && !isPostgres) || !(error instanceof AppError)) throw error;
	}

	const newLabels = () => (random(2) === 0 ? { addLabels: [pick(LABELS)] } : { removeLabels: [pick(LABELS)] });

	async function act(kind: 'change' | 'remove', { db, submissions: log } = server()): Promise<void> {
		const formId = random(8) === 0 ? OTHER_FORM : FORM;
		const [filter, order, born] = [pick(FILTERS), pick(['asc', 'desc'] as const), life];
		const few = 1 + random(random(4) === 0 ? 200 : 4);
		const flag = pick(['isRead', 'isStarred', 'isSpam', 'isArchived'] as const);
		const change = random(4) === 0 ? newLabels() : { [flag]: random(3) > 0 };
		try {
			const limit = kind === 'remove' && (await db.$count(submissions)) > MANY ? 600 : few;
			const ids = await log.ids({ formId, filter }, { order, limit });
			if (kind === 'change') return void (await log.change(formId, ids, change));
			const numbers = (await log.entries(formId, ids)).map(({ data }) => JSON.parse(`${data}`).n as number);
			for (const n of numbers) uncertain.add(n);
			await log.remove(formId, ids);
			if (isTold(born)) for (const n of numbers) removed.add(n);
		} catch (error) {
			throwIfAlive(error, born);
		}
	}

	/** All that waits for one address, as the link does it. */
	async function confirm(): Promise<void> {
		const { submissions: log } = server();
		const born = life;
		try {
			const of = { addressKey: `address ${random(20)}`, fromId: 0, limit: 1 + random(5) };
			const ids = await log.pendingOf(FORM, of);
			const results = await log.confirm(
				FORM,
				[...ids, 1].map((id) => ({ id, uniqueHashes: [], deliveries: [] })),
				Date.now(),
			);
			expect(results.get(1)).toBe('gone');
		} catch (error) {
			throwIfAlive(error, born);
		}
	}

	function newImport(): ImportedSubmission {
		const { data, names } = newSubmission(server(), ++sent);
		const isSpam = random(6) === 0;
		const recent = Date.now() - 2500 - random(3000);
		const at = pick([
			recent,
			recent,
			startedAt - random(31_536_000_000),
			startedAt - random(1000),
			startedAt - 86_400_000,
		]);
		const formerId = random(2) === 0 ? at * IDS_PER_MILLISECOND + random(IDS_PER_MILLISECOND) : undefined;
		const isPending = !isSpam && random(8) === 0;
		const isArchived = random(3) === 0;
		const flags = { isRead: random(2) === 0, isStarred: random(5) === 0, isSpam, isPending, isArchived };
		const labels = random(4) === 0 ? joinWords([pick(LABELS)]) : null;
		return { at, formerId, data, names, labels, ...flags, spamReason: isSpam ? 'marked' : null };
	}

	/** @param again What was cut off before, and is there once. */
	async function importSome(storage: Storage, again: readonly ImportedSubmission[] = []): Promise<void> {
		const since = life;
		// Removals that are on their way may still mean the first of the two.
		if (again.length > 0) await settle();
		const rows = [...again, ...Array.from({ length: 1 + random(random(4) === 0 ? 1200 : 40) }, newImport)];
		const numberOf = ({ data }: ImportedSubmission) => JSON.parse(data).n as number;
		for (const n of again.map(numberOf)) {
			uncertain.add(n);
			removed.delete(n);
		}
		for (let i = 0; i < rows.length; i += 100) {
			const some = rows.slice(i, i + 100);
			try {
				const places = await storage.submissions.import(FORM, [...some, ...some]);
				expect(places.slice(some.length)).toEqual(places.slice(0, some.length).map(({ id }) => ({ id, isNew: false })));
				if (!isTold(since)) throw new AppError('UNAVAILABLE', 'It was killed.');
				for (const n of some.map(numberOf)) {
					acknowledged.add(n);
					// A removal since the cut meant the first of the two.
					removed.delete(n);
				}
			} catch (error) {
				unfinished.push(...rows.slice(i));
				for (const row of some) uncertain.add(numberOf(row));
				return throwIfAlive(error, since);
			}
		}
	}

	/** Changes the database of a running server from another process. */
	async function command(): Promise<void> {
		const born = life;
		try {
			const storage = await openStorage(place, { scans: SCANS });
			if (random(3) === 0) await importSome(storage);
			else await act(pick(['change', 'remove']), storage);
			await storage.close();
		} catch (error) {
			throwIfAlive(error, born);
		}
	}

	async function settle(): Promise<void> {
		const known = new Set(inFlight);
		await Promise.all(known);
		inFlight = inFlight.filter((one) => !known.has(one));
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
			await until(() => servers.every(({ findings }) => !findings.rejection('submission')));
			return;
		}
		const killed = place;
		place = join(folder, `${++copies}`, 'formsrv.db');
		mkdirSync(dirname(place));
		for (const suffix of ['', '-wal']) copyFileSync(killed + suffix, place + suffix);
		await settle();
		for (const storage of servers.splice(0)) await storage.close();
		rmSync(dirname(killed), { recursive: true });
		servers.push(await open());
	}

	/** Only the last three are waited for; the others go on meanwhile. */
	const STEPS: Record<Kind, () => unknown> = {
		submit: () => {
			const many = random(40) === 0 ? 150 : 1 + random(8);
			for (let i = 0; i < many; i++) inFlight.push(submit());
		},
		change: () => void inFlight.push(act('change')),
		confirm: () => void inFlight.push(confirm()),
		remove: () => void inFlight.push(act('remove')),
		import: () => void inFlight.push(importSome(server(), unfinished.splice(0))),
		command: () => void inFlight.push(command()),
		wait: () => (random(3) === 0 ? settle() : Bun.sleep(random(3))),
		reopen,
		kill,
	};

	return {
		acknowledged: () => [...acknowledged].filter((n) => !removed.has(n)).length,
		async step(): Promise<void> {
			if (deck.length === 0) deck = shuffled(CARDS, choice);
			await STEPS[deck.pop() as Kind]();
		},
		async check({ mostPages }: Check): Promise<void> {
			await settle();
			// A server that wrote nothing since has to notice it by itself.
			await command();
			await server().search.catchUp();
			const all = await scanRows(server());
			const there = new Set(all.map(({ n }) => n));
			expect(there.size).toBe(all.length);
			expect([...acknowledged].filter((n) => !there.has(n) && !uncertain.has(n))).toEqual([]);
			expect([...removed].filter((n) => there.has(n))).toEqual([]);
			for (const formId of [FORM, OTHER_FORM]) {
				const ofForm = all.filter((row) => row.formId === formId);
				await expectForm({ server, random: choice, mostPages, words: WORDS }, formId, ofForm);
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
			rmSync(folder, { recursive: true });
		},
	};
}

function shuffled<T>(list: readonly T[], random: (bound: number) => number): T[] {
	const result = [...list];
	for (let i = result.length - 1; i > 0; i--) {
		const j = random(i + 1);
		[result[i], result[j]] = [result[j] as T, result[i] as T];
	}
	return result;
}

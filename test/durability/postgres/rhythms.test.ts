/**
 * Two servers whose connections to PostgreSQL end in random rhythms, under load: `DRILL_SECONDS` says for how long, `DRILL_SEED` repeats
 * the rhythms of a run.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import postgres from 'postgres';
import { type PostgresServer, startPostgres } from '../../postgres-server.ts';
import type { Load } from './load.ts';
import { REQUESTS_AT_ONCE, runTrial } from './trial.ts';

const SECONDS = Number(process.env.DRILL_SECONDS ?? 0);
const SEED = Number(process.env.DRILL_SEED ?? Math.floor(Math.random() * 1e9));
const BACK_WITHIN_MS = 5000;
const OWN = "application_name like 'formsrv%' and pid <> pg_backend_pid()";

let database: PostgresServer;
beforeAll(async () => {
	database = await startPostgres();
}, 60_000);
afterAll(() => database.stop('immediate'));

/** Mulberry32. */
function createRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

const random = createRandom(SEED);
const upTo = (most: number) => Math.floor(random() * (most + 1));

async function withAdmin(act: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
	const sql = postgres(database.address(), { max: 1, fetch_types: false, onnotice() {} });
	await act(sql).catch(() => {});
	await sql.end({ timeout: 1 });
}

/** Each ends connections in another way. */
const RHYTHMS: Record<string, () => Promise<void>> = {
	'all at once': () =>
		withAdmin((sql) => sql.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where ${OWN}`)),
	'one of three': () =>
		withAdmin((sql) =>
			sql.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where ${OWN} and pid % 3 = ${upTo(2)}`),
		),
	'those that write': () =>
		withAdmin((sql) =>
			sql.unsafe(
				`select pg_terminate_backend(pid) from pg_stat_activity where ${OWN} and application_name like '%writer%' and state = 'active'`,
			),
		),
	'25 times in five seconds, also while they connect': () =>
		withAdmin(async (sql) => {
			for (let i = 0; i < 25; i++) {
				await sql.unsafe(
					`select pg_terminate_backend(pid) from pg_stat_activity where datname is not null and pid <> pg_backend_pid()`,
				);
				await Bun.sleep(upTo(400));
			}
		}),
	'a process of the server killed': async () => {
		let pid: number | undefined;
		await withAdmin(async (sql) => {
			const rows = await sql.unsafe<{ pid: number }[]>(`select pid from pg_stat_activity where ${OWN}`);
			pid = rows[upTo(rows.length - 1)]?.pid;
		});
		if (pid !== undefined && isBackend(pid)) process.kill(pid, 'SIGKILL');
	},
	'stopped and started': async () => {
		await database.stop(random() < 0.5 ? 'fast' : 'immediate');
		await Bun.sleep(upTo(2000));
		await database.start();
	},
};

function isBackend(pid: number): boolean {
	const path = `/proc/${pid}/stat`;
	return existsSync(path) && readFileSync(path, 'utf8').includes(`) S ${database.pid()} `);
}

/** Returns when the database takes statements again. */
async function databaseIsBack(): Promise<number> {
	for (;;) {
		const sql = postgres(database.address(), { max: 1, fetch_types: false, onnotice() {} });
		const isThere = await sql`select 1`.then(
			() => true,
			() => false,
		);
		await sql.end({ timeout: 1 });
		if (isThere) return performance.now();
		await Bun.sleep(50);
	}
}

test(
	`nothing is lost or doubled when connections end in any rhythm, and storing goes on within ${BACK_WITHIN_MS} ms`,
	async () => {
		console.info(`DRILL_SEED=${SEED}, for ${SECONDS} s`);
		const tookMs: Record<string, number[]> = {};
		const disturb = async (load: Load) => {
			const names = Object.keys(RHYTHMS);
			const end = performance.now() + SECONDS * 1000;
			for (let n = 0; n < names.length || performance.now() < end; n++) {
				const name = n < names.length ? (names[n] as string) : (names[upTo(names.length - 1)] as string);
				// Sometimes connections are idle.
				if (random() < 0.2) await load.restDuring(() => Bun.sleep(upTo(1500)));
				await Bun.sleep(upTo(500));
				await RHYTHMS[name]?.();
				const since = await databaseIsBack();
				await load.writesAgain(since);
				const took = performance.now() - since;
				tookMs[name] = [...(tookMs[name] ?? []), Math.round(took)];
				expect({ name, isSoon: took < BACK_WITHIN_MS, took }).toMatchObject({ isSoon: true });
			}
			for (const [name, all] of Object.entries(tookMs))
				console.info(`${name}: ${all.length} times, writing again after at most ${Math.max(...all)} ms`);
			// Each time the server that sends may lose what it had noted down, up to 25 times in a rhythm.
			return 25 * REQUESTS_AT_ONCE * Object.values(tookMs).flat().length;
		};
		await runTrial('rhythms', { address: () => database.address(), disturb: (_, load) => disturb(load) });
	},
	120_000 + SECONDS * 3000,
);

/** PostgreSQL: submissions against its own limit, against SQLite and with two servers. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { makeDatabase, startPostgres } from '../test/postgres-server.ts';
import { saturate } from './load.ts';
import type { Running } from './processes.ts';
import { CONTACT, jsonPost, openProduct, type Product, WORK } from './product.ts';
import { type Finding, short } from './report.ts';
import { type Effort, median } from './rounds.ts';

const CONNECTIONS = 64;
const MANY_CONNECTIONS = 512;
const WARM_SECONDS = 2;
/** What a commit waits in addition, as for a standby in another place. */
const SLOW_COMMIT_MICROS = 3000;
export const SETTINGS = ['shared_buffers=512MB', 'max_connections=200', 'max_wal_size=4GB'];

/** Submissions per second. */
type Contestant = () => Promise<number>;

export async function measurePostgres(effort: Effort): Promise<Finding[]> {
	await mkdir(WORK, { recursive: true });
	const address = (await startPostgres({ settings: SETTINGS, parent: WORK })).address();
	let made = 0;
	const newDatabase = () => makeDatabase(address, `bench_${++made}`);
	const { seconds } = effort;

	/** So many servers on a new database, which are sent to at the same time. */
	const servers = (count: number, connections: number) => async () => {
		const product = await openProduct('postgres', { FORMSRV_DATABASE_URL: await newDatabase() });
		return load(product, { count, connections, seconds });
	};

	const results = await inTurns(
		{
			pgbench: async () => pgbench(await newDatabase(), seconds),
			sqlite: async () => load(await openProduct(`sqlite-${++made}`), { count: 1, connections: CONNECTIONS, seconds }),
			one: servers(1, CONNECTIONS),
			'one of many': servers(1, MANY_CONNECTIONS),
			'two of many': servers(2, MANY_CONNECTIONS),
		},
		effort.rounds,
	);
	await slowCommits(address, SLOW_COMMIT_MICROS);
	const slow = await inTurns(
		{ one: servers(1, MANY_CONNECTIONS), two: servers(2, MANY_CONNECTIONS) },
		Math.ceil(effort.rounds / 2),
	);
	await slowCommits(address, 0);
	const what = 'Durable submissions per second in PostgreSQL';
	return [
		ratio(results, ['one', 'pgbench'], { what: `${what} ÷ pgbench, one insert each`, must: 1.5, aim: 2.4 }),
		ratio(results, ['one', 'sqlite'], { what: `${what} ÷ in SQLite`, must: 0.6, aim: 0.8 }),
		ratio(results, ['two of many', 'one of many'], { what: `${what}, two servers ÷ one`, must: 1.25, aim: 1.3 }),
		ratio(slow, ['two', 'one'], { what: `${what}, two servers ÷ one, commits of 3 ms`, must: 1.6, aim: 1.8 }),
	];
}

async function load(
	product: Product,
	{ count, connections, seconds }: { count: number; connections: number; seconds: number },
): Promise<number> {
	const started: Running[] = [];
	try {
		for (let i = 0; i < count; i++) started.push(await product.start());
		const { slug } = await product.createForm(started[0] as Running, 'Contact');
		const run = (duration: number) =>
			Promise.all(
				started.map((server) =>
					saturate(server, jsonPost(`/api/f/${slug}`), { connections: connections / count, seconds: duration }),
				),
			);
		await run(WARM_SECONDS);
		const loads = await run(seconds);
		if (loads.some(({ failed }) => failed > 0)) throw new Error('Submissions failed.');
		return loads.reduce((sum, { perSecond }) => sum + perSecond, 0);
	} finally {
		for (const server of started) await server.stop();
	}
}

/** PostgreSQL's own load generator with the same text, an index and one commit each. */
async function pgbench(address: string, seconds: number): Promise<number> {
	const sql = postgres(address, { max: 1 });
	await sql`create table s (id bigint primary key, form_id bigint not null, data text not null)`;
	await sql.end();
	const script = join(WORK, 'insert.sql');
	await Bun.write(script, `insert into s values ((random() * 9e18)::bigint, 7, '${JSON.stringify(CONTACT)}');\n`);
	const options = ['-n', '-M', 'prepared', '-f', script, '-c', `${CONNECTIONS}`, '-j', '2', '-T', `${seconds}`];
	const said = await Bun.$`pgbench ${options} ${address}`.quiet().text();
	return Number(/tps = ([\d.]+)/.exec(said)?.[1]);
}

async function slowCommits(address: string, micros: number): Promise<void> {
	const sql = postgres(address, { max: 1 });
	await sql.unsafe(`alter system set commit_delay = ${micros}`);
	await sql.unsafe('alter system set commit_siblings = 0');
	await sql`select pg_reload_conf()`;
	await sql.end();
}

async function inTurns(contestants: Record<string, Contestant>, rounds: number): Promise<Map<string, number[]>> {
	const results = new Map<string, number[]>(Object.keys(contestants).map((name) => [name, []]));
	for (let round = 0; round < rounds; round++)
		for (const [name, contest] of Object.entries(contestants)) results.get(name)?.push(await contest());
	return results;
}

function ratio(
	results: Map<string, number[]>,
	[a, b]: [string, string],
	target: { what: string; must: number; aim: number },
): Finding {
	const of = (name: string) => results.get(name) ?? [];
	const measured = median(of(a).map((value, round) => value / (of(b)[round] ?? Number.NaN)));
	return { ...target, better: 'higher', measured, detail: `${short(median(of(a)))}/s ÷ ${short(median(of(b)))}/s` };
}

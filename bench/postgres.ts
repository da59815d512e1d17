/** PostgreSQL: submissions against its own limit, against SQLite and with two servers. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { makeDatabase, startPostgres } from '../test/postgres-server.ts';
import { type LoadResult, saturate } from './load.ts';
import { databaseSeconds, type Running } from './processes.ts';
import { jsonPost, openProduct, type Product, WORK } from './product.ts';
import { type Finding, short } from './report.ts';
import { type Effort, median, WARM_SECONDS } from './rounds.ts';

const CONNECTIONS = 64;
const MANY_CONNECTIONS = 512;
/** Additional wait of a commit, as for a standby in another place. */
const SLOW_COMMIT_MICROS = 3000;
/** So many bodies of the mix: it takes 128 scripts at most. */
const PGBENCH_TEXTS = 100;
export const SETTINGS = ['shared_buffers=512MB', 'max_connections=200', 'max_wal_size=4GB'];

interface Result {
	perSecond: number;
	/** Processor time of one submission in all servers, and in the database, in microseconds. */
	server: number;
	database: number;
}

type Contestant = () => Promise<Result>;

export async function measurePostgres(effort: Effort): Promise<Finding[]> {
	await mkdir(WORK, { recursive: true });
	const database = await startPostgres({ settings: SETTINGS, parent: WORK });
	const address = database.address();
	const spent = () => databaseSeconds(database.pid());
	let made = 0;
	const newDatabase = () => makeDatabase(address, `bench_${++made}`);
	const { seconds } = effort;

	const open = async () => openProduct('postgres', { FORMSRV_DATABASE_URL: await newDatabase() });
	/** So many servers on a new database, which are sent to at the same time. */
	const servers = (count: number, connections: number) => async () =>
		load(await open(), { count, connections, seconds, spent });

	const results = await inTurns(
		{
			pgbench: async () => pgbench(await open(), { seconds, spent }),
			sqlite: async () =>
				load(await openProduct(`sqlite-${++made}`), { count: 1, connections: CONNECTIONS, seconds, spent }),
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

interface Turn {
	seconds: number;
	/** Processor time of the database so far, in seconds. */
	spent(): number;
}

async function load(
	product: Product,
	{ count, connections, seconds, spent }: Turn & { count: number; connections: number },
): Promise<Result> {
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
		const before = spent();
		const loads = await run(seconds);
		const after = spent();
		if (loads.some(({ failed }) => failed > 0)) throw new Error('Submissions failed.');
		const sum = (of: (load: LoadResult) => number) => loads.reduce((total, one) => total + of(one), 0);
		const stored = sum(({ good }) => good);
		return {
			perSecond: sum(({ perSecond }) => perSecond),
			server: sum(({ cpuMicros, good }) => cpuMicros * good) / stored,
			database: ((after - before) * 1e6) / stored,
		};
	} finally {
		for (const server of started) await server.stop();
	}
}

/**
 * PostgreSQL's own load generator, one commit each: such a row into the same table with its indexes, if its form is there, as
 * a foreign key would ask.
 */
async function pgbench(product: Product, { seconds, spent }: Turn): Promise<Result> {
	const server = await product.start();
	const { id } = await product.createForm(server, 'Contact');
	await server.stop();
	// In the order of time as ours are, and of no other client.
	const newId = '(extract(epoch from clock_timestamp()) * 1000000)::bigint * 64 + :client_id';
	const inserts = (jsonPost('').bodies ?? []).slice(0, PGBENCH_TEXTS).map(async (body, number) => {
		const script = join(WORK, `insert-${number}.sql`);
		const text = `insert into submissions (id, form_id, data, shape) select ${newId}, id, '${body.replaceAll("'", "''")}', 1
			from forms where id = ${Number.parseInt(id, 36)} and deleted_at is null for key share;`;
		await Bun.write(script, `${text.replaceAll(/\s+/g, ' ')}\n`);
		return ['-f', script];
	});
	const scripts = (await Promise.all(inserts)).flat();
	const options = ['-n', '-M', 'prepared', ...scripts, '-c', `${CONNECTIONS}`, '-j', '2', '-T', `${seconds}`];
	const before = spent();
	const said = await Bun.$`pgbench ${options} ${product.place}`.quiet().text();
	const perSecond = Number(/tps = ([\d.]+)/.exec(said)?.[1]);
	return { perSecond, server: 0, database: ((spent() - before) * 1e6) / (perSecond * seconds) };
}

async function slowCommits(address: string, micros: number): Promise<void> {
	const sql = postgres(address, { max: 1 });
	await sql.unsafe(`alter system set commit_delay = ${micros}`);
	await sql.unsafe('alter system set commit_siblings = 0');
	await sql`select pg_reload_conf()`;
	await sql.end();
}

async function inTurns(contestants: Record<string, Contestant>, rounds: number): Promise<Map<string, Result[]>> {
	const results = new Map<string, Result[]>(Object.keys(contestants).map((name) => [name, []]));
	for (let round = 0; round < rounds; round++)
		for (const [name, contest] of Object.entries(contestants)) results.get(name)?.push(await contest());
	return results;
}

function ratio(
	results: Map<string, Result[]>,
	[a, b]: [string, string],
	target: { what: string; must: number; aim: number },
): Finding {
	const of = (name: string, value: keyof Result) => (results.get(name) ?? []).map((result) => result[value]);
	const others = of(b, 'perSecond');
	const measured = median(of(a, 'perSecond').map((value, round) => value / (others[round] ?? Number.NaN)));
	const figures = (name: string) => {
		const [perSecond, server, database] = (['perSecond', 'server', 'database'] as const).map((value) =>
			short(median(of(name, value))),
		);
		return `${perSecond}/s (${server} + ${database} µs)`;
	};
	return { ...target, better: 'higher', measured, detail: `${figures(a)} ÷ ${figures(b)}` };
}

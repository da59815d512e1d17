/** PostgreSQL with a form of so many submissions: pages, searches and other reads; what exports, bulk changes and deletion do. */

import { mkdir } from 'node:fs/promises';
import { makeDatabase, type PostgresServer, startPostgres } from '../test/postgres-server.ts';
import { measureDeletion } from './deletion.ts';
import { measureExport } from './export.ts';
import { look, pagesOf } from './list.ts';
import { SETTINGS } from './postgres.ts';
import { isAnyStored, measureBulkChanges, query } from './postgres-bulk.ts';
import { databaseSeconds, type Running } from './processes.ts';
import { jsonPost, WORK } from './product.ts';
import { type Finding, short } from './report.ts';
import { median } from './rounds.ts';
import { type Stock, stock } from './stock.ts';

const SMALL_ROWS = 1000;
const PAGE = '/submissions?limit=50&';
/** One after the other, in each round. */
const PAGES_IN_A_ROW = 100;
const WARM_REQUESTS = 20;
const READS = 20;
const SEARCHES_OF_MANY = 7;
const RARE_WORD = 'Quetzalcoatl';

export async function measurePostgresReads(rows: number, rounds: number): Promise<Finding[]> {
	await mkdir(WORK, { recursive: true });
	const database = await startPostgres({ settings: SETTINGS, parent: WORK });
	const fill = async (name: string, count: number) => {
		const address = await makeDatabase(database.address(), name);
		const filled = await stock(name, count, { FORMSRV_DATABASE_URL: address });
		// As the database does by itself within a minute.
		await query(address, 'vacuum analyze');
		return filled;
	};
	return measureStocks(await fill('pg_small', SMALL_ROWS), await fill('pg_large', rows), { database, rounds });
}

/** Measures stocks; the one that changes the large stock comes last. */
export async function measureStocks(
	small: Stock,
	large: Stock,
	{ database, rounds }: { database: Pick<PostgresServer, 'pid'>; rounds: number },
): Promise<Finding[]> {
	const findings = [
		...(await measurePages(small, large, { database, rounds })),
		...(await measureReads(large)),
		...(await measureExport(large)),
		...(await measureBulkChanges(large)),
		...(await measureDeletion(large, () => isAnyStored(large))),
	];
	return findings.map((finding) => ({ ...finding, what: `PostgreSQL: ${finding.what}` }));
}

/** @param path Behind the form's address. */
async function get({ product, form }: Stock, server: Running, path: string): Promise<string> {
	const response = await fetch(`${server.url}/api/forms/${form.id}${path}`, { headers: product.authorization });
	if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
	return response.text();
}

async function timesOf(stock: Stock, server: Running, { path, count }: { path: string; count: number }) {
	const times: number[] = [];
	for (let i = 0; i < count; i++) {
		const began = performance.now();
		await get(stock, server, path);
		times.push(performance.now() - began);
	}
	return times;
}

/** Processor time of server and database for a page, which the other work of a machine changes less than the latency. */
async function measurePages(
	small: Stock,
	large: Stock,
	{ database, rounds }: { database: Pick<PostgresServer, 'pid'>; rounds: number },
): Promise<Finding[]> {
	const { total, middle } = await look(large);
	const pages = pagesOf(large, middle);
	const [smallServer, largeServer] = [await small.product.start(), await large.product.start()];
	const micros = new Map<string, number[]>();
	const latency = new Map<string, number[]>();

	async function take(name: string, stock: Stock, query = ''): Promise<void> {
		const server = stock === small ? smallServer : largeServer;
		const spent = async () => (await server.cpuSeconds()) + databaseSeconds(database.pid());
		await timesOf(stock, server, { path: PAGE + query, count: WARM_REQUESTS });
		const before = await spent();
		const times = await timesOf(stock, server, { path: PAGE + query, count: PAGES_IN_A_ROW });
		const add = (to: Map<string, number[]>, value: number) => to.set(name, [...(to.get(name) ?? []), value]);
		add(micros, ((await spent()) - before) * (1e6 / PAGES_IN_A_ROW));
		add(latency, median(times));
	}

	for (let round = 0; round < rounds; round++) {
		await take('small', small);
		await take('first', large);
		await take('last', large, `offset=${total - 50}`);
		for (const [name, query] of Object.entries(pages)) await take(name, large, query);
	}
	await smallServer.stop();
	await largeServer.stop();
	const of = (values: Map<string, number[]>, name: string) => values.get(name) ?? [];
	const ratio = (values: Map<string, number[]>, name: string) =>
		median(of(values, name).map((value, round) => value / (of(values, 'small')[round] ?? Number.NaN)));
	const dearest = Object.keys(pages).reduce((a, b) => (ratio(micros, b) > ratio(micros, a) ? b : a));
	const finding = (what: string, name: string, bounds: { must: number; aim: number }): Finding => ({
		what: `processor time of server and database per page, ${what} at ${short(large.rows)} ÷ first at ${short(small.rows)}`,
		...{ ...bounds, better: 'lower', measured: ratio(micros, name) },
		detail: `${short(median(of(micros, name)))} µs ÷ ${short(median(of(micros, 'small')))} µs; latency ${short(ratio(latency, name))}: ${short(median(of(latency, name)))} ms`,
	});
	return [
		finding('first', 'first', { must: 1.3, aim: 1.1 }),
		finding('last', 'last', { must: 4, aim: 2 }),
		finding(`any other (dearest: ${dearest})`, dearest, { must: 4, aim: 2 }),
	];
}

async function measureReads(large: Stock): Promise<Finding[]> {
	const server = await large.product.start();
	const { path, method, headers } = jsonPost(`/api/f/${large.form.slug}`);
	await fetch(server.url + path, { method, headers, body: JSON.stringify({ message: RARE_WORD }) });
	while (!(await get(large, server, `/submissions?search=${RARE_WORD}`)).includes('"total":1,')) await Bun.sleep(100);
	const newest = JSON.parse(await get(large, server, '/submissions?limit=1')) as {
		submissions: { createdAt: string }[];
	};
	const since = encodeURIComponent(newest.submissions[0]?.createdAt ?? '');

	async function finding(
		what: string,
		path: string,
		{ must, aim, count = READS }: { must: number; aim: number; count?: number },
	) {
		const times = await timesOf(large, server, { path, count });
		return {
			what: `${what}, ${short(large.rows)} submissions`,
			...{ better: 'lower' as const, must, aim, measured: median(times), unit: ' ms' },
			detail: `${short(Math.min(...times))} to ${short(Math.max(...times))} ms`,
		};
	}

	const quick = { must: 20, aim: 10 };
	const ofMany = { must: 1500, aim: 300, count: SEARCHES_OF_MANY };
	const findings = [
		await finding('search for a word that one has', `/submissions?search=${RARE_WORD}`, quick),
		await finding('search for a word that none has', '/submissions?search=absent-word', quick),
		await finding('search for three digits that every 250th has', '/submissions?search=345', { must: 100, aim: 40 }),
		await finding('search for a word that all have', '/submissions?search=website', ofMany),
		await finding('the same, unread', '/submissions?search=website&filter=unread', ofMany),
		await finding('the same, spam', '/submissions?search=website&filter=spam', ofMany),
		await finding(
			'the same from the middle on, by offset',
			`/submissions?search=website&offset=${large.rows / 2}`,
			ofMany,
		),
		await finding('counts of the form', '', quick),
		await finding('what arrived since the newest', `/submissions?order=asc&since=${since}`, quick),
		await finding('field names and total of spam', '/submissions?filter=spam&limit=1', quick),
		await finding('statistics of 30 days', '/stats', { must: 100, aim: 40 }),
		await finding('rules suggested for the fields', '/fields/suggestion', { must: 300, aim: 100 }),
	];
	await server.stop();
	return findings;
}

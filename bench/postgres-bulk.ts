/** Bulk changes of a large form in PostgreSQL: their time, submissions beside them, and whether all counts are right afterwards. */

import postgres from 'postgres';
import { COUNTED, COUNTERS, conditionOf, FILTERS } from '../src/storage/filters.ts';
import { sendAtRate } from './load.ts';
import { jsonPost } from './product.ts';
import { type Finding, short } from './report.ts';
import type { Stock } from './stock.ts';

const PER_SECOND = 1000;
const QUIET_MS = 5000;
/** The share of all submissions. */
const SHARE = 0.1;

export async function measureBulkChanges(large: Stock): Promise<Finding[]> {
	const { product, form, rows } = large;
	const server = await product.start();
	/** To the same form. */
	const load = (until: Promise<unknown>) =>
		sendAtRate(server, jsonPost(`/api/f/${form.slug}`), { perSecond: PER_SECOND, until });
	const headers = { ...product.authorization, 'Content-Type': 'application/json' };
	const address = `${server.url}/api/forms/${form.id}/submissions`;

	async function ask(method: string, path: string, body?: unknown): Promise<Record<string, number>> {
		const response = await fetch(address + path, { method, headers, body: JSON.stringify(body) });
		if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
		return (await response.json()) as Record<string, number>;
	}

	async function measure(what: string, act: () => Promise<Record<string, number>>): Promise<Finding> {
		await load(Bun.sleep(1000));
		const quiet = await load(Bun.sleep(QUIET_MS));
		const began = performance.now();
		const acting = act();
		const during = await load(acting);
		const seconds = (performance.now() - began) / 1000;
		if (during.failed > 0) throw new Error(`${during.failed} submissions failed.`);
		await checkCounts(large, server.url);
		const [[done, count] = []] = Object.entries(await acting);
		return {
			what: `99th percentile of submissions while many are ${what} ÷ without`,
			...{ better: 'lower', must: 3, aim: 1.5, measured: during.p99Ms / quiet.p99Ms },
			detail: `${short(during.p99Ms)} ms ÷ ${short(quiet.p99Ms)} ms at ${PER_SECOND}/s; ${done} ${count} in ${short(seconds)} s`,
		};
	}

	const offset = Math.floor(rows * SHARE);
	const { submissions } = (await ask('GET', `?order=asc&limit=1&offset=${offset}`)) as unknown as {
		submissions: { createdAt: string }[];
	};
	const target = { filter: 'all', until: submissions[0]?.createdAt };
	const findings = [
		await measure('marked', () => ask('PATCH', '', { ...target, set: { isStarred: true } })),
		await measure('marked as spam', () => ask('PATCH', '', { ...target, set: { isSpam: true } })),
		await measure('deleted', () => ask('POST', '/delete', { ...target, filter: 'spam' })),
	];
	await server.stop();
	return findings;
}

/** A form goes with the last of its submissions. To look for one would read all that were removed before, and hold up others. */
export async function isAnyStored({ product, form }: Stock): Promise<boolean> {
	return (await query(product.place, `select 1 from forms where id = ${idOf(form)}`)).length > 0;
}

/** @throws Error unless the totals of all filters, and the counts of all blocks, are those of a scan */
async function checkCounts({ product, form }: Stock, url: string): Promise<void> {
	for (const filter of FILTERS) {
		const address = `${url}/api/forms/${form.id}/submissions?limit=1&filter=${filter}`;
		const page = (await (await fetch(address, { headers: product.authorization })).json()) as {
			pagination: { total: number };
		};
		const [row] = await query(
			product.place,
			`select count(*) n from submissions where form_id = ${idOf(form)} and ${conditionOf({ filter })}`,
		);
		if (Number(row?.n) !== page.pagination.total)
			throw new Error(`${filter}: ${page.pagination.total} are told, ${row?.n} are stored.`);
	}
	const countsIn = (row: string) => COUNTERS.map((name) => `${row}.${name}`).join();
	const [row] = await query(
		product.place,
		`with blocks as (select b.*, lead(b.first_id, 1, f.folded_to) over (order by b.first_id) next_id
				from submission_blocks b join forms f on f.id = b.form_id where b.form_id = ${idOf(form)})
			select count(*) wrong from blocks b cross join lateral (select ${COUNTED} from submissions
				where form_id = b.form_id and id >= b.first_id and id < b.next_id) c
			where (${countsIn('b')}) <> (${countsIn('c')})`,
	);
	if (Number(row?.wrong) !== 0) throw new Error(`The counts of ${row?.wrong} blocks are wrong.`);
}

function idOf(form: Stock['form']): number {
	return Number.parseInt(form.id, 36);
}

export async function query(address: string, text: string): Promise<Record<string, unknown>[]> {
	const sql = postgres(address, { max: 1, fetch_types: false });
	try {
		return await sql.unsafe(text);
	} finally {
		await sql.end();
	}
}

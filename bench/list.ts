/** The list of submissions: cost of a page as the form grows. */

import { Database } from 'bun:sqlite';
import { createTimeline } from '../src/storage/timeline.ts';
import type { Form, Product } from './product.ts';
import { type Finding, short } from './report.ts';
import { compete, type Effort } from './rounds.ts';

const CONNECTIONS = 16;
const LIMIT = 50;

export interface Stock {
	product: Product;
	form: Form;
	rows: number;
}

/** Pages of all kinds: each filter and order, at the beginning, in the middle and at the end. */
function pagesOf({ product, form, rows }: Stock): Record<string, string> {
	using db = new Database(product.file, { readonly: true });
	const middle = db
		.query<{ id: number }, [number, number]>(
			'select id from submissions where form_id = ? order by id limit 1 offset ?',
		)
		.get(Number.parseInt(form.id, 36), Math.floor(rows / 2));
	const since = encodeURIComponent(createTimeline([]).isoOf(middle?.id ?? 0));
	const half = Math.floor(rows / 2);
	return {
		'middle page': `offset=${half}`,
		'oldest first': 'order=asc',
		'oldest first, middle page': `order=asc&offset=${half}`,
		unread: 'filter=unread',
		'unread, deep': `filter=unread&offset=${Math.floor(rows / 4)}`,
		'starred, deep, oldest first': `filter=starred&order=asc&offset=${Math.floor(rows / 200)}`,
		'spam, deep': `filter=spam&offset=${Math.floor(rows / 40)}`,
		'since the middle': `since=${since}`,
		'unread since the middle, deep': `filter=unread&since=${since}&offset=${Math.floor(rows / 10)}`,
	};
}

export async function measureLists(small: Stock, large: Stock, effort: Effort): Promise<Finding[]> {
	const contestant = (name: string, { product, form }: Stock, query = '') => ({
		name,
		connections: CONNECTIONS,
		open: async () => ({
			server: await product.start(),
			request: { path: `/api/forms/${form.id}/submissions?limit=${LIMIT}&${query}`, headers: product.authorization },
		}),
	});
	const visible = (await total(large)) - LIMIT;
	const pages = pagesOf(large);
	const results = await compete(
		[
			contestant('small', small),
			contestant('first', large),
			contestant('last', large, `offset=${visible}`),
			...Object.entries(pages).map(([name, query]) => contestant(name, large, query)),
		],
		effort,
	);
	const cpu = (name: string) => results.middle(name, 'cpuMicros');
	const worst = Object.keys(pages).reduce((a, b) => (cpu(b) > cpu(a) ? b : a));
	const rows = `at ${short(large.rows)} ÷ first page at ${short(small.rows)}`;
	const finding = (what: string, name: string, bounds: { must: number; aim: number }): Finding => ({
		what: `Processor time per page: ${what} ${rows}`,
		...{ ...bounds, better: 'lower', measured: results.ratio('cpuMicros', name, 'small') },
		detail: `${short(cpu(name))} µs ÷ ${short(cpu('small'))} µs; p50 ${short(results.middle(name, 'p50Ms'))} ms`,
	});
	return [
		finding('first page', 'first', { must: 1.15, aim: 1.06 }),
		finding('last page', 'last', { must: 3, aim: 1.6 }),
		finding(`any other (dearest: ${worst})`, worst, { must: 3, aim: 2 }),
	];
}

async function total({ product, form }: Stock): Promise<number> {
	const server = await product.start();
	const response = await fetch(`${server.url}/api/forms/${form.id}/submissions?limit=1`, {
		headers: product.authorization,
	});
	const { pagination } = (await response.json()) as { pagination: { total: number } };
	await server.stop();
	return pagination.total;
}

/** The list of submissions: what a page costs as the form grows. */

import { type Finding, short } from './report.ts';
import { compete, type Effort } from './rounds.ts';
import type { Stock } from './stock.ts';

const CONNECTIONS = 16;
const LIMIT = 50;

/** Pages of all kinds: each filter and order, at the beginning, in the middle and at the end. */
export function pagesOf({ rows }: Stock, middle: string): Record<string, string> {
	const since = encodeURIComponent(middle);
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

export interface ListPlan extends Effort {
	/** How much dearer pages of a large form may be: the first, and any other. */
	first: { must: number; aim: number };
	other: { must: number; aim: number };
}

export async function measureLists(
	small: Stock,
	large: Stock,
	{ first, other, ...effort }: ListPlan,
): Promise<Finding[]> {
	const contestant = (name: string, { product, form }: Stock, query = '') => ({
		name,
		connections: CONNECTIONS,
		open: async () => ({
			server: await product.start(),
			request: { path: `/api/forms/${form.id}/submissions?limit=${LIMIT}&${query}`, headers: product.authorization },
		}),
	});
	const { total, middle } = await look(large);
	const pages = pagesOf(large, middle);
	const results = await compete(
		[
			contestant('small', small),
			contestant('first', large),
			contestant('last', large, `offset=${total - LIMIT}`),
			...Object.entries(pages).map(([name, query]) => contestant(name, large, query)),
		],
		effort,
	);
	const middleOf = (name: string) => results.middle(name, 'cpuMicros');
	const worst = Object.keys(pages).reduce((a, b) => (middleOf(b) > middleOf(a) ? b : a));
	const rows = `at ${short(large.rows)} ÷ first page at ${short(small.rows)}`;
	const finding = (what: string, name: string, bounds: { must: number; aim: number }): Finding => ({
		what: `Processor time per page: ${what} ${rows}`,
		...{ ...bounds, better: 'lower', measured: results.ratio('cpuMicros', name, 'small') },
		detail: `${short(middleOf(name))} µs ÷ ${short(middleOf('small'))} µs; p50 ${short(results.middle(name, 'p50Ms'))} ms`,
	});
	return [
		finding('first page', 'first', first),
		finding('last page', 'last', other),
		finding(`any other (dearest: ${worst})`, worst, other),
	];
}

/** How many there are but spam, and the moment of the one in the middle. */
export async function look({ product, form, rows }: Stock): Promise<{ total: number; middle: string }> {
	const server = await product.start();
	const response = await fetch(
		`${server.url}/api/forms/${form.id}/submissions?limit=1&offset=${Math.floor(rows / 2)}`,
		{
			headers: product.authorization,
		},
	);
	const { pagination, submissions } = (await response.json()) as {
		pagination: { total: number };
		submissions: { createdAt: string }[];
	};
	await server.stop();
	return { total: pagination.total, middle: submissions[0]?.createdAt ?? '' };
}

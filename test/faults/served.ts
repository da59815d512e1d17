/** The running binary after a cut: what it counts, lists and finds is what its rows are. */

import { FILTERS, type Filter, type Flags } from '../../src/storage/filters.ts';
import { type FoundRow, SLUGS } from './history.ts';
import { type Service, WORDS } from './load.ts';

const LIMIT = 100;
const SETTLES_WITHIN_MS = 300_000;
const SHOWN: Record<Filter, (flags: Flags) => boolean> = {
	all: ({ isSpam, isPending }) => !isSpam && !isPending,
	unread: ({ isSpam, isPending, isRead }) => !isSpam && !isPending && !isRead,
	starred: ({ isSpam, isPending, isStarred }) => !isSpam && !isPending && isStarred,
	spam: ({ isSpam }) => isSpam,
	pending: ({ isPending }) => isPending,
};

interface Listed {
	submissions: { data: { n: number | string } }[];
	pagination: { total: number };
}

/** Compares until all is as it should be, or will not be: the search follows behind. @param rows All that there are, by time. Returns problems. */
export async function checkServed(service: Service, rows: readonly FoundRow[]): Promise<string[]> {
	for (const giveUpAt = performance.now() + SETTLES_WITHIN_MS; ; await Bun.sleep(500)) {
		const problems = await compareOnce(service, rows).catch((error: Error) => [error.message]);
		if (problems.length === 0 || performance.now() > giveUpAt) return problems;
	}
}

async function compareOnce({ baseUrl, key, forms }: Service, rows: readonly FoundRow[]): Promise<string[]> {
	const problems: string[] = [];
	async function read<Body>(path: string): Promise<Body> {
		const response = await fetch(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${key}` } });
		if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
		return (await response.json()) as Body;
	}
	function compare(what: string, got: unknown, wanted: unknown): void {
		if (`${got}` !== `${wanted}`) problems.push(`${what} is ${got} instead of ${wanted}`);
	}
	async function compareLast(path: string, expected: readonly FoundRow[]): Promise<void> {
		const list = await read<Listed>(`${path}&limit=${LIMIT}`);
		compare(`the total of ${path}`, list.pagination.total, expected.length);
		const newest = expected.slice(-LIMIT).toReversed();
		compare(
			path,
			list.submissions.map(({ data }) => Number(data.n)),
			newest.map(({ n }) => n),
		);
	}
	for (const slug of SLUGS) {
		const own = rows.filter((row) => row.slug === slug);
		const path = `/api/forms/${forms[slug]}`;
		const counts = await read<Record<string, number>>(path);
		for (const filter of FILTERS) {
			const shown = own.filter(SHOWN[filter]);
			const name = filter === 'all' ? 'submissionCount' : `${filter}Count`;
			compare(`${name} of ${slug}`, counts[name], shown.length);
			await compareLast(`${path}/submissions?filter=${filter}`, shown);
			for (const archived of [true, false])
				await compareLast(
					`${path}/submissions?filter=${filter}&archived=${archived}`,
					shown.filter(({ isArchived }) => isArchived === archived),
				);
		}
		for (const word of WORDS) {
			const holding = own
				.filter(SHOWN.all)
				.filter(({ fields }) => Object.values(fields).some((value) => `${value}`.includes(word)));
			await compareLast(`${path}/submissions?search=${encodeURIComponent(word)}`, holding);
		}
	}
	return problems;
}

/** Who hears of submissions: a receiver of webhook events, and a client that asks what is new all the time. */

import { until } from '../../until.ts';
import type { Servers } from './servers.ts';

const PAGE = 100;
/** So long a delivery takes, so that some are in flight at any time. */
const RECEIVING_MS = 3;

export interface Page {
	submissions: { createdAt: string; data: { mark: string } }[];
}

export type Receiver = ReturnType<typeof startReceiver>;

export function startReceiver() {
	/** How often the event of each mark arrived, under each id. */
	const arrivals = new Map<string, string[]>();
	const server = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			const { data } = (await request.json()) as { data: { submission: { data: { mark: string } } } };
			const { mark } = data.submission.data;
			const ids = arrivals.get(mark) ?? [];
			ids.push(request.headers.get('webhook-id') ?? '');
			arrivals.set(mark, ids);
			await Bun.sleep(RECEIVING_MS);
			return new Response();
		},
	});
	return { url: server.url.href, arrivals, stop: () => server.stop(true) };
}

export type Poller = ReturnType<typeof startPoller>;

/** It asks both servers in turns, from the newest moment that it saw. */
export function startPoller(servers: Servers) {
	const seen: string[] = [];
	let isOver = false;
	const path = `/api/forms/${servers.idOf('plain')}/submissions?order=asc&limit=${PAGE}`;

	async function poll(): Promise<void> {
		let since = '2020-01-01T00:00:00.000Z';
		for (let asked = 0; !isOver; asked++) {
			let newest = since;
			for (let offset = 0, isFull = true; isFull && !isOver; offset += PAGE) {
				const { submissions } = await servers.read<Page>(
					asked % servers.count,
					`${path}&since=${since}&offset=${offset}`,
				);
				for (const { data } of submissions) seen.push(data.mark);
				newest = submissions.at(-1)?.createdAt ?? newest;
				isFull = submissions.length === PAGE;
			}
			since = newest;
			await Bun.sleep(10);
		}
	}

	const polling = poll();

	return {
		seen,
		/** Waits for the newest submission; older ones do not come after it. */
		async hasSeen(mark: string): Promise<void> {
			await until(() => seen.includes(mark), { withinMs: 50_000 });
		},
		async stop(): Promise<void> {
			isOver = true;
			await polling;
		},
	};
}

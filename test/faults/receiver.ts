/** The receiver of webhook requests, which outlives the servers. */

import type { History } from './history.ts';

const RECEIVING_MS = 1;

export type Receiver = ReturnType<typeof startReceiver>;

export function startReceiver() {
	/** Ids of requests, by the number of a submission. */
	const arrivals = new Map<number, string[]>();
	let history: History | undefined;
	let position = () => 0;
	const server = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			const { data } = (await request.json()) as { data: { submission: { data: { n: number | string } } } };
			const n = Number(data.submission.data.n);
			const ids = arrivals.get(n) ?? [];
			ids.push(request.headers.get('webhook-id') ?? '');
			arrivals.set(n, ids);
			// Whoever was told may rely on it.
			const one = history?.get(n);
			if (one) one.stored = Math.min(one.stored, position());
			await Bun.sleep(RECEIVING_MS);
			return new Response();
		},
	});
	return {
		url: server.url.href,
		/** Forgets what arrived before. */
		listenFor(next: History): void {
			arrivals.clear();
			history = next;
		},
		setPosition(next: () => number): void {
			position = next;
		},
		hasArrived: (n: number) => arrivals.has(n),
		/** Requests beyond the first of a submission. */
		repeated: () => [...arrivals.values()].reduce((sum, ids) => sum + ids.length - 1, 0),
		/** Numbers of submissions that arrived under several ids. */
		mixed: () => [...arrivals].filter(([, ids]) => new Set(ids).size > 1).map(([n]) => n),
		stop: () => server.stop(true),
	};
}

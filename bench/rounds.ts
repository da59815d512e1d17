/** Fair comparison: contestants take turns while the others stand still, and the median of each one's rounds counts. */

import { type HttpRequest, type LoadResult, saturate } from './load.ts';
import type { Running } from './processes.ts';

export interface Contestant {
	name: string;
	server: Running;
	request: HttpRequest;
	connections: number;
}

export interface Effort {
	rounds: number;
	seconds: number;
}

export type Results = Record<string, LoadResult & { rounds: number }>;

/** @throws Error if a request fails: a fast refusal is no result. */
export async function compete(contestants: Contestant[], { rounds, seconds }: Effort): Promise<Results> {
	const all = new Map<string, LoadResult[]>(contestants.map(({ name }) => [name, []]));
	for (const { server } of contestants) server.pause();
	try {
		for (let round = -1; round < rounds; round++) {
			for (const { name, server, request, connections } of contestants) {
				server.resume();
				const result = await saturate(server, request, { connections, seconds: round < 0 ? 1 : seconds });
				server.pause();
				if (result.failed > 0) throw new Error(`${name}: ${result.failed} requests failed.`);
				all.get(name)?.push(result);
			}
		}
	} finally {
		for (const { server } of contestants) server.resume();
	}
	return Object.fromEntries([...all].map(([name, list]) => [name, summarise(list)]));
}

/** The first round only warms up, but what it sent was stored like the rest. */
function summarise(results: LoadResult[]): LoadResult & { rounds: number } {
	const counted = results.slice(1);
	const middle = (of: (result: LoadResult) => number) => median(counted.map(of));
	return {
		rounds: results.length,
		good: results.reduce((sum, { good }) => sum + good, 0),
		failed: 0,
		perSecond: middle(({ perSecond }) => perSecond),
		p50Ms: middle(({ p50Ms }) => p50Ms),
		p99Ms: middle(({ p99Ms }) => p99Ms),
		cpuMicros: middle(({ cpuMicros }) => cpuMicros),
	};
}

export function median(values: number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = Math.floor(sorted.length / 2);
	const upper = sorted[middle] ?? Number.NaN;
	return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

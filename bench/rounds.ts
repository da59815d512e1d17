/** Fair comparison: each program runs alone, in a process of its own, in turn; what counts is the median of each round's ratio. */

import { type HttpRequest, type LoadResult, saturate } from './load.ts';
import type { Running } from './processes.ts';

/** A program as it stands ready to be measured. */
export interface Entrant {
	server: Running;
	request: HttpRequest;
	/** Called when it was measured and does nothing any more: how many requests it answered well, and how many it may have taken besides. */
	check?(counts: { good: number; inFlight: number }): void;
}

export interface Contestant {
	name: string;
	/** Starts the program. Whatever stores begins with an empty file, unless what it holds is the question. */
	open(): Promise<Entrant>;
	connections: number;
}

export interface Effort {
	rounds: number;
	seconds: number;
}

/** What a load came to, and the memory that the program takes right after it. */
type TurnResult = LoadResult & { rssMiB: number };

export type Measure = 'perSecond' | 'cpuMicros' | 'p50Ms' | 'p99Ms' | 'rssMiB';

export type Results = Awaited<ReturnType<typeof compete>>;

/** Until the engine has compiled what runs often. */
const WARM_SECONDS = 2;

/** @throws Error if a request fails: a fast refusal is no result. */
export async function compete(contestants: Contestant[], { rounds, seconds }: Effort) {
	const all = new Map<string, TurnResult[]>(contestants.map(({ name }) => [name, []]));
	for (let round = 0; round < rounds; round++) {
		for (const contestant of contestants) all.get(contestant.name)?.push(await takeTurn(contestant, seconds));
	}
	const valuesOf = (name: string, measure: Measure) => {
		const results = all.get(name);
		if (!results) throw new Error(`${name} was not measured.`);
		return results.map((result) => result[measure]);
	};
	return {
		/** The median of all rounds. */
		middle: (name: string, measure: Measure) => median(valuesOf(name, measure)),
		/** The median of what each round says of one and another. */
		ratio(measure: Measure, a: string, b: string): number {
			const others = valuesOf(b, measure);
			return median(valuesOf(a, measure).map((value, round) => value / (others[round] ?? Number.NaN)));
		},
	};
}

async function takeTurn({ name, open, connections }: Contestant, seconds: number): Promise<TurnResult> {
	const { server, request, check } = await open();
	try {
		const warm = await saturate(server, request, { connections, seconds: WARM_SECONDS });
		const result = await saturate(server, request, { connections, seconds });
		const { rss: rssMiB } = await server.memory();
		const failed = warm.failed + result.failed;
		if (failed > 0) throw new Error(`${name}: ${failed} requests failed.`);
		// Work that is left over, such as the search index, would be in the way of whoever comes next.
		await server.untilIdle();
		check?.({ good: warm.good + result.good, inFlight: 2 * connections });
		return { ...result, rssMiB };
	} finally {
		await server.stop();
	}
}

export function median(values: number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = Math.floor(sorted.length / 2);
	const upper = sorted[middle] ?? Number.NaN;
	return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Fair comparison: the programs run in turns, each alone in its own process; the result is the median of the rounds' ratios. */

import { type HttpRequest, type LoadResult, saturate } from './load.ts';
import type { Running } from './processes.ts';
import { short } from './report.ts';

/** A program that is ready to be measured. */
export interface Entrant {
	server: Running;
	request: HttpRequest;
	/** Called after the measurement, with the number of good responses and of requests in flight at its end. */
	check?(counts: { good: number; inFlight: number }): void;
}

export interface Contestant {
	name: string;
	/** Starts the program, with an empty file unless its content is what is measured. */
	open(): Promise<Entrant>;
	connections: number;
}

export interface Effort {
	rounds: number;
	seconds: number;
}

/** The result of a load, and the program's memory right after it. */
type TurnResult = LoadResult & { rssMiB: number };

export type Measure = 'perSecond' | 'cpuMicros' | 'p50Ms' | 'p99Ms' | 'rssMiB';

export type Results = Awaited<ReturnType<typeof compete>>;

/** Until the engine has compiled the hot code: after two seconds that still takes a twentieth of the time, after four a hundredth. */
export const WARM_SECONDS = 4;

/** @throws Error if a request fails: fast errors are no result. */
export async function compete(contestants: Contestant[], { rounds, seconds }: Effort) {
	const all = new Map<string, TurnResult[]>(contestants.map(({ name }) => [name, []]));
	for (let round = 0; round < rounds; round++) {
		for (const contestant of contestants) {
			const result = await takeTurn(contestant, seconds);
			all.get(contestant.name)?.push(result);
			const figures = `${short(result.perSecond)}/s, ${short(result.cpuMicros)} µs`;
			console.error(`round ${round + 1} of ${rounds}: ${contestant.name} ${figures}`);
		}
	}
	const valuesOf = (name: string, measure: Measure) => {
		const results = all.get(name);
		if (!results) throw new Error(`${name} was not measured.`);
		return results.map((result) => result[measure]);
	};
	return {
		/** The median of all rounds. */
		middle: (name: string, measure: Measure) => median(valuesOf(name, measure)),
		/** The median of the rounds' ratios of two programs. */
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
		// Background work, such as indexing, would disturb the next program.
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

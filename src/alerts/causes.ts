/** The problems that an operator is alerted to: the findings, and a few that need a look over time. */

import { statfsSync } from 'node:fs';
import type { Events } from '../events.ts';
import type { Clock } from '../storage/contract.ts';
import type { Findings } from '../storage/findings.ts';
import { HOUR_MS } from '../tasks/durations.ts';
import { formatCount } from '../text/plural.ts';

/** A disk with a smaller free share is a cause. */
const LEAST_FREE_SHARE = 0.1;
/** How long something that happened at one moment counts as present. */
const AFTERMATH_MS = HOUR_MS;

export interface Cause {
	name: string;
	/** Says what happened, what it means and what to do; holds nothing that a visitor sent. */
	problem: string;
}

interface CauseSources {
	events: Pick<Events, 'subscribe'>;
	findings: Pick<Findings, 'list'>;
	clock: Pick<Clock, 'report'>;
	/** Folders on this machine whose disks are watched. */
	folders: readonly string[];
	/** Milliseconds that pass, whatever the clock does. */
	elapsed?: () => number;
}

/** @returns `present`, which looks for the causes there are, and how to stop */
export function watchCauses({ events, findings, clock, folders, elapsed = () => performance.now() }: CauseSources) {
	const never = Number.NEGATIVE_INFINITY;
	const failed = { count: 0, lastAt: never };
	const step = { seen: clock.report().latest, at: never };
	const isRecent = (at: number) => elapsed() - at < AFTERMATH_MS;

	const stop = events.subscribe(['delivery'], ({ state }) => {
		if (state !== 'failed') return;
		failed.count = isRecent(failed.lastAt) ? failed.count + 1 : 1;
		failed.lastAt = elapsed();
	});

	function clockProblem(): string | null {
		const { problem, latest } = clock.report();
		if (latest !== step.seen) Object.assign(step, { seen: latest, at: elapsed() });
		return problem ?? (isRecent(step.at) ? latest : null);
	}

	return {
		stop,
		present(): Cause[] {
			const found: Cause[] = findings.list().map(({ name, problem }) => ({ name, problem }));
			if (isRecent(failed.lastAt)) {
				const problem = `Deliveries were given up: ${formatCount(failed.count)}. The dashboard lists and retries them (Deliveries), as does "formsrv deliveries".`;
				found.push({ name: 'deliveries', problem });
			}
			const low = folders.find((folder) => freeShare(folder) < LEAST_FREE_SHARE);
			if (low !== undefined) {
				found.push({ name: 'diskLow', problem: `Less than 10 % of the disk of ${low} is free. Make room on it.` });
			}
			const problem = clockProblem();
			if (problem !== null) found.push({ name: 'clock', problem });
			return found;
		},
	};
}

/** From 0 to 1; 1 where the disk cannot be measured. */
function freeShare(folder: string): number {
	try {
		const { bavail, blocks } = statfsSync(folder);
		return blocks === 0 ? 1 : bavail / blocks;
	} catch {
		return 1;
	}
}

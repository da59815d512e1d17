/** The figures of many lives. */

import type { Life } from './chain.ts';

export function createTally() {
	const ends = new Map<string, number>();
	const faults = new Map<string, number>();
	const statuses = new Map<number, number>();
	let runs = 0;
	let cuts = 0;
	let acknowledged = 0;

	const list = (counts: ReadonlyMap<string | number, number>) =>
		[...counts].map(([name, count]) => `${name} ${count}`).join(', ');

	return {
		runs: () => runs,
		add(life: Life): void {
			runs++;
			cuts += life.cuts;
			acknowledged += life.acknowledged;
			ends.set(life.end, (ends.get(life.end) ?? 0) + 1);
			for (const [fault, count] of life.faults) faults.set(fault, (faults.get(fault) ?? 0) + count);
			for (const [status, count] of life.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
		},
		sentence: () =>
			`${runs} servers (${list(ends)}), ${cuts} further cuts of their recordings, ${acknowledged} acknowledged, ` +
			`nothing lost, doubled or changed. Injected: ${list(faults)}. Responses: ${list(statuses)}.`,
	};
}

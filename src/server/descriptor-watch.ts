/** Watches how many descriptors the process has left: without one, no connection is accepted, and nothing would say so. */

import { readdirSync, readFileSync } from 'node:fs';
import type { Findings } from '../storage/findings.ts';
import { repeat } from '../tasks/repeat.ts';

const LOOK_EVERY_MS = 2000;
/** The share of the limit that is left when it becomes a finding. */
const LEAST_FREE_SHARE = 0.1;

/** @returns how to stop */
export function startDescriptorWatch(findings: Pick<Findings, 'set' | 'clear'>): () => Promise<void> {
	if (process.platform !== 'linux') return async () => {};
	const look = async () => {
		const { used, limit } = count();
		if (used <= limit * (1 - LEAST_FREE_SHARE)) findings.clear('descriptors');
		else findings.set('descriptors', used < limit ? `${used} of ${limit} are in use.` : 'All are in use.');
		return LOOK_EVERY_MS;
	};
	return repeat(look, LOOK_EVERY_MS).stop;
}

/** To count them takes one: if there is none, all are in use. */
function count(): { used: number; limit: number } {
	try {
		const used = readdirSync('/proc/self/fd').length;
		const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
		return { used, limit: Number(limit ?? Number.POSITIVE_INFINITY) };
	} catch (error) {
		return { used: (error as { code?: string }).code === 'EMFILE' ? 1 : 0, limit: 1 };
	}
}

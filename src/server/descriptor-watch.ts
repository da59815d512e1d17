/** Watches how many descriptors the process has left: without one, no connection is accepted, and nothing would say so. */

import { countDescriptors } from '../storage/descriptors.ts';
import type { Findings } from '../storage/findings.ts';
import { repeat } from '../tasks/repeat.ts';

const LOOK_EVERY_MS = 2000;
/** The share of the limit that is left when it becomes a finding. */
const LEAST_FREE_SHARE = 0.1;

/** @returns how to stop */
export function startDescriptorWatch(findings: Pick<Findings, 'set' | 'clear'>): () => Promise<void> {
	const look = async () => {
		const { used, limit } = countDescriptors();
		if (used <= limit * (1 - LEAST_FREE_SHARE)) findings.clear('descriptors');
		else findings.set('descriptors', used < limit ? `${used} of ${limit} are in use.` : 'All are in use.');
		return LOOK_EVERY_MS;
	};
	return repeat(look, LOOK_EVERY_MS).stop;
}

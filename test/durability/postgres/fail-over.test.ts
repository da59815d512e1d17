/** Two servers on a PostgreSQL whose primary is lost: the standby is promoted, and they go on by themselves. */

import { expect, test } from 'bun:test';
import { startPair } from './pair.ts';
import { FAULTS, REQUESTS_AT_ONCE, runTrial, TIMEOUT_MS } from './trial.ts';

const PER_FAULT = 150;
const AGAIN_WITHIN_MS = 2000;

test.each([
	{ lost: 'killed', signal: 'SIGKILL' },
	// The servers find out that it is silent, and look for another.
	{ lost: 'hanging', signal: 'SIGSTOP' },
] as const)(
	`when the primary is $lost and the standby promoted, nothing is lost or doubled, and storing goes on within ${AGAIN_WITHIN_MS} ms`,
	async ({ lost, signal }) => {
		const pair = await startPair();
		let current = pair.primary;
		try {
			await runTrial(`primary ${lost}`, {
				address: () => current.address(),
				through: (database) => [pair.address(database), pair.address(database)],
				async disturb(_servers, load) {
					await load.goOn(FAULTS * PER_FAULT);
					pair.signalPrimary(signal);
					current = pair.standby;
					await pair.promote();
					const since = performance.now();
					await load.writesAgain(since);
					const tookMs = performance.now() - since;
					if (process.env.FAULTS) console.info('writing again after ms', Math.round(tookMs));
					expect(tookMs).toBeLessThan(AGAIN_WITHIN_MS);
					await load.goOn(FAULTS * PER_FAULT);
					// Those in flight at the server that led, and at its successor if it lost the lead.
					return 2 * REQUESTS_AT_ONCE;
				},
			});
		} finally {
			await pair.close();
		}
	},
	TIMEOUT_MS,
);

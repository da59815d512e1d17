/** Two servers on a PostgreSQL whose primary is lost: the standby is promoted, and they go on by themselves. */

import { expect, test } from 'bun:test';
import { startPair } from './pair.ts';
import { FAULTS, REQUESTS_AT_ONCE, runTrial, TIMEOUT_MS } from './trial.ts';

const PER_FAULT = 500;
const WRITES_AGAIN_WITHIN_MS = 2000;

test(
	'when the primary is killed and the standby promoted, nothing is lost or doubled, and storing goes on within two seconds',
	async () => {
		const pair = await startPair();
		let current = pair.primary;
		try {
			await runTrial('fail-over', {
				address: () => current.address(),
				through: (database) => [pair.address(database), pair.address(database)],
				async disturb(_servers, load) {
					await load.goOn(FAULTS * PER_FAULT);
					pair.killPrimary();
					current = pair.standby;
					const since = performance.now();
					await pair.promote();
					await load.writesAgain(since);
					const tookMs = performance.now() - since;
					if (process.env.FAULTS) console.info('writing again after ms', Math.round(tookMs));
					expect(tookMs).toBeLessThan(WRITES_AGAIN_WITHIN_MS);
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

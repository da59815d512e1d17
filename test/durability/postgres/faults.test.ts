/** Two servers on PostgreSQL, of which one is killed, or which do not get their answers, or whose clocks differ. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type PostgresServer, startPostgres } from '../../postgres-server.ts';
import { withProgram } from '../../programs.ts';
import { startTcpProxy } from '../../tcp-proxy.ts';
import { FAULTS, REQUESTS_AT_ONCE, runTrial, TIMEOUT_MS } from './trial.ts';

const PER_FAULT = 150;
/** Between two kills: up to so many submissions. */
const BETWEEN_KILLS = 300;
const SWALLOWED_SHARE = 0.03;
const SWALLOWED_PER_FAULT = 50;
const faketime = withProgram('faketime');

let database: PostgresServer;
beforeAll(async () => {
	database = await startPostgres();
}, 60_000);
afterAll(() => database.stop('immediate'));

const address = () => database.address();

test(
	`nothing is lost or doubled when one of the servers is killed ${FAULTS} times`,
	async () => {
		await runTrial('kills', {
			address,
			async disturb(servers, load) {
				for (let kills = 0; kills < FAULTS; kills++) {
					await load.goOn(Math.ceil(Math.random() * BETWEEN_KILLS));
					await servers.kill(kills % servers.count);
				}
				return FAULTS * REQUESTS_AT_ONCE;
			},
		});
	},
	TIMEOUT_MS,
);

test(
	'nothing is lost or doubled when three of a hundred answers of the database are lost on their way',
	async () => {
		const proxies = [await startTcpProxy(address()), await startTcpProxy(address())] as const;
		let swallowed = 0;
		const decide = () => {
			const isSwallowed = Math.random() < SWALLOWED_SHARE;
			if (isSwallowed) swallowed++;
			return isSwallowed;
		};
		try {
			await runTrial('swallowed answers', {
				address,
				through: (name) => [`${new URL(name, proxies[0].address)}`, `${new URL(name, proxies[1].address)}`],
				async disturb(_servers, load) {
					for (const proxy of proxies) proxy.swallow(decide);
					while (swallowed < FAULTS * SWALLOWED_PER_FAULT) await load.goOn(1);
					for (const proxy of proxies) proxy.swallow(() => false);
					expect(load.said.acknowledged.size).toBeGreaterThan(0);
					return swallowed;
				},
			});
		} finally {
			for (const proxy of proxies) await proxy.close();
		}
	},
	TIMEOUT_MS,
);

faketime.test(
	'nothing is lost or doubled when the clocks of the servers are half a second apart',
	async () => {
		const shifted = (seconds: string) => [faketime.path, '--exclude-monotonic', '-f', seconds];
		await runTrial('clocks apart', {
			address,
			prefixes: [shifted('-0.25s'), shifted('+0.25s')],
			async disturb(_servers, load) {
				await load.goOn(FAULTS * PER_FAULT);
				return 0;
			},
		});
	},
	TIMEOUT_MS,
);

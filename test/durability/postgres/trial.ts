/** One trial: two servers under load on a new database, whatever is done to them meanwhile, and what has to hold afterwards. */

import { makeDatabase } from '../../postgres-server.ts';
import { expectAgreement } from './agreement.ts';
import { type Load, startLoad } from './load.ts';
import { type Servers, startServers } from './servers.ts';
import { startPoller, startReceiver } from './witnesses.ts';

/** How many faults there are, or how much load: more find more. */
export const FAULTS = Number(process.env.FAULTS ?? 4);
export const TIMEOUT_MS = 60_000 + FAULTS * 10_000;
/** Attempts in flight to one webhook. */
export const REQUESTS_AT_ONCE = 2;

const BEFORE = 200;

let databases = 0;

export interface Trial {
	/** Address of the database's server, through which the outcome is read. */
	address(): string;
	/** As each server sees the database; as it is without this. */
	through?(database: string): readonly [string, string];
	prefixes?: readonly string[][];
	/** Called under load. @returns how many deliveries may have arrived twice by it */
	disturb(servers: Servers, load: Load): Promise<number>;
}

export async function runTrial(name: string, { address, through, prefixes, disturb }: Trial): Promise<void> {
	const database = `trial_${++databases}`;
	const made = await makeDatabase(address(), database);
	const receiver = startReceiver();
	const servers = await startServers(through?.(database) ?? [made, made], { webhook: receiver.url, prefixes });
	const load = startLoad(servers);
	const poller = startPoller(servers);
	try {
		await load.goOn(BEFORE);
		const mayRepeat = await disturb(servers, load);
		await load.goOn(BEFORE);
		await load.stop();
		const now = new URL(address());
		now.pathname = `/${database}`;
		const figures = await expectAgreement({ address: now.href, servers, load, poller, receiver, mayRepeat });
		if (process.env.FAULTS || process.env.DRILL_SECONDS) console.info(name, figures);
	} finally {
		await load.stop();
		await poller.stop();
		await servers.stop();
		await receiver.stop();
	}
}

/** The waiting deliveries of a database, read without opening it for a server. */

import { type OutboxReport, PAUSES_SQL, toReport, WAITING_SQL } from '../pauses.ts';
import { createTimeline } from '../timeline.ts';
import { readClockSteps } from './clock.ts';
import { openReadConnection } from './connection.ts';

/** The database is of this version. */
export function readOutbox(file: string): OutboxReport {
	const client = openReadConnection(file);
	try {
		const { millisOf } = createTimeline(readClockSteps(client));
		const stored = client.query(PAUSES_SQL).values() as [string, string][];
		return toReport(client.query(WAITING_SQL).values() as [string, number, number][], { stored, millisOf });
	} finally {
		client.close();
	}
}

/** Holds what waits in the outbox of a copy that is to become a database: it may have been sent since the copy was made. */

import { Database } from 'bun:sqlite';
import { PAUSE_PREFIX } from '../pauses.ts';
import { syncToDisk } from './sync.ts';

/** The copy may be of any version. @returns how many there are */
export function holdDeliveries(file: string, reason: string): number {
	const client = new Database(file, { readwrite: true });
	try {
		const hold =
			"update deliveries set state = 'held', next_attempt_at = null, last_error = ? where state in ('waiting', 'sending')";
		const { changes } = client.run(hold, [reason]);
		const hasValues = client.query("select 1 from sqlite_schema where name = 'server_values'").values().length > 0;
		if (hasValues) client.run(`delete from server_values where name like '${PAUSE_PREFIX}%'`);
		return changes;
	} finally {
		client.close();
		syncToDisk(file);
	}
}

/** A row of `server_values`; `undefined` if there is none, or the copy is older than the table. */
export function readServerValue(file: string, name: string): string | undefined {
	const client = new Database(file, { readonly: true });
	try {
		return client.query('select value from server_values where name = ?').values(name)[0]?.[0] as string | undefined;
	} catch {
		return undefined;
	} finally {
		client.close();
	}
}

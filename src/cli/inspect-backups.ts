/** The part of `formsrv doctor` on backups: when the last one was made, from the place where they are. */

import { INSTALLATION, installationId } from '../backup/names.ts';
import { openPlace } from '../backup/place.ts';
import { besideDatabase, lastIn, OVERDUE_AFTER_MS } from '../backup/schedule.ts';
import type { Config } from '../config.ts';
import { databaseAt, isFile } from '../storage/open.ts';
import { HOUR_MS } from '../tasks/durations.ts';
import type { Finding } from './doctor.ts';

/** @param isReadable False if there is no database of this version */
export async function inspectBackups(config: Config, isReadable: boolean): Promise<Finding[]> {
	const { to, everyMs } = config.backup;
	if (!to) return [];
	const subject = 'backup';
	const place = await openPlace(to, besideDatabase(config));
	try {
		const database = await databaseAt(config.database);
		const id = isReadable ? installationId(await database.serverValue(INSTALLATION)) : undefined;
		const now = Date.now();
		const { at = 0, text } = await lastIn(place, { ...config, id, now });
		const found = `${text}, in ${place.name}`;
		const isOverdue = everyMs !== null && now - at > everyMs + OVERDUE_AFTER_MS;
		const dump = isFile(config.database) ? '' : '; make the dump by pg_dump --format=custom';
		const problem = `Overdue, as FORMSRV_BACKUP_EVERY is ${everyMs === null ? '' : `${everyMs / HOUR_MS}h`}: ${found}. The server, while it runs, makes the backup and says why not${dump}.`;
		return [{ subject, found, ...(isOverdue && { problem }) }];
	} catch (error) {
		return [{ subject, found: 'unknown', problem: (error as Error).message }];
	}
}

/** The part of `formsrv doctor` on backups: when the last one was made, from the place where they are. */

import { INSTALLATION, installationId } from '../backup/names.ts';
import { openPlace } from '../backup/place.ts';
import { besideDatabase, lastIn, OVERDUE_AFTER_MS } from '../backup/schedule.ts';
import type { Config } from '../config.ts';
import { databaseFileAt, isFile } from '../storage/open.ts';
import type { Finding } from './doctor.ts';

/** @param isReadable False if there is no database of this version */
export async function inspectBackups(config: Config, isReadable: boolean): Promise<Finding[]> {
	const { to, everyMs } = config.backup;
	if (!to) return [];
	const subject = 'backup';
	const place = await openPlace(to, besideDatabase(config));
	try {
		const isKnown = isReadable && isFile(config.database);
		const id = isKnown ? installationId(databaseFileAt(config.database).serverValue(INSTALLATION)) : undefined;
		const now = Date.now();
		const lastAt = await lastIn(place, { ...config, id, now });
		const kind = isFile(config.database) ? 'backup' : 'dump of PostgreSQL';
		const found = `${lastAt === undefined ? `no ${kind} yet` : `the last ${kind} is of ${new Date(lastAt).toISOString()}`}, in ${place.name}`;
		const isOverdue = everyMs !== null && now - (lastAt ?? 0) > everyMs + OVERDUE_AFTER_MS;
		const problem = `Overdue, as FORMSRV_BACKUP_EVERY is ${everyMs === null ? '' : `${everyMs / 3_600_000}h`}: ${found}. ${isFile(config.database) ? 'The server, while it runs, makes it and says why not' : 'Make it by pg_dump --format=custom'}.`;
		return [{ subject, found, ...(isOverdue && { problem }) }];
	} catch (error) {
		return [{ subject, found: 'unknown', problem: (error as Error).message }];
	}
}

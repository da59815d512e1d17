/** Health and settings of the server, for its operator. */

import type { Config } from '../../config.ts';
import type { Dispatch } from '../../delivery/dispatch.ts';
import type { DeliveryList } from '../../delivery/schema.ts';
import type { DiskUse } from '../../storage/database.ts';
import type { Storage } from '../../storage/storage.ts';
import type { DeliveryState, Mode } from '../../storage/tables.ts';
import { VERSION } from '../../version.ts';
import type { Status } from './schema.ts';

interface StatusSources {
	config: Pick<Config, 'mailFrom' | 'settings'>;
	dispatch: Pick<Dispatch, 'deliveries'>;
	storage: Pick<Storage, 'clock' | 'disk' | 'findings'>;
}

export async function readStatus({ config, dispatch, storage }: StatusSources, mode: Mode): Promise<Status> {
	const inState = (state: DeliveryState) =>
		dispatch.deliveries.list({}, { mode, readQuery: () => ({ state, limit: 1, offset: 0 }) });
	const [waiting, failed] = await Promise.all([inState('waiting'), inState('failed')]);
	const clock = storage.clock.report();
	const disk = await storage.disk();
	const problems = storage.findings.list();
	return {
		version: VERSION,
		uptimeSeconds: Math.floor(process.uptime()),
		database: { sizeBytes: disk.sizeBytes, walBytes: disk.walBytes, freeBytes: disk.freeBytes },
		settings: config.settings.map((setting) => ({ ...setting })),
		mail: { configured: waiting.mail.isSet, from: config.mailFrom },
		queue: { waiting: waiting.pagination.total, failed: failed.pagination.total },
		clock,
		problems: problems.map(({ name, problem, since }) => ({ name, problem, since: new Date(since).toISOString() })),
		health: problems.map(({ problem }) => problem).join(' ') || (healthOf(disk, waiting.mail) ?? clock.problem ?? 'ok'),
	};
}

function healthOf({ freeBytes, neededBytes }: DiskUse, { heldReason }: DeliveryList['mail']): string | null {
	if (freeBytes < neededBytes) return 'The disk of the database is almost full.';
	if (heldReason !== null) return `The mail server does not accept mail: ${heldReason}`;
	return null;
}

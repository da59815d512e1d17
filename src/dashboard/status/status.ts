/** Health and settings of the server, for its operator. */

import { and, desc, eq, gt, isNull } from 'drizzle-orm';
import type { Backups } from '../../backup/schedule.ts';
import { VERSION } from '../../config/version.ts';
import type { Config } from '../../config.ts';
import type { Dispatch } from '../../delivery/dispatch.ts';
import { encodeId } from '../../ids.ts';
import type { Storage } from '../../storage/contract.ts';
import type { DiskUse } from '../../storage/database.ts';
import { LEAST_INODES } from '../../storage/disk-room.ts';
import { type DeliveryState, forms, type Mode } from '../../storage/tables.ts';
import type { Status } from './schema.ts';

/** Forms that are named with the size of their files. */
const LARGEST = 10;

interface StatusSources {
	backups: Pick<Backups, 'report'>;
	config: Pick<Config, 'files' | 'mailFrom' | 'settings'>;
	dispatch: Pick<Dispatch, 'deliveries'>;
	storage: Pick<Storage, 'clock' | 'db' | 'disk' | 'findings' | 'submissions'>;
}

export async function readStatus({ backups, config, dispatch, storage }: StatusSources, mode: Mode): Promise<Status> {
	const inState = (state: DeliveryState) =>
		dispatch.deliveries.list({}, { mode, readQuery: () => ({ state, limit: 1, offset: 0 }) });
	const [waiting, failed] = await Promise.all([inState('waiting'), inState('failed')]);
	const clock = storage.clock.report();
	const { sizeBytes, walBytes, disk } = await storage.disk();
	const problems = storage.findings.list();
	// A test key learns nothing about live forms, such as where their webhooks are.
	const detailOf = (detail: unknown) => (mode === 'live' && typeof detail === 'string' ? detail : null);
	const { quota, formQuota } = config.files;
	return {
		version: VERSION,
		uptimeSeconds: Math.floor(process.uptime()),
		database: { sizeBytes, walBytes, freeBytes: disk?.free.bytes ?? null, freeInodes: freeInodes(disk) },
		files: {
			usedBytes: await storage.submissions.fileBytes(),
			quotaBytes: quota,
			formQuotaBytes: formQuota,
			forms: await largestForms(storage, mode),
		},
		settings: config.settings.map((setting) => ({ ...setting })),
		mail: { configured: waiting.mail.isSet, from: config.mailFrom },
		queue: { waiting: waiting.pagination.total, failed: failed.pagination.total },
		clock,
		backup: backups.report(),
		problems: problems.map(({ name, problem, detail, since }) => ({
			name,
			problem,
			detail: detailOf(detail),
			since: new Date(since).toISOString(),
		})),
		health: problems.map(({ problem }) => problem).join(' ') || (healthOf(disk) ?? clock.problem ?? 'ok'),
	};
}

/** Those whose files take the most. */
async function largestForms({ db }: Pick<Storage, 'db'>, mode: Mode): Promise<Status['files']['forms']> {
	const rows = await db
		.select({ id: forms.id, slug: forms.slug, usedBytes: forms.fileBytes })
		.from(forms)
		.where(and(eq(forms.mode, mode), gt(forms.fileBytes, 0), isNull(forms.deletedAt)))
		.orderBy(desc(forms.fileBytes))
		.limit(LARGEST);
	return rows.map((row) => ({ ...row, id: encodeId(row.id) }));
}

function freeInodes(disk: DiskUse['disk']): number | null {
	return disk && Number.isFinite(disk.free.inodes) ? disk.free.inodes : null;
}

function healthOf(disk: DiskUse['disk']): string | null {
	if (disk && (disk.free.bytes < disk.neededBytes || disk.free.inodes < LEAST_INODES))
		return 'The disk of the database is almost full.';
	return null;
}

/** What a server does for attached files besides storing them: tidies, sweeps, and looks whether there is room. */

import { desc } from 'drizzle-orm';
import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import { forms } from '../storage/tables.ts';
import { sweepFiles } from './sweep.ts';
import type { TrackedStore } from './tracked-store.ts';

/** Of the quota: the owner is to notice before files are rejected. */
export const NEARLY_FULL = 0.9;

interface FileMaintenanceOptions {
	store: TrackedStore;
	/** In bytes, in all and of one form. */
	quota: number;
	formQuota: number;
	log: Log;
}

/** @returns one run; `pause` waits between two chunks, and resolves to whether to continue */
export function createFileMaintenance(storage: Storage, { store, quota, formQuota, log }: FileMaintenanceOptions) {
	const { findings } = storage;
	let isFirst = true;

	async function lookAtQuota(): Promise<void> {
		const used = await storage.submissions.fileBytes();
		const [fullest] = await storage.db
			.select({ slug: forms.slug, used: forms.fileBytes })
			.from(forms)
			.orderBy(desc(forms.fileBytes))
			.limit(1);
		if (used >= quota * NEARLY_FULL) findings.set('fileQuota', `${used} of ${quota} bytes are used.`);
		else if (fullest && fullest.used >= formQuota * NEARLY_FULL) {
			findings.set('fileQuota', `${fullest.used} of ${formQuota} bytes are used by the form ${fullest.slug}.`);
		} else findings.clear('fileQuota');
	}

	return async (pause: () => Promise<boolean>): Promise<void> => {
		try {
			if (isFirst) await store.tidy();
			if (isFirst || findings.has('files') || findings.has('fileRoom')) await store.look();
			isFirst = false;
			await lookAtQuota();
			await sweepFiles(storage, { store, pause });
		} catch (error) {
			log.error('Files of removed submissions could not be removed; it is tried again in a minute.', { cause: error });
		}
	};
}

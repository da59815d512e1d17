/** Watches the file store of a running server: remains of dead processes, availability and free space. */

import { desc, isNotNull } from 'drizzle-orm';
import type { Log } from '../log/log.ts';
import type { Storage } from '../storage/contract.ts';
import { files, forms } from '../storage/tables.ts';
import { HOUR_MS, MINUTE_MS } from '../tasks/durations.ts';
import { repeat } from '../tasks/repeat.ts';
import { roughSize } from '../text/byte-sizes.ts';
import type { TrackedStore } from './tracked-store.ts';

const LOOK_EVERY_MS = MINUTE_MS;
/** Delayed, so that the first requests do not wait for it. */
const FIRST_AFTER_MS = 250;
/** They are over when another look shows it. */
const LASTING = ['files', 'fileRoom', 'lostFile'] as const;
/** Where other servers may share the folder: longer than a file pauses while it arrives. */
const LEFT_AFTER_MS = HOUR_MS;
/** Share of the quota from which on the owner is warned, before files are rejected. */
export const NEARLY_FULL = 0.9;

interface FileWatchOptions {
	store: TrackedStore;
	/** In bytes, in all and of one form. */
	quota: number;
	formQuota: number;
	log: Log;
	firstAfterMs?: number;
	lookEveryMs?: number;
}

/** Each server does this for itself. @returns how to stop */
export function startFileWatch(
	{ db, findings, isShared, submissions }: Pick<Storage, 'db' | 'findings' | 'isShared' | 'submissions'>,
	{ store, quota, formQuota, log, firstAfterMs = FIRST_AFTER_MS, lookEveryMs = LOOK_EVERY_MS }: FileWatchOptions,
): () => Promise<void> {
	let isTidied = false;

	async function look(): Promise<void> {
		if (!isTidied || isShared) await store.tidy(isShared ? LEFT_AFTER_MS : 0);
		if (!isTidied || LASTING.some(findings.has)) await store.look();
		if (!isTidied) await lookForNewest();
		isTidied = true;
		await lookAtQuota();
	}

	/** A disk that is not mounted, or another place than before, shows by the newest file: then the store says that it is lost. */
	async function lookForNewest(): Promise<void> {
		const [newest] = await db
			.select({ key: files.key })
			.from(files)
			.where(isNotNull(files.key))
			.orderBy(desc(files.id))
			.limit(1);
		if (!newest?.key) return;
		const bytes = await store.read(newest.key).catch(() => undefined);
		await bytes?.cancel();
	}

	async function lookAtQuota(): Promise<void> {
		const used = await submissions.fileBytes();
		const [fullest] = await db
			.select({ slug: forms.slug, used: forms.fileBytes })
			.from(forms)
			.orderBy(desc(forms.fileBytes))
			.limit(1);
		if (used >= quota * NEARLY_FULL) findings.set('fileQuota', `${roughSize(used)} of ${roughSize(quota)} are used.`);
		else if (fullest && fullest.used >= formQuota * NEARLY_FULL) {
			findings.set(
				'fileQuota',
				`${roughSize(fullest.used)} of ${roughSize(formQuota)} are used by the form ${fullest.slug}.`,
			);
		} else findings.clear('fileQuota');
	}

	async function run(): Promise<number> {
		try {
			await look();
		} catch (error) {
			log.error('The place of attached files could not be looked at; it is tried again in a minute.', { cause: error });
		}
		return lookEveryMs;
	}

	return repeat(run, firstAfterMs).stop;
}

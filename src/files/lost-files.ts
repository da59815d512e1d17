/** The finding about lost files: those that a row has, and the store has not. */

import { inArray } from 'drizzle-orm';
import type { Storage } from '../storage/contract.ts';
import { files } from '../storage/tables.ts';
import type { FileStore } from './file-store.ts';

/** Keys of lost files in the log. */
const LOST_SHOWN = 20;

export function createLostFiles(store: Pick<FileStore, 'read'>, { db, findings }: Pick<Storage, 'db' | 'findings'>) {
	/** By their keys. */
	const lost = new Set<string>();

	function report(): void {
		if (lost.size === 0) findings.clear('lostFile');
		else findings.set('lostFile', [...lost].slice(0, LOST_SHOWN));
	}

	/** Forgets files that were removed meanwhile: they are not lost. */
	async function forgetRemoved(): Promise<void> {
		if (lost.size === 0) return;
		const rows = await db
			.select({ key: files.key })
			.from(files)
			.where(inArray(files.key, [...lost]));
		const known = new Set(rows.map(({ key }) => key));
		for (const key of lost) if (!known.has(key)) lost.delete(key);
		report();
	}

	/** Forgets files that are back. Ends at the first that is still lost. */
	async function forgetFound(): Promise<void> {
		for (const key of lost) {
			try {
				await (await store.read(key)).cancel();
			} catch {
				return;
			}
			lost.delete(key);
			report();
		}
	}

	return {
		async add(key: string): Promise<void> {
			lost.add(key);
			await forgetRemoved();
		},
		/** Forgets one that was read. */
		found(key: string): void {
			if (lost.delete(key)) report();
		},
		async look(): Promise<void> {
			await forgetFound();
			await forgetRemoved();
		},
	};
}

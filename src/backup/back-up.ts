/** Makes an archive of an installation while a server may use it: a new file that appears under its name when it is whole. */

import { existsSync, fstatSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../errors.ts';
import type { FileStore } from '../files/file-store.ts';
import { databaseFileAt } from '../storage/open.ts';
import { createOutput, syncFolder } from './output.ts';
import { allSetNames } from './set-names.ts';
import { type Written, writeArchive } from './write-archive.ts';

export interface BackupJob {
	databaseFile: string;
	/** The names of the settings that are set in this process. */
	settings?: readonly string[];
	store: Pick<FileStore, 'read'>;
	target: string;
	report: (doneFiles: number, allFiles: number) => void;
}

/** @throws AppError or Error with a sentence; then there is nothing under the name */
export async function backUp({ databaseFile, settings = [], store, target, report }: BackupJob): Promise<Written> {
	refuseExisting(target);
	if (!existsSync(dirname(target))) throw new AppError('NOT_FOUND', `There is no folder ${dirname(target)}.`);
	const partial = `${target}.partial`;
	const release = databaseFileAt(partial).lock();
	if (!release) throw new AppError('CONFLICT', `${partial} is being written by another backup.`);
	const copy = `${partial}.db`;
	const remove = () => {
		for (const path of [partial, copy]) rmSync(path, { force: true });
	};
	const letGo = databaseFileAt(databaseFile).holdFiles();
	try {
		remove();
		const madeAt = new Date();
		databaseFileAt(databaseFile).copyTo(copy);
		const files = databaseFileAt(copy).namedFiles;
		let all = 0;
		for (const _ of files()) all++;
		const output = createOutput(partial);
		try {
			const written = await writeArchive(output, {
				database: copy,
				files,
				store,
				madeAt,
				settings: allSetNames(databaseFileAt(copy), settings),
				report: (done) => report(done, all),
			});
			output.sync();
			refuseExisting(target);
			if (statSync(partial).ino !== fstatSync(output.fd).ino) throw new Error(`${partial} was replaced meanwhile.`);
			renameSync(partial, target);
			syncFolder(dirname(target));
			return written;
		} finally {
			output.close();
		}
	} finally {
		remove();
		letGo();
		release();
		rmSync(`${partial}.lock`, { force: true });
	}
}

function refuseExisting(target: string): void {
	if (existsSync(target)) throw new AppError('CONFLICT', `${target} exists already; it is not overwritten.`);
}

/** Makes an archive of an installation while a server may use it: a new file that appears under its name when it is whole and verified. */

import { existsSync, fstatSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../errors.ts';
import type { FileStore } from '../files/file-store.ts';
import { databaseFileAt } from '../storage/open.ts';
import { createEncryptedOutput } from './encryption.ts';
import { archiveName, INSTALLATION, installationId } from './names.ts';
import { createOutput } from './output.ts';
import type { BackupPlace } from './place.ts';
import { allSetNames } from './set-names.ts';
import { type Written, writeArchive } from './write-archive.ts';

export interface BackupJob {
	databaseFile: string;
	/** The names of the settings that are set in this process. */
	settings?: readonly string[];
	store: Pick<FileStore, 'read'>;
	place: BackupPlace;
	/** By default one that tells what it is, as `names.ts` says. */
	name?: string;
	/** The public key that it is encrypted to, if any. */
	recipient?: string | null;
	report: (doneFiles: number, allFiles: number) => void;
}

export interface Backup extends Written {
	name: string;
	bytes: number;
}

/** @throws AppError or Error with a sentence; then there is nothing under the name */
export async function backUp(job: BackupJob): Promise<Backup> {
	const { databaseFile, settings = [], store, place, recipient = null, report } = job;
	if (job.name !== undefined) await place.refuseExisting(job.name);
	if (!existsSync(place.work)) throw new AppError('NOT_FOUND', `There is no folder ${place.work}.`);
	const { work } = place;
	const named = job.name === undefined ? undefined : `${job.name}.partial`;
	// Content that is to be encrypted lies readable only where the database does; and no other installation uses that folder.
	const isOwn = named === undefined || recipient !== null;
	const copy = join(isOwn ? dirname(databaseFile) : work, `${named ?? 'backup.partial'}.db`);
	const release = databaseFileAt(copy).lock();
	if (!release) throw new AppError('CONFLICT', `${copy.slice(0, -'.db'.length)} is being written by another backup.`);
	const parts = [copy];
	const remove = () => {
		for (const path of parts) rmSync(path, { force: true });
	};
	const letGo = databaseFileAt(databaseFile).holdFiles();
	try {
		remove();
		const madeAt = new Date();
		databaseFileAt(databaseFile).copyTo(copy);
		const id = installationId(databaseFileAt(copy).serverValue(INSTALLATION));
		const partial = join(work, named ?? `formsrv-${id}.partial`);
		parts.push(partial);
		rmSync(partial, { force: true });
		const files = databaseFileAt(copy).namedFiles;
		let all = 0;
		for (const _ of files()) all++;
		const output = recipient === null ? createOutput(partial) : await createEncryptedOutput(partial, recipient);
		try {
			const written = await writeArchive(output, {
				database: copy,
				files,
				store,
				madeAt,
				settings: allSetNames(databaseFileAt(copy), settings),
				report: (done) => report(done, all),
			});
			await output.sync();
			const sha256 = await output.verify();
			const { size, ino } = fstatSync(output.fd);
			if (statSync(partial).ino !== ino) throw new Error(`${partial} was replaced meanwhile.`);
			const name = job.name ?? archiveName({ id, madeAt, sha256 }, recipient !== null);
			await place.put({ path: partial, sha256 }, name);
			return { ...written, name, bytes: size };
		} finally {
			output.close();
		}
	} finally {
		remove();
		letGo();
		release();
		rmSync(`${copy}.lock`, { force: true });
	}
}

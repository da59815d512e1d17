/**
 * Makes an archive of an installation while a server may use it: a new file that appears under its name when it is whole and verified.
 * On PostgreSQL it holds the attached files alone.
 */

import { fstatSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import type { FileStore } from '../files/file-store.ts';
import { requireRoom } from '../storage/disk-room.ts';
import { databaseAt, databaseFileAt, isFile } from '../storage/open.ts';
import { createEncryptedOutput } from './encryption.ts';
import { spaceOf } from './layout.ts';
import { archiveName, INSTALLATION, installationId } from './names.ts';
import { createOutput } from './output.ts';
import type { BackupPlace } from './place.ts';
import { allSettingNames } from './setting-names.ts';
import { type Written, writeArchive } from './write-archive.ts';

interface BackupJob {
	/** The path of an SQLite file, or the address of a PostgreSQL database. */
	database: string;
	/** The folder of the database, or of the data. */
	beside: string;
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

interface Backup extends Written {
	name: string;
	bytes: number;
}

/** @throws AppError or Error with a sentence; then there is nothing under the name */
export async function backUp(job: BackupJob): Promise<Backup> {
	const { database, settings = [], store, place, beside, recipient = null, report } = job;
	if (job.name !== undefined) await place.refuseExisting(job.name);
	if (!statSync(place.work, { throwIfNoEntry: false })?.isDirectory())
		throw new AppError('NOT_FOUND', `There is no folder ${place.work}.`);
	const { work } = place;
	const named = job.name === undefined ? undefined : `${job.name}.partial`;
	// Content that is to be encrypted lies readable only where the database does; and no other installation uses that folder.
	const isOwn = named === undefined || recipient !== null;
	const copy = join(isOwn ? beside : work, `${named ?? 'backup.partial'}.db`);
	const release = databaseFileAt(copy).lock();
	if (!release) throw new AppError('CONFLICT', `${copy.slice(0, -'.db'.length)} is being written by another backup.`);
	const parts = [copy];
	const remove = () => {
		for (const path of parts) rmSync(path, { force: true });
	};
	const letGo = await (await databaseAt(database)).holdFiles();
	try {
		remove();
		const madeAt = new Date();
		const { taken, isCopy, files } = await take(database, copy);
		const id = installationId(await taken.serverValue(INSTALLATION));
		const partial = join(work, named ?? `formsrv-${id}.partial`);
		parts.push(partial);
		rmSync(partial, { force: true });
		let all = 0;
		let bytes = isCopy ? statSync(copy).size : 0;
		for (const file of files()) {
			all++;
			bytes += spaceOf(file.bytes);
		}
		requireRoom(partial, { bytes, beside });
		const output = recipient === null ? createOutput(partial) : await createEncryptedOutput(partial, recipient);
		try {
			const written = await writeArchive(output, {
				database: isCopy ? copy : null,
				files,
				store,
				madeAt,
				settings: await allSettingNames(taken, settings),
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

/** The parts of an archive; with SQLite all of them are of the moment of the copy. */
async function take(database: string, copy: string) {
	if (isFile(database)) {
		databaseFileAt(database).copyTo(copy);
		const taken = databaseFileAt(copy);
		return { taken, isCopy: true, files: taken.namedFiles };
	}
	const taken = await databaseAt(database);
	const named = await taken.namedFiles();
	return { taken, isCopy: false, files: () => named };
}

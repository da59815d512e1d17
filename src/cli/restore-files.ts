/** The files of an archive, put into the file store; with PostgreSQL that is all that `formsrv restore` does. */

import { join } from 'node:path';
import { UnusableArchive } from '../backup/manifest.ts';
import { type Archive, openArchive } from '../backup/read-archive.ts';
import { unpackFiles } from '../backup/unpack.ts';
import type { Config } from '../config.ts';
import { compareFiles } from '../files/compare.ts';
import type { FileStore } from '../files/file-store.ts';
import { openFileStore } from '../files/open.ts';
import type { Database } from '../storage/database.ts';
import { databaseAt } from '../storage/open.ts';
import { plural } from '../text/plural.ts';
import { plainArchive, withScratch } from './archive-file.ts';
import { verifyArchive } from './backup-verify.ts';
import { type Cli, CommandError, type Options } from './cli.ts';
import { progressOn } from './progress.ts';

/** Nothing that is there is replaced by other content, so servers may run meanwhile. */
export function restoreFiles(
	cli: Cli,
	{ name, config, options }: { name: string; config: Config; options: Options },
): Promise<void> {
	return withScratch('restore', async (folder) => {
		const { path } = await plainArchive(cli, { name, options, scratch: () => join(folder(), 'archive.tar'), config });
		using archive = openChecked(cli, { name, backup: path });
		if (archive.hasDatabase()) {
			throw new CommandError(
				`${name} holds a database of SQLite: restore it to a file, by --data-dir and no FORMSRV_DATABASE_URL, and then ` +
					'"formsrv move" it to PostgreSQL. Nothing was changed.',
			);
		}
		const store = await openFileStore(config.files.place);
		const files = await putFiles(cli, { archive, store });
		cli.printResult(options, { files }, `Restored ${plural(files, 'file')} from ${name}.`);
		const database = await databaseAt(config.database);
		if (!(await database.inspect('quick')).isCurrent) return;
		await noteMissingFiles(cli, database, store);
		await cli.record(config, 'restore', { facts: { backup: name, replaced: false } });
	});
}

export async function putFiles(cli: Cli, { archive, store }: { archive: Archive; store: FileStore }): Promise<number> {
	const progress = progressOn(cli.io.stderr);
	const total = archive.countFiles();
	const report = (done: number) => progress.show(done, total);
	const { files, changed } = await unpackFiles(archive, { store, report }).finally(progress.end);
	if (changed.length > 0)
		cli.note(`Not what visitors sent, as in the backup: ${plural(changed.length, 'file')}: ${changed.join(', ')}.`);
	return files;
}

/** @throws CommandError if a byte is not as it was written */
export function openChecked(cli: Cli, { name, backup }: { name: string; backup: string }): Archive {
	try {
		const archive = openArchive(backup);
		const problems = verifyArchive(cli, archive);
		if (problems.length > 0) throw new UnusableArchive(problems.join(' '));
		return archive;
	} catch (error) {
		if (!(error instanceof UnusableArchive)) throw error;
		throw new CommandError(`${name} cannot be restored. ${error.message} Nothing was changed.`);
	}
}

export async function noteMissingFiles(
	cli: Cli,
	database: Pick<Database, 'fileRecords'>,
	store: FileStore,
): Promise<void> {
	const { missing } = await compareFiles(store, database.fileRecords);
	if (missing.length > 0) {
		cli.note(
			`Not in the file store: ${plural(missing.length, 'file')} of its submissions; "formsrv doctor" names one.`,
		);
	}
}

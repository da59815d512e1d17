/** `formsrv restore`: replaces the database by a backup, and brings back the files that are in it. */

import { rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isArchive } from '../backup/read-archive.ts';
import { allSettingNames, settingNames } from '../backup/setting-names.ts';
import { unpackDatabase } from '../backup/unpack.ts';
import type { Config } from '../config.ts';
import { RESTORED } from '../delivery/bounds.ts';
import type { FileStore } from '../files/file-store.ts';
import { openFileStore } from '../files/open.ts';
import { databaseFileAt, isFile } from '../storage/open.ts';
import type { ServerValue } from '../storage/server-values.ts';
import { formatCount, plural } from '../text/plural.ts';
import { type PlainArchive, plainArchive } from './archive-file.ts';
import { type Cli, CommandError, IDENTITY, type Options, withStorage } from './cli.ts';
import type { CliCommand } from './command.ts';
import { noteMissingFiles, openChecked, putFiles, restoreFiles } from './restore-files.ts';

interface Job {
	/** As it was named, and the file that is read. */
	name: string;
	backup: string;
	databaseFile: string;
	store: FileStore;
	/** In force here. */
	config: Config;
	options: Options;
}

export function addRestore(program: CliCommand, cli: Cli): void {
	const command = program
		.command('restore')
		.summary('Put a backup in the place of the database, with its files.')
		.description(
			'Put a backup in the place of the database; the files of an archive (.tar) go to the file store. The server must not ' +
				'run. The backup is checked first, an archive to its last byte. Mails and webhook requests that were waiting when it was ' +
				'made may have been sent since: they are held until "formsrv deliveries retry --state held". With PostgreSQL, only the ' +
				'files of an archive are put back, also while servers run.',
		)
		.argument('<file>', 'The backup, also in a bucket, as s3://bucket/prefix/name')
		.option(...IDENTITY)
		.option('--force', 'Replace an existing database, which is kept under another name')
		.option('--send-waiting', 'Send what was waiting when the backup was made, instead of holding it')
		.option('--json', 'Print JSON')
		.examples('formsrv restore /backup/formsrv-2026-01-31.tar --force');
	withStorage(command).action(async (name: string, options: Options) => {
		const config = cli.loadSettings(options);
		if (!isFile(config.database)) return restoreFiles(cli, { name, config, options });
		const databaseFile = databaseFileAt(config.database).place();
		refuseToOthers(dirname(databaseFile));
		const releaseLock = databaseFileAt(databaseFile).lock();
		if (!releaseLock) throw new CommandError(`A server runs on ${databaseFile}. Stop it first.`);
		const store = await openFileStore(config.files.place);
		const scratch = () => `${databaseFile}.restoring-archive`;
		let opened: PlainArchive | undefined;
		try {
			opened = await plainArchive(cli, { name, options, scratch, config });
			await restore(cli, { name, backup: opened.path, databaseFile, store, config, options });
		} finally {
			opened?.remove();
			releaseLock();
		}
	});
}

/** The server could not read what root restores for it. */
function refuseToOthers(folder: string): void {
	const uid = statSync(folder, { throwIfNoEntry: false })?.uid ?? 0;
	if (process.getuid?.() !== 0 || uid === 0) return;
	throw new CommandError(
		`${folder} belongs to the user ${uid}, who could not read what root restores. Run it as that user: sudo -u '#${uid}' formsrv restore …`,
	);
}

async function restore(cli: Cli, job: Job): Promise<void> {
	const { name, backup, databaseFile, store, options } = job;
	const isThere = (statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0) > 0;
	if (isThere && options.force !== true) {
		throw new CommandError(`${databaseFile} exists. Add --force to replace it; it is kept under another name.`);
	}
	const moment = new Date().toISOString().replace(/[:.]/g, '-');
	const replacement = `${databaseFile}.restoring-${moment}`;
	const aside = `${databaseFile}.replaced-${moment}`;
	const database = databaseFileAt(databaseFile);
	// They take the room that this one needs.
	database.removeLeftovers(backup);
	const files = isArchive(backup) ? await unpack(cli, job, replacement) : null;
	if (files === null) databaseFileAt(backup).copyTo(replacement);
	const held = options.sendWaiting === true ? 0 : databaseFileAt(replacement).hold(RESTORED);
	const again = isThere ? takeOver(cli, databaseFile, replacement) : 0;
	const missing = await missingSettings(replacement, job.config);
	database.replace({ replacement, aside });
	database.removeLeftovers();
	const filesToo = files === null ? '' : ` and ${plural(files, 'file')}`;
	const result = {
		file: databaseFile,
		replaced: isThere ? aside : null,
		files,
		held,
		erasures: again,
		missingSettings: missing,
	};
	cli.printResult(
		options,
		result,
		`Restored ${databaseFile}${filesToo} from ${name}.${isThere ? ` What was there is now ${aside}.` : ''}`,
	);
	if (held > 0 && !options.json) {
		cli.note(
			`Mails and webhook requests that were waiting are held (${formatCount(held)}), because they may have been sent since the ` +
				'backup: "formsrv deliveries list --state held" shows them, "formsrv deliveries retry --state held" sends them.',
		);
	}
	if (again > 0 && !options.json) {
		cli.note(`Erasures since the backup: ${formatCount(again)}. The server does them again as soon as it starts.`);
	}
	if (missing.length > 0 && !options.json) {
		cli.note(`A backup holds no settings. Set where it was made, but not here: ${missing.join(', ')}.`);
	}
	// One of an earlier version is left as it is, for the server to bring up.
	if (!database.inspect('quick').isCurrent) return;
	// A copy of the database alone, and a backup of an installation that had lost files, come without them.
	const [first] = database.namedFiles();
	if (first) await noteMissingFiles(cli, database, store);
	await cli.record(job.config, 'restore', { facts: { backup: name, replaced: isThere } });
}

/**
 * Takes over from the database that it replaces also the records of erasures: persons who were erased since the backup are in it.
 * @returns how many of these there are
 */
function takeOver(cli: Cli, databaseFile: string, replacement: string): number {
	databaseFileAt(replacement).takeOver(databaseFile);
	let records: ServerValue[];
	try {
		records = databaseFileAt(databaseFile).erasures();
	} catch (error) {
		cli.note(
			`The records of erasures in ${databaseFile} cannot be read (${(error as Error).message}): persons who were erased since the ` +
				'backup have to be erased again, by "formsrv erase".',
		);
		return 0;
	}
	return databaseFileAt(replacement).repeatErasures(records);
}

async function missingSettings(replacement: string, config: Config): Promise<string[]> {
	const here = settingNames(config);
	return (await allSettingNames(databaseFileAt(replacement), here)).filter((name) => !here.includes(name));
}

/**
 * The files come first. They are added to those of the database that is there, so that it is whole until it is replaced; and a
 * copy that is named `replacement` lacks none.
 */
async function unpack(cli: Cli, job: Job, replacement: string): Promise<number> {
	const { store } = job;
	using archive = openChecked(cli, job);
	const unpacked = `${replacement}.unpacked`;
	try {
		if (!archive.hasDatabase())
			throw new CommandError(
				`${job.name} holds the attached files of an installation on PostgreSQL, and no database. Nothing was changed.`,
			);
		unpackDatabase(archive, unpacked);
		const [problem] = databaseFileAt(unpacked).inspect('quick').problems;
		if (problem !== undefined) throw new CommandError(problem);
		// The remains of a restore that was cut off take up room.
		await store.tidy();
		const files = await putFiles(cli, { archive, store });
		databaseFileAt(unpacked).copyTo(replacement);
		return files;
	} finally {
		rmSync(unpacked, { force: true });
	}
}

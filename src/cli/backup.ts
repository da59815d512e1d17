/** `formsrv backup`: database and files in one archive, or the database alone, made while the server runs. */

import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { backUp } from '../backup/back-up.ts';
import { openPlace } from '../backup/place.ts';
import { type Pruned, prune } from '../backup/prune.ts';
import { besideDatabase } from '../backup/schedule.ts';
import { settingNames } from '../backup/setting-names.ts';
import type { BackupTo } from '../config/file-place.ts';
import type { Config } from '../config.ts';
import { openFileStore } from '../files/open.ts';
import { databaseAt, databaseFileAt, isFile } from '../storage/open.ts';
import { plural } from '../text/plural.ts';
import { s3Object } from './archive-file.ts';
import { addVerify } from './backup-verify.ts';
import { BACKUP_SETTINGS, type Cli, CommandError, missingDatabase, type Options, withSettings } from './cli.ts';
import type { CliCommand } from './command.ts';
import { progressOn } from './progress.ts';

const FILES_ALONE =
	'Of PostgreSQL, a backup holds the attached files alone, so its name must end in .tar or .tar.age. Back up the database with ' +
	'pg_dump or by its continuous archiving: see "Backups" in docs/postgresql.md.';

/** Names that promise what no backup is: packed, or encrypted without being an archive. */
const OTHER_PACKING = /(?<!\.tar)\.age$|\.(?:t?gz|tbz2?|bz2|t?xz|zst|zip|7z)$/i;

export function addBackup(program: CliCommand, cli: Cli): void {
	const command = program
		.command('backup')
		.summary('Back up database and files, also while the server runs.')
		.description(
			'Back up to a new file. One whose name ends in .tar is an archive of the database and of all attached files, with the ' +
				'SHA-256 of each; .tar.age is the same, encrypted to FORMSRV_BACKUP_RECIPIENT; any other, such as .db, is a copy ' +
				'of the database alone. In a folder, in s3://bucket/prefix or without a name in FORMSRV_BACKUP_TO it gets a name ' +
				'that tells its moment; there FORMSRV_BACKUP_KEEP stay. What was written is read back. It can be done while the ' +
				'server runs; an existing file is never overwritten. Of PostgreSQL, the archive holds the attached files alone.',
		)
		.argument('[to]', 'Where the backup goes (default: FORMSRV_BACKUP_TO)')
		.option('--json', 'Print JSON')
		.examples(
			'formsrv backup /backup/formsrv-$(date +%F).tar     database and files',
			'formsrv backup s3://bucket/forms                   the same, in a bucket',
			'formsrv backup /backup/formsrv-$(date +%F).db      the database alone',
			'formsrv backup verify /backup/formsrv-2026-01-31.tar',
		);
	addVerify(command, cli);
	withSettings(command, BACKUP_SETTINGS).action(async (to: string | undefined, options: Options) => {
		const config = cli.loadSettings(options);
		if (!(await (await databaseAt(config.database)).exists())) throw new CommandError(missingDatabase(config.database));
		const target = targetOf(cli, config, to);
		if (!('copy' in target)) return archive(cli, { config, target, options });
		if (!isFile(config.database)) throw new CommandError(FILES_ALONE, 2);
		copyDatabase(cli, { databaseFile: config.database, file: target.copy, options });
	});
}

interface ArchiveTarget {
	to: BackupTo;
	/** By default one that tells what it is. */
	name?: string;
	/** True if older ones are removed. */
	isKept: boolean;
}

function targetOf(cli: Cli, config: Config, text: string | undefined): ArchiveTarget | { copy: string } {
	if (text === undefined) {
		if (config.backup.to) return { to: config.backup.to, isKept: true };
		throw new CommandError('Name a file, such as /backup/formsrv.tar, or set FORMSRV_BACKUP_TO.', 2);
	}
	if (OTHER_PACKING.test(text))
		throw new CommandError(`${text} must end in .tar, .tar.age (encrypted) or, for the database alone, .db.`, 2);
	const object = s3Object(config, text);
	if (object) return { ...object, isKept: false };
	const file = resolve(cli.io.cwd, text);
	if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) return { to: { folder: file }, isKept: false };
	if (!/\.tar(\.age)?$/i.test(file)) return { copy: file };
	return { to: { folder: dirname(file) }, name: basename(file), isKept: false };
}

function copyDatabase(
	cli: Cli,
	{ databaseFile, file, options }: { databaseFile: string; file: string; options: Options },
): void {
	databaseFileAt(databaseFile).copyTo(file);
	const { size } = statSync(file);
	cli.printResult(options, { file, size }, `Copied ${databaseFile} to ${file} (${size} bytes), and verified it.`);
	const copy = databaseFileAt(file);
	const [named] = copy.inspect('quick').isCurrent ? copy.namedFiles() : [];
	if (named) cli.note('The files that visitors attached are not in it: they are in a backup whose name ends in .tar.');
}

async function archive(
	cli: Cli,
	{ config, target, options }: { config: Config; target: ArchiveTarget; options: Options },
): Promise<void> {
	const { recipient, keep } = config.backup;
	const isEncrypted = target.name === undefined ? recipient !== null : /\.age$/i.test(target.name);
	if (isEncrypted && recipient === null)
		throw new CommandError(`FORMSRV_BACKUP_RECIPIENT must be set for ${target.name}.`, 2);
	const beside = besideDatabase(config);
	const place = await openPlace(target.to, beside);
	const progress = progressOn(cli.io.stderr);
	const { name, bytes, files, missing, changed } = await backUp({
		database: config.database,
		beside,
		settings: settingNames(config),
		store: await openFileStore(config.files.place),
		place,
		name: target.name,
		recipient: isEncrypted ? recipient : null,
		report: progress.show,
	}).finally(progress.end);
	// A backup that lacks files does not take the place of one that has them.
	const isWhole = missing.length + changed.length === 0;
	const pruned: Pruned =
		target.isKept && isWhole ? await prune(place, { newest: name, keep }) : { removed: [], damaged: [] };
	const file = join(place.name, name).replace(/^s3:\/+/, 's3://');
	const what = isFile(config.database) ? `${config.database} and ` : '';
	const sentence = `Backed up ${what}${plural(files, 'file')} to ${file} (${bytes} bytes), and verified it.`;
	cli.printResult(options, { file, size: bytes, files, missing, changed, ...(target.isKept && pruned) }, sentence);
	if (missing.length > 0) {
		cli.note(
			`Missing in the file store, and so in the backup: ${plural(missing.length, 'file')}; "formsrv doctor" says more.`,
		);
	}
	if (changed.length > 0) {
		cli.note(
			`Not what visitors sent, and in the backup as found: ${plural(changed.length, 'file')}: ${changed.join(', ')}.`,
		);
	}
	if (target.isKept && !isWhole) cli.note('Older backups, which may have these files, were not removed.');
	if (pruned.damaged.length > 0)
		cli.note(`Not as they were written, and left where they are: ${pruned.damaged.join(', ')}.`);
}

/** `formsrv backup`: database and files in one archive, or the database alone, made while the server runs. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { backUp } from '../backup/back-up.ts';
import { setNames } from '../backup/set-names.ts';
import { openFileStore } from '../files/open.ts';
import type { DatabaseFile } from '../storage/database.ts';
import { databaseFileAt } from '../storage/open.ts';
import { plural } from '../text/plural.ts';
import { addVerify } from './backup-verify.ts';
import { type Cli, CommandError, examples, missingDatabase, type Options, requireFile, withStorage } from './cli.ts';
import { progressOn } from './progress.ts';

const INSTEAD =
	'Back up PostgreSQL with pg_dump or by its continuous archiving, and attached files where they lie: see "Backups" in docs/operating.md.';

export function addBackup(program: Command, cli: Cli): void {
	const command = program
		.command('backup')
		.summary('Back up database and files, also while the server runs.')
		.description(
			'Back up to a new file. One whose name ends in .tar is an archive of the database and of all attached files, with the ' +
				'SHA-256 of each; any other is a copy of the database alone. It can be done while the server runs; an existing file ' +
				'is never overwritten.',
		)
		.argument('<file>', 'Where the backup goes')
		.option('--json', 'Print JSON')
		.addHelpText(
			'after',
			examples(
				'formsrv backup /backup/formsrv-$(date +%F).tar     database and files',
				'formsrv backup /backup/formsrv-$(date +%F).db      the database alone',
				'formsrv backup verify /backup/formsrv-2026-01-31.tar',
			),
		);
	addVerify(command, cli);
	withStorage(command).action(async (name: string, options: Options) => {
		const config = cli.loadSettings(options);
		const databaseFile = requireFile(config, INSTEAD);
		const database = databaseFileAt(databaseFile);
		if (!database.exists()) throw new CommandError(missingDatabase(databaseFile));
		const file = resolve(cli.io.cwd, name);
		if (!/\.tar$/i.test(file)) return copyDatabase(cli, { database, databaseFile, file, options });
		return archive(cli, {
			databaseFile,
			settings: setNames(config),
			file,
			store: await openFileStore(config.files.place),
			options,
		});
	});
}

function copyDatabase(
	cli: Cli,
	{
		database,
		databaseFile,
		file,
		options,
	}: { database: DatabaseFile; databaseFile: string; file: string; options: Options },
): void {
	database.copyTo(file);
	const { size } = statSync(file);
	cli.printResult(options, { file, size }, `Copied ${databaseFile} to ${file} (${size} bytes), and verified it.`);
	const copy = databaseFileAt(file);
	const [named] = copy.inspect('quick').isCurrent ? copy.namedFiles() : [];
	if (named) cli.note('The files that visitors attached are not in it: they are in a backup whose name ends in .tar.');
}

async function archive(
	cli: Cli,
	{
		databaseFile,
		settings,
		file,
		store,
		options,
	}: Pick<Parameters<typeof backUp>[0], 'databaseFile' | 'settings' | 'store'> & { file: string; options: Options },
): Promise<void> {
	const progress = progressOn(cli.io.stderr);
	const { files, missing, changed } = await backUp({
		databaseFile,
		settings,
		store,
		target: file,
		report: progress.show,
	}).finally(progress.end);
	const { size } = statSync(file);
	const sentence = `Backed up ${databaseFile} and ${plural(files, 'file')} to ${file} (${size} bytes).`;
	cli.printResult(options, { file, size, files, missing, changed }, sentence);
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
}

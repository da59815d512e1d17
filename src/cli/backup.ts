/** `formsrv backup`: a copy of the database, made while the server runs. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { databaseAt } from '../storage/database.ts';
import { type Cli, CommandError, examples, missingDatabase, type Options, withStorage } from './cli.ts';

export function addBackup(program: Command, cli: Cli): void {
	const command = program
		.command('backup')
		.summary('Copy the database, also while the server runs.')
		.description(
			'Copy the database to a new file, checked and complete in itself. It can be done while the server runs; ' +
				'an existing file is never overwritten.',
		)
		.argument('<file>', 'Where the copy goes')
		.option('--json', 'Print JSON')
		.addHelpText('after', examples('formsrv backup /backup/formsrv-$(date +%F).db'));
	withStorage(command).action((name: string, options: Options) => {
		const { databaseFile } = cli.loadSettings(options);
		const database = databaseAt(databaseFile);
		if (!database.exists()) throw new CommandError(missingDatabase(databaseFile));
		const file = resolve(cli.io.cwd, name);
		database.copyTo(file);
		const { size } = statSync(file);
		cli.printResult(options, { file, size }, `Copied ${databaseFile} to ${file} (${size} bytes), and found it sound.`);
	});
}

/** `formsrv restore`: replaces the database by a backup. */

import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { databaseAt } from '../storage/database.ts';
import { type Cli, CommandError, examples, type Options, withStorage } from './cli.ts';

export function addRestore(program: Command, cli: Cli): void {
	const command = program
		.command('restore')
		.summary('Put a backup in the place of the database.')
		.description('Put a backup in the place of the database. The server must not run; the backup is checked first.')
		.argument('<file>', 'The backup')
		.option('--force', 'Replace an existing database, which is kept under another name')
		.option('--json', 'Print JSON')
		.addHelpText('after', examples('formsrv restore /backup/formsrv-2026-01-31.db --force'));
	withStorage(command).action((name: string, options: Options) => {
		const databaseFile = databaseAt(cli.loadSettings(options).databaseFile).place();
		const backup = resolve(cli.io.cwd, name);
		if (!existsSync(backup)) throw new CommandError(`There is no file ${backup}.`);
		const releaseLock = databaseAt(databaseFile).lock();
		if (!releaseLock) throw new CommandError(`A server runs on ${databaseFile}. Stop it first.`);
		try {
			restore(cli, { backup, databaseFile, mayReplace: options.force === true, json: options.json === true });
		} finally {
			releaseLock();
		}
	});
}

function restore(cli: Cli, job: { backup: string; databaseFile: string; mayReplace: boolean; json: boolean }): void {
	const { backup, databaseFile, mayReplace } = job;
	const isThere = (statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0) > 0;
	if (isThere && !mayReplace) {
		throw new CommandError(`${databaseFile} exists. Add --force to replace it; it is kept under another name.`);
	}
	const moment = new Date().toISOString().replace(/[:.]/g, '-');
	const replacement = `${databaseFile}.restoring-${moment}`;
	const aside = `${databaseFile}.replaced-${moment}`;
	databaseAt(backup).copyTo(replacement);
	const database = databaseAt(databaseFile);
	database.replace({ replacement, aside });
	database.removeLeftovers();
	if (job.json) cli.printJson({ file: databaseFile, replaced: isThere ? aside : null });
	else cli.print(`Restored ${databaseFile} from ${backup}.${isThere ? ` What was there is now ${aside}.` : ''}`);
}

/** `formsrv backup verify`: checks every byte of an archive, or the structure of a copy of the database alone. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { UnusableArchive } from '../backup/manifest.ts';
import { type Archive, isArchive, openArchive } from '../backup/read-archive.ts';
import { databaseFileAt } from '../storage/open.ts';
import { type Cli, CommandError, type Options } from './cli.ts';
import { progressOn } from './progress.ts';

const PERCENT = 100;

export function addVerify(backup: Command, cli: Cli): void {
	backup
		.command('verify')
		.summary('Check a backup.')
		.description(
			'Check a backup. Of an archive (.tar), every byte is checked, and each changed member named. A copy of the database ' +
				'alone has no checksums: it is checked that it is whole and can be read, which a changed word would not show.',
		)
		.argument('<file>', 'The backup')
		.option('--json', 'Print JSON')
		.action((name: string, _options: Options, command: Command) => {
			const options: Options = command.optsWithGlobals();
			const file = resolve(cli.io.cwd, name);
			if (!existsSync(file)) throw new CommandError(`There is no file ${file}.`);
			const kind = isArchive(file) ? 'archive' : 'database';
			const problems = kind === 'archive' ? verifyFile(cli, file) : databaseFileAt(file).inspect('full').problems;
			if (problems.length > 0) cli.exitCode = 1;
			if (options.json) return void cli.printJson({ file, kind, problems });
			for (const problem of problems) cli.print(problem);
			if (problems.length > 0) return;
			if (kind === 'archive') cli.print(`${file} is, to the byte, as it was written.`);
			else cli.print(`${file} is a sound database; whether a value in it was changed cannot be told.`);
		});
}

/** @returns sentences about what is wrong */
function verifyFile(cli: Cli, file: string): string[] {
	try {
		const archive = openArchive(file);
		try {
			return verifyArchive(cli, archive);
		} finally {
			archive.close();
		}
	} catch (error) {
		if (error instanceof UnusableArchive) return [error.message];
		throw error;
	}
}

export function verifyArchive(cli: Cli, archive: Archive): string[] {
	const progress = progressOn(cli.io.stderr);
	try {
		return archive.verify((share) => progress.show(Math.floor(share * PERCENT), PERCENT));
	} finally {
		progress.end();
	}
}

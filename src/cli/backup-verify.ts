/** `formsrv backup verify`: checks every byte of an archive, or the structure of a copy of the database alone. */

import { basename, dirname, join } from 'node:path';
import { isEncrypted } from '../backup/encryption.ts';
import { UnusableArchive } from '../backup/manifest.ts';
import { isAsNamed, keptArchives } from '../backup/names.ts';
import { folderPlace } from '../backup/place.ts';
import { type Archive, isArchive, openArchive } from '../backup/read-archive.ts';
import { sha256Of } from '../backup/sha256.ts';
import { databaseFileAt } from '../storage/open.ts';
import { plainArchive, s3Object, withScratch } from './archive-file.ts';
import { BACKUP_SETTINGS, type Cli, CommandError, IDENTITY, type Options, withSettings } from './cli.ts';
import type { CliCommand } from './command.ts';
import { regularFile } from './named-file.ts';
import { progressOn } from './progress.ts';

const PERCENT = 100;

/** The result for each kind of backup, if nothing is wrong. */
const SENTENCES = {
	archive: 'is, to the byte, as it was written.',
	encrypted: 'is, to the byte, as it was written; with --identity its content is checked as well.',
	database: 'is a sound database; whether a value in it was changed cannot be told.',
};
type Kind = keyof typeof SENTENCES;

export function addVerify(backup: CliCommand, cli: Cli): void {
	const command = backup
		.command('verify')
		.summary('Check a backup.')
		.description(
			'Check a backup. Of an archive (.tar), every byte is checked, and each changed member named. So is an encrypted one ' +
				'(.tar.age) with --identity; without, it is compared with the SHA-256 in the name that formsrv gave it. A copy of ' +
				'the database alone has no checksums: it is checked that it is whole and can be read, which a changed word would ' +
				'not show.',
		)
		.argument('<file>', 'The backup, also in a bucket, as s3://bucket/prefix/name')
		.option(...IDENTITY)
		.option('--json', 'Print JSON');
	withSettings(command, BACKUP_SETTINGS).action(async (name: string, _options: Options, command: CliCommand) => {
		const options: Options = command.optsWithGlobals();
		await withScratch('verify', async (folder) => {
			const { file, kind, problems } = await verify(cli, {
				name,
				options,
				scratch: () => join(folder(), 'archive.tar'),
			});
			if (problems.length > 0) cli.exitCode = 1;
			if (options.json) return void cli.printJson({ file, kind, problems });
			for (const problem of problems) cli.print(problem);
			if (problems.length === 0) cli.print(`${file} ${SENTENCES[kind]}`);
		});
	});
}

async function verify(
	cli: Cli,
	{ name, options, scratch }: { name: string; options: Options; scratch: () => string },
): Promise<{ file: string; kind: Kind; problems: string[] }> {
	const config = cli.loadSettings(options);
	const isRemote = s3Object(config, name) !== undefined;
	const file = isRemote ? name : regularFile(name, cli.io.cwd);
	if (options.identity === undefined && !isRemote && (await isEncrypted(file))) {
		return { file, kind: 'encrypted', problems: await verifySealed(file) };
	}
	const { path } = await plainArchive(cli, { name, options, scratch, config });
	const isNamed = path === file;
	if (!isNamed || isArchive(path))
		return { file: isNamed ? file : name, kind: 'archive', problems: verifyFile(cli, path) };
	return { file, kind: 'database', problems: databaseFileAt(path).inspect('full').problems };
}

/** Without the private key, by the name alone. */
async function verifySealed(file: string): Promise<string[]> {
	const [named] = keptArchives([{ name: basename(file) }]);
	if (!named) throw new CommandError(`${file} is encrypted: name the file with its private key, by --identity.`);
	const found = await sha256Of(await folderPlace(dirname(file)).read(basename(file)));
	return isAsNamed(named, found) ? [] : [`${file} is changed: its SHA-256 is not the one in its name.`];
}

/** @returns sentences about what is wrong */
function verifyFile(cli: Cli, file: string): string[] {
	try {
		using archive = openArchive(file);
		return verifyArchive(cli, archive);
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

/** `formsrv drill`: tries a restore of the newest backup, in a folder that is removed afterwards. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { drill } from '../backup/drill.ts';
import { UnusableArchive } from '../backup/manifest.ts';
import { INSTALLATION, installationId } from '../backup/names.ts';
import { openPlace } from '../backup/place.ts';
import { isArchive, openArchive } from '../backup/read-archive.ts';
import { besideDatabase, lastBackup } from '../backup/schedule.ts';
import type { Config } from '../config.ts';
import type { TableComparison } from '../storage/database.ts';
import { databaseAt, databaseFileAt, isFile } from '../storage/open.ts';
import { formatCount, plural } from '../text/plural.ts';
import { plainArchive, withScratch } from './archive-file.ts';
import { verifyArchive } from './backup-verify.ts';
import { BACKUP_SETTINGS, type Cli, CommandError, IDENTITY, type Options, withSettings } from './cli.ts';
import type { CliCommand } from './command.ts';
import { progressOn } from './progress.ts';

export function addDrill(program: CliCommand, cli: Cli): void {
	const command = program
		.command('drill')
		.summary('Try a restore of the newest backup, without touching anything.')
		.description(
			'Restore a backup, by default the newest in FORMSRV_BACKUP_TO, into a temporary folder (TMPDIR), compare every row and ' +
				'every file with it, and remove the folder. Nothing is served and no mail is sent. Beside it stands what differs from ' +
				'the database that is there now. Exit 1 if anything is wrong. With PostgreSQL, a backup holds the files alone.',
		)
		.argument('[file]', 'The backup, also in a bucket, as s3://bucket/prefix/name')
		.option(...IDENTITY)
		.option('--json', 'Print JSON')
		.examples('formsrv drill --identity backup-key.txt');
	withSettings(command, BACKUP_SETTINGS).action(async (file: string | undefined, options: Options) => {
		const config = cli.loadSettings(options);
		const name = file ?? (await newest(config));
		await withScratch('drill', (folder) => tryRestore(cli, { name, folder: folder(), config, options }));
	});
}

/** The newest of the installation whose database is here; of any, if there is none or it cannot be read. */
async function newest(config: Config): Promise<string> {
	const { to } = config.backup;
	if (!to) throw new CommandError('Name a backup, or set FORMSRV_BACKUP_TO.', 2);
	const place = await openPlace(to, besideDatabase(config));
	const id = await idHere(config);
	const archive = lastBackup(await place.list(), { id, now: Date.now() });
	if (!archive) {
		const whose = id === undefined ? '' : ` of this installation, ${id},`;
		throw new CommandError(`There is no backup${whose} in ${place.name}.`);
	}
	return `${place.name}/${archive.name}`;
}

interface Job {
	name: string;
	folder: string;
	config: Config;
	options: Options;
}

async function tryRestore(cli: Cli, { name, folder, config, options }: Job): Promise<void> {
	const began = performance.now();
	const { path } = await plainArchive(cli, { name, options, scratch: () => join(folder, 'archive.tar'), config });
	const { tables, files, problems, database, madeAt } = await checked(cli, { name, path, folder });
	const { differences, omitted } = compareWithNow(config, database);
	if (omitted > 0)
		problems.push(`Older than the newest submission in it, and not in it: ${plural(omitted, 'submission')}.`);
	if (problems.length > 0) cli.exitCode = 1;
	const rows = tables.reduce((sum, table) => sum + table.rows, 0);
	if (options.json) {
		return void cli.printJson({ backup: name, madeAt, files, rows, tables: differences ?? tables, problems });
	}
	const now = new Map(differences?.map((table) => [table.table, table]));
	const count = (value: number | undefined) => (value === undefined ? '' : formatCount(value));
	const lines = tables.map((table) => {
		const { same, changed, missing, added } = now.get(table.table) ?? {};
		return { name: table.table, counts: [table.rows, same, changed, missing, added] };
	});
	if (database !== null) {
		cli.printTable(
			['TABLE', 'ROWS', 'SAME NOW', 'CHANGED SINCE', 'DELETED SINCE', 'NEW SINCE'],
			lines.filter(({ counts }) => counts.some(Boolean)).map((line) => [line.name, ...line.counts.map(count)]),
		);
		cli.print('');
	}
	for (const problem of problems) cli.print(problem);
	if (problems.length > 0) return;
	const seconds = ((performance.now() - began) / 1000).toFixed(1);
	const all = database === null ? plural(files, 'file') : `${plural(rows, 'row')} and ${plural(files, 'file')}`;
	cli.print(`${name}, of ${madeAt}, restores in ${seconds} s: ${all}, each as in the backup.`);
}

async function checked(cli: Cli, { name, path, folder }: { name: string; path: string; folder: string }) {
	if (!isArchive(path))
		throw new CommandError(`${name} is no archive, which a drill needs; "formsrv backup verify" checks it.`);
	try {
		using archive = openArchive(path);
		const changed = verifyArchive(cli, archive);
		if (changed.length > 0) throw new UnusableArchive(changed.join(' '));
		const progress = progressOn(cli.io.stderr);
		const all = archive.countFiles();
		const drilled = await drill(archive, folder, (done) => progress.show(done, all)).finally(progress.end);
		return { ...drilled, madeAt: archive.heading.madeAt.toISOString() };
	} catch (error) {
		if (!(error instanceof UnusableArchive)) throw error;
		throw new CommandError(`${name} cannot be restored. ${error.message}`);
	}
}

/** `undefined` if there is no database here that can be read. */
async function idHere(config: Config): Promise<string | undefined> {
	if (isFile(config.database) && !isHere(config)) return undefined;
	try {
		const database = await databaseAt(config.database);
		const { problems, isCurrent } = await database.inspect('quick');
		return problems.length === 0 && isCurrent ? installationId(await database.serverValue(INSTALLATION)) : undefined;
	} catch {
		return undefined;
	}
}

function isHere({ database }: Config): boolean {
	return isFile(database) && existsSync(database) && databaseFileAt(database).exists();
}

/** Nothing to compare with if there is no database here, or one of another version. */
function compareWithNow(config: Config, database: string | null): { differences?: TableComparison[]; omitted: number } {
	if (database === null || !isHere(config) || !databaseFileAt(database).inspect('quick').isCurrent)
		return { omitted: 0 };
	const restored = databaseFileAt(database);
	return { differences: restored.compareRows(config.database), omitted: restored.countOmitted(config.database) };
}

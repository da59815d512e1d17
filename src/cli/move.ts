/** `formsrv move`: takes a database from SQLite to PostgreSQL, or back. */

import { isPostgres } from '../config/postgres-url.ts';
import { type Config, ConfigError } from '../config.ts';
import { moveDatabase } from '../storage/move.ts';
import { databaseAt, isFile } from '../storage/open.ts';
import { plural } from '../text/plural.ts';
import { type Cli, CommandError, createCli, missingDatabase, type Options, withStorage } from './cli.ts';
import type { CliCommand } from './command.ts';
import { progressOn } from './progress.ts';

/** The beginning of an address; one letter is a drive of Windows. */
const SCHEME = /^[a-z][a-z\d+.-]+:/i;

export function addMove(program: CliCommand, cli: Cli): void {
	const command = program
		.command('move')
		.summary('Move the database from SQLite to PostgreSQL, or back.')
		.description(
			'Move the database of the settings to another engine. No server must run on either. What is there stays as it is, and is ' +
				'compared with what arrived. A move that was cut off goes on when the command is run again.',
		)
		.requiredOption('--to <place>', 'An empty PostgreSQL database, as postgres://…, or the path of a new SQLite file')
		.option('--json', 'Print JSON')
		.examples(
			'formsrv move --to postgres://forms@db.example.com/forms',
			'formsrv move --database-url postgres://forms@db.example.com/forms --to formsrv-data/formsrv.db',
		);
	withStorage(command).action(async (options: Options) => {
		const { source, target } = settingsOf(cli, options);
		const [from, to] = [source.database, target.database];
		if (isFile(from) === isFile(to)) throw new CommandError(sameEngine(to), 2);
		const { exists, name } = await databaseAt(from);
		if (!(await exists())) throw new CommandError(missingDatabase(from));
		const progress = progressOn(cli.io.stderr);
		const tables = await moveDatabase({ from, to, report: progress.show }).finally(progress.end);
		const rows = tables.reduce((sum, table) => sum + table.rows, 0);
		const submissions = tables.find(({ table }) => table === 'submissions')?.rows ?? 0;
		const place = (await databaseAt(to)).name;
		await cli.record(target, 'move', { facts: { from: name, to: place }, counts: { rows } });
		cli.printResult(
			options,
			{ from: name, to: place, tables },
			`Moved ${plural(rows, 'row')} of ${plural(tables.length, 'table')}, with ${plural(submissions, 'submission')}, from ${name} to ${place}. ` +
				'Both have the same, by counts and SHA-256 of each table.',
		);
		if ((tables.find(({ table }) => table === 'files')?.rows ?? 0) > 0) cli.note(whereFilesAre(source, target));
	});
}

/** The settings on both sides. A password in them is that of PostgreSQL, whichever side it is. */
function settingsOf(cli: Cli, options: Options): { source: Config; target: Config } {
	const to = `${options.to}`;
	const env = Object.fromEntries(
		Object.entries(cli.io.env).filter(([name]) => !name.startsWith('FORMSRV_DATABASE_PASSWORD')),
	);
	const ofFile = createCli({ ...cli.io, env });
	if (isPostgres(to)) {
		return { source: ofFile.loadSettings(options), target: targetOf(cli, { ...options, databaseUrl: to }) };
	}
	const databaseUrl = SCHEME.test(to) ? to : `sqlite:${to}`;
	return { source: cli.loadSettings(options), target: targetOf(ofFile, { ...options, databaseUrl }) };
}

/** The settings of the target. Problems are said of the option that named it. */
function targetOf(cli: Cli, options: Options): Config {
	try {
		return cli.loadSettings(options);
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error;
		throw new ConfigError(error.problems.map((problem) => problem.replaceAll('--database-url', '--to')));
	}
}

function whereFilesAre(source: Config, target: Config): string {
	const isSame = JSON.stringify(source.files.place) === JSON.stringify(target.files.place);
	return isSame
		? 'Attached files stay where they are.'
		: 'Attached files were not moved: copy them to where the new settings look for them, and run "formsrv doctor" there.';
}

function sameEngine(to: string): string {
	return isFile(to)
		? 'Both are SQLite files: use "formsrv backup" and "formsrv restore".'
		: 'Both are PostgreSQL: use pg_dump and pg_restore.';
}

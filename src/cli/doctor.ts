/** `formsrv doctor`: checks everything an installation depends on and reports problems. */

import { existsSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { NO_CLOCK } from '../storage/clock-report.ts';
import { type Database, type DatabaseReport, type DiskUse, databaseAt } from '../storage/database.ts';
import { type Cli, type Options, withSettings } from './cli.ts';
import { ownAddress } from './healthcheck.ts';
import { inspectAttachedFiles } from './inspect-files.ts';

/** A write-ahead log larger than this shows that a reader keeps the server from emptying it. */
const LARGE_LOG_BYTES = 256 * 1024 * 1024;
const OTHERS = 0o077;
const SERVER_TIMEOUT_MS = 2000;

/** The result of one check; `problem` is a sentence. */
export interface Finding {
	subject: string;
	found: string;
	problem?: string;
	/** Of the files that the problem is about. */
	keys?: string[];
}

export function addDoctor(program: Command, cli: Cli): void {
	const command = program
		.command('doctor')
		.summary('Check settings, database, files, permissions, disk, clock and the running server.')
		.description(
			'Check the settings, the database, attached files, permissions, disk space and clock; exit 1 if anything is wrong. ' +
				'It changes nothing and can be used while the server runs.',
		)
		.option('--json', 'Print JSON');
	withSettings(command).action(async (options: Options) => {
		const config = cli.loadSettings(options);
		const database = await databaseAt(config.database);
		const report = await tryInspect(database);
		const isReadable = report?.problems.length === 0 && report.isCurrent;
		const findings = [
			...inspectModes([config.dataDir, ...database.files]),
			...(await inspectData(database, report)),
			...(await inspectAttachedFiles(config, isReadable ? database : undefined)),
			...inspectRoom(database),
			await inspectServer(config),
		];
		const { settings } = config;
		if (findings.some(({ problem }) => problem !== undefined)) cli.exitCode = 1;
		if (options.json) return void cli.printJson({ settings, findings });
		cli.printTable(
			['SETTING', 'VALUE', 'FROM'],
			settings.map(({ name, value, source }) => [name, value, source]),
		);
		cli.print('');
		cli.printTable(
			['', 'CHECK', 'RESULT'],
			findings.map(({ subject, found, problem }) => [problem ? 'BAD' : 'ok', subject, problem ?? found]),
		);
	});
}

function inspectModes(paths: readonly string[]): Finding[] {
	return paths.filter((path) => existsSync(path)).map(inspectMode);
}

function inspectMode(path: string): Finding {
	const stat = statSync(path);
	const mode = (stat.mode & 0o777).toString(8).padStart(4, '0');
	const right = stat.isDirectory() ? '700' : '600';
	const problem = `${path} is open to other users of this machine (${mode}): chmod ${right} ${path}`;
	return { subject: 'permissions', found: `${path} ${mode}`, ...((stat.mode & OTHERS) !== 0 && { problem }) };
}

async function inspectData(database: Database, report: DatabaseReport | undefined): Promise<Finding[]> {
	const engine = { subject: 'engine', found: await database.engine() };
	if (!report) return [engine, { subject: 'database', found: 'none yet; the first start of the server makes it' }];
	const findings: Finding[] =
		report.problems.length === 0
			? [{ subject: 'database', found: `sound, schema ${report.schema}` }]
			: report.problems.map((problem) => ({ subject: 'database', found: 'unsound', problem }));
	return [engine, ...findings, inspectClock(report)];
}

/** `undefined` if there is no database yet. */
async function tryInspect(database: Database): Promise<DatabaseReport | undefined> {
	try {
		return (await database.exists()) ? await database.inspect('quick') : undefined;
	} catch (error) {
		return { schema: 0, isCurrent: false, clock: NO_CLOCK, problems: [(error as Error).message] };
	}
}

function inspectClock({ clock: { problem, latest } }: DatabaseReport): Finding {
	const found = [new Date().toISOString(), latest].filter((text) => text !== null).join('. ');
	return { subject: 'clock', found, ...(problem !== null && { problem }) };
}

function inspectRoom({ name, measure }: Database): Finding[] {
	const { walBytes = 0, disk = null } = measure() ?? {};
	return disk ? [inspectLog(name, walBytes), inspectDisk(disk)] : [];
}

function inspectLog(file: string, walBytes: number): Finding {
	const found = `${megabytes(walBytes)} in ${file}-wal`;
	const problem = `There is ${found}, which cannot be emptied while a program reads from the database without a pause: end that.`;
	return { subject: 'log', found, ...(walBytes >= LARGE_LOG_BYTES && { problem }) };
}

/** Asks the running server, which alone knows its open files and whether its writes succeed. */
async function inspectServer(config: Config): Promise<Finding> {
	const subject = 'server';
	if (config.port === 0) return { subject, found: 'its port is not known' };
	const address = ownAddress(config);
	const found = `at ${address}`;
	try {
		const response = await fetch(`${address}/ready`, { signal: AbortSignal.timeout(SERVER_TIMEOUT_MS) });
		const { error, problem } = (await response.json()) as { error?: string; problem?: string };
		if (response.ok) return { subject, found: `takes submissions, ${found}`, ...(problem && { problem }) };
		return { subject, found, problem: error ?? `It responds with ${response.status}, ${found}.` };
	} catch {
		return { subject, found: `none answers ${found}` };
	}
}

function inspectDisk({ folder, freeBytes, neededBytes }: NonNullable<DiskUse['disk']>): Finding {
	const found = `${megabytes(freeBytes)} free at ${folder}`;
	const problem = `Only ${found}; keep at least ${megabytes(neededBytes)}, a backup needs as much.`;
	return { subject: 'disk', found, ...(freeBytes < neededBytes && { problem }) };
}

function megabytes(bytes: number): string {
	return `${Math.floor(bytes / 1e6)} MB`;
}

/** `formsrv doctor`: checks everything an installation depends on and reports problems. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import type { Config } from '../config.ts';
import { filesAlone } from '../files/open.ts';
import { createDisposableCheck } from '../spam/sender/disposable.ts';
import { NO_CLOCK } from '../storage/clock-report.ts';
import type { CountReport, Database, DatabaseReport, DiskUse } from '../storage/database.ts';
import { LEAST_INODES } from '../storage/disk-room.ts';
import { databaseAt } from '../storage/open.ts';
import { roughSize } from '../text/byte-sizes.ts';
import { formatCount, plural } from '../text/plural.ts';
import { systemReason } from '../text/system-reason.ts';
import { type Cli, type Options, withSettings } from './cli.ts';
import type { CliCommand } from './command.ts';
import { inspectBackups } from './inspect-backups.ts';
import { inspectAttachedFiles } from './inspect-files.ts';
import { inspectOutbox } from './inspect-outbox.ts';

/** A write-ahead log larger than this shows that a reader keeps the server from emptying it. */
const LARGE_LOG_BYTES = 256 * 1024 * 1024;
const OTHERS = 0o077;

/** The result of one check; `problem` is a sentence. */
export interface Finding {
	subject: string;
	found: string;
	problem?: string;
	/** It is not in use, which is no problem. */
	isOff?: true;
	/** Keys of the files that the problem is about. */
	keys?: string[];
}

export function addDoctor(program: CliCommand, cli: Cli): void {
	const command = program
		.command('doctor')
		.summary('Check settings, database, files, permissions, disk, clock, what is sent, and the server.')
		.description(
			'Check the settings, the database, attached files, permissions, disk space, clock, mail, webhooks and the server; ' +
				'exit 1 if anything is wrong ("!!"). A stopped server is no problem unless something waits for it ("--"). ' +
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
			...(report ? [] : await inspectTrace(config, database)),
			...(isReadable ? [inspectCounts(await database.compareCounts())] : []),
			...(await inspectAttachedFiles(config, isReadable ? database : undefined)),
			...inspectDomains(config),
			...inspectRoom(database),
			...(await inspectBackups(config, isReadable)),
			...(await inspectOutbox(config, isReadable ? database : undefined)),
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
			findings.map((finding) => [markOf(finding), finding.subject, finding.problem ?? finding.found]),
		);
	});
}

function markOf({ problem, isOff }: Finding): string {
	if (problem !== undefined) return '!!';
	return isOff ? '--' : 'ok';
}

/** Windows has other rights, which no mode shows. */
function inspectModes(paths: readonly string[]): Finding[] {
	if (process.platform === 'win32') return [];
	return paths.filter((path) => existsSync(path)).map(inspectMode);
}

function inspectMode(path: string): Finding {
	const stat = statSync(path);
	const mode = (stat.mode & 0o777).toString(8).padStart(4, '0');
	const right = stat.isDirectory() ? '700' : '600';
	const isOpen = (stat.mode & OTHERS) !== 0;
	const open = `${path} is open to other users of this machine (${mode}): chmod ${right} ${path}`;
	const problem = unwritable(path) ?? (isOpen ? open : undefined);
	return { subject: 'permissions', found: `${path} ${mode}`, ...(problem && { problem }) };
}

/** As this process would find it. */
function unwritable(path: string): string | undefined {
	try {
		accessSync(path, constants.W_OK);
		return undefined;
	} catch (error) {
		return `${path} cannot be written to: ${systemReason(error as Error)}. Mount it for writing, or run doctor as the user of the server.`;
	}
}

async function inspectData(database: Database, report: DatabaseReport | undefined): Promise<Finding[]> {
	const engine = { subject: 'engine', found: await database.engine() };
	if (!report) return [engine, { subject: 'database', found: 'none yet; the first start of the server makes it' }];
	const findings: Finding[] =
		report.problems.length === 0
			? [{ subject: 'database', found: `intact, schema ${report.schema}` }]
			: report.problems.map((problem) => ({ subject: 'database', found: 'unsound', problem }));
	return [engine, ...findings, inspectClock(report)];
}

async function inspectTrace({ files }: Config, { name }: Database): Promise<Finding[]> {
	const problem = await filesAlone(files.place, name);
	return problem === undefined ? [] : [{ subject: 'database', found: 'missing', problem }];
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

function inspectCounts({ compared, of, wrong }: CountReport): Finding {
	const subject = 'counts';
	const part = compared < of ? `; there was no time for the ${plural(of - compared, 'older form')}` : '';
	const found = `those of ${plural(compared, 'form')} are as their submissions${part}`;
	const problem = `The counts of ${wrong.join(', ')} differ from the submissions, so that lists may hide some. An export has them all; docs/operating.md says how to count again.`;
	return { subject, found, ...(wrong.length > 0 && { problem }) };
}

/** Without the file the server does not start. */
function inspectDomains({ disposableDomains: file }: Config): Finding[] {
	if (file === null) return [];
	const finding = { subject: 'spam', found: `disposable mail addresses are those of ${file}` };
	try {
		createDisposableCheck(file);
		return [finding];
	} catch (error) {
		return [{ ...finding, problem: (error as Error).message }];
	}
}

function inspectRoom({ name, measure }: Database): Finding[] {
	const { walBytes = 0, disk = null } = measure() ?? {};
	return disk ? [inspectLog(name, walBytes), inspectDisk(disk)] : [];
}

function inspectLog(file: string, walBytes: number): Finding {
	const found = `${roughSize(walBytes)} in ${file}-wal`;
	const problem = `There is ${found}, which cannot be emptied while a program reads from the database without a pause: end that.`;
	return { subject: 'log', found, ...(walBytes >= LARGE_LOG_BYTES && { problem }) };
}

function inspectDisk({ folder, free: { bytes, inodes }, neededBytes }: NonNullable<DiskUse['disk']>): Finding {
	const files = Number.isFinite(inodes) ? ` and ${formatCount(inodes)} inodes` : '';
	const found = `${roughSize(bytes)}${files} free at ${folder}`;
	const least = `${roughSize(neededBytes)}, as a backup needs as much, and ${formatCount(LEAST_INODES)} inodes`;
	const problem = `Only ${found}; keep at least ${least}.`;
	return { subject: 'disk', found, ...((bytes < neededBytes || inodes < LEAST_INODES) && { problem }) };
}

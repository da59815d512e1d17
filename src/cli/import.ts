/** `formsrv import`: submissions of a file, of another service or an export of formsrv, into a form. */

import { AppError } from '../errors.ts';
import { createSafeNames } from '../files/safe-name.ts';
import { NOTE } from '../submissions/files/archive.ts';
import { MAX_BAD_PERCENT, PROBLEMS_SHOWN } from '../submissions/import/rows.ts';
import type { ImportReport, MissingFiles, OwnRow } from '../submissions/import/schema.ts';
import { createMapping, type Mapper, SOURCE_NAMES, type SourceName } from '../submissions/import/sources.ts';
import { roughSize } from '../text/byte-sizes.ts';
import { plural } from '../text/plural.ts';
import { type Api, at, findForm } from './api.ts';
import { type Cli, CommandError, type Options } from './cli.ts';
import type { CliCommand } from './command.ts';
import type { FilesArchive } from './import-files.ts';
import { type Portion, type Reading, readMembers, readPortions, type SentRow } from './import-rows.ts';
import { regularFile } from './named-file.ts';
import { progressOn } from './progress.ts';
import { runOnApi } from './run-on-api.ts';
import { onStop } from './stop-signals.ts';

const LEFT_OUT_SHOWN = 20;
/** From so many on their share of bad ones tells something. */
const ENOUGH_ROWS = 200;
const WITH_TIME = 'the whole file: nothing is stored twice.';
const WITHOUT_TIME = 'the rows that are missing: those that got the time of the import would be stored twice.';
const NOTHING = { imported: 0, known: 0, bad: 0, problems: [] };

interface ImportOptions extends Options {
	form: string;
	from?: SourceName;
	map?: string[];
	time?: string;
	spam?: string;
	files?: string;
}

/** The sums so far. */
interface Done extends Omit<ImportReport, 'missingFiles'> {
	/** It ended at too many bad rows. */
	isStopped: boolean;
	/** Files whose bytes were brought along, and those that are missing because there is no archive. */
	files: number;
	missingFiles: number;
	/** Sentences about others. */
	leftOut: string[];
}

export function addImport(program: CliCommand, cli: Cli): void {
	const command = program
		.command('import')
		.summary('Import submissions from a file into a form.')
		.description(
			'Import submissions from a file into a form, with their times: a CSV or NDJSON file of another service, or an NDJSON export of ' +
				'formsrv, with flags and files. Nothing is sent to anyone, and no rule is applied. It can be done while the server runs; a file ' +
				'that is imported twice is there once, but for rows that got the time of the import.',
		)
		.argument('<file>', 'CSV or NDJSON')
		.requiredOption('--form <form>', 'Id or slug of the form')
		.choice('--from <service>', 'Where the file comes from (default: by its name, csv or ndjson)', SOURCE_NAMES)
		.option('--map <old=new...>', 'The field that a column becomes; none after the "=" leaves the column out')
		.option('--time <column>', 'The column with the time, in RFC 3339; without a zone it is UTC')
		.option('--spam <column>', 'The column that says whether it is spam')
		.option('--files <zip>', 'The archive of attached files, as "submissions export --files" writes it')
		.option('--time-now', 'Give rows without a time that of the import')
		.option('--dry-run', 'Store nothing, and only say what is wrong')
		.examples(
			'formsrv import contact.csv --form contact-k3v9x2qm --from formspree --dry-run',
			'formsrv import contact.csv --form contact-k3v9x2qm --time "Submitted at" --map "Your name=name" --map "IP="',
			'formsrv import contact.ndjson --form contact-k3v9x2qm --files contact.zip',
		);
	runOnApi<ImportOptions, [string]>(command, { cli }, (options, path) => {
		const from = options.from ?? (/\.(?:ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'csv');
		const mapper = createMapping({
			...options,
			from,
			isTimeNow: options.timeNow === true,
			names: parsePairs(options.map ?? []),
			readFields: readMembers,
		});
		return async (api) => {
			const file = Bun.file(regularFile(path, cli.io.cwd));
			const zip = options.files === undefined ? undefined : regularFile(options.files, cli.io.cwd);
			const { id } = await findForm(api, options.form);
			const archive = zip === undefined ? undefined : await openFiles(zip);
			try {
				const reading = { isLines: from === 'ndjson', mayBeOwn: ['ndjson', undefined].includes(options.from), mapper };
				const done = await importFile({ api, form: id, archive, options, cli }, { file, ...reading });
				printDone(cli, options, done);
				if (!done.isStopped) noteUnseen(cli, mapper);
			} finally {
				archive?.close();
			}
		};
	});
}

/** Few commands read an archive. */
const openFiles = async (path: string) => (await import('./import-files.ts')).openFilesArchive(path);

function parsePairs(texts: readonly string[]): Map<string, string> {
	const pairs = new Map<string, string>();
	for (const [column, field] of texts.map(parsePair)) {
		if (pairs.has(column)) throw new CommandError(`--map names ${JSON.stringify(column)} twice.`, 2);
		pairs.set(column, field);
	}
	return pairs;
}

function parsePair(text: string): [string, string] {
	const at = text.lastIndexOf('=');
	if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
	throw new CommandError(`--map wants "old=new", not ${JSON.stringify(text)}. See formsrv import --help.`, 2);
}

interface Target {
	api: Api;
	/** The id of the form. */
	form: string;
	archive: FilesArchive | undefined;
	options: Options;
	cli: Cli;
}

async function importFile(
	target: Target,
	{ file, ...reading }: Pick<Reading, 'isLines' | 'mayBeOwn' | 'mapper'> & { file: Bun.BunFile },
): Promise<Done> {
	const { options, cli } = target;
	const progress = progressOn(cli.io.stderr, roughSize);
	let read = 0;
	let done: Done = { ...NOTHING, isStopped: false, files: 0, missingFiles: 0, leftOut: [] };
	/** Nothing is stored yet. */
	let isFirst = true;
	const noteCut = () => {
		if (options.dryRun || isFirst) return;
		progress.end();
		const by = `${plural(done.imported, 'submission')} imported by then, ${done.known} there already`;
		cli.note(`${by}, and perhaps some more. Run it again with ${options.timeNow ? WITHOUT_TIME : WITH_TIME}`);
	};
	const off = onStop(noteCut);
	try {
		for await (const portion of readPortions(file, { ...reading, onRead: (bytes) => (read += bytes) })) {
			if (isFirst && !options.dryRun) {
				// A wrong file, or a wrong mapping, stores nothing.
				const tried = added(done, portion, await send(target, portion, true));
				if (tried.isStopped) return { ...tried, imported: 0 };
			}
			isFirst = false;
			const report = await send(target, portion, options.dryRun === true);
			done = added(done, portion, report);
			if (!target.archive)
				done.missingFiles += report.missingFiles.flatMap(({ files }) => files).filter(isMissing).length;
			for (const missing of report.missingFiles)
				await sendFiles(target, { missing, row: portion.rows[missing.line - 1] as SentRow, done });
			progress.show(read, file.size);
			if (done.isStopped) break;
		}
		return done;
	} catch (error) {
		noteCut();
		throw error;
	} finally {
		off();
		progress.end();
	}
}

async function send({ api, form, options }: Target, { rows }: Portion, isDryRun: boolean): Promise<ImportReport> {
	if (rows.length === 0) return { ...NOTHING, missingFiles: [] };
	const query = { dryRun: `${isDryRun}`, timeNow: `${options.timeNow === true}`, maxBad: '100' };
	const body = `${rows.map(({ text }) => text).join('\n')}\n`;
	return api.send(at`/api/forms/${form}/import`, { type: 'application/x-ndjson', body }, query);
}

function added(done: Done, { rows, problems, isLast }: Portion, report: ImportReport): Done {
	const found = report.problems.map(({ line, problem }) => ({ line: (rows[line - 1] as SentRow).line, problem }));
	const ofBoth = [...problems, ...found].sort((a, b) => a.line - b.line);
	const imported = done.imported + report.imported;
	const known = done.known + report.known;
	const bad = done.bad + problems.length + report.bad;
	const read = imported + known + bad;
	return {
		...done,
		...{ imported, known, bad },
		isStopped: (isLast || read >= ENOUGH_ROWS) && 100 * bad > MAX_BAD_PERCENT * read,
		problems: [...done.problems, ...ofBoth].slice(0, PROBLEMS_SHOWN),
	};
}

interface Sending {
	missing: MissingFiles;
	row: SentRow;
	/** Counts them. */
	done: Done;
}

/** Sends the bytes of a submission's files, which lie in a folder of its former id, under names that the export chose. */
async function sendFiles({ api, form, archive }: Target, { missing, row, done }: Sending): Promise<void> {
	if (!archive) return;
	const memberOf = (name: string) => JSON.parse(row.fields?.find((one) => one.name === name)?.json ?? 'null');
	const [formerId, former] = [memberOf('id') as string, memberOf('files') as OwnRow['files']];
	const nameOf = createSafeNames([NOTE]);
	const paths = (former ?? []).map(({ name }) => `${formerId}/${nameOf(name)}`);
	for (const [i, file] of missing.files.entries()) {
		if (!isMissing(file) || former?.[i]?.isKept === false) continue;
		const path = paths[i] ?? '';
		try {
			const content = { type: 'application/octet-stream', body: () => archive.read(path) };
			await api.send(at`/api/forms/${form}/submissions/${missing.submissionId}/files/${file.id}/content`, content);
			done.files++;
		} catch (error) {
			const reason = archive.problem() ?? (isOfFile(error) ? error.message : undefined);
			if (reason === undefined) throw error;
			done.leftOut.push(`${path}: ${reason}`);
		}
	}
}

const isMissing = ({ isKept }: MissingFiles['files'][number]) => isKept === false;

function isOfFile(error: unknown): error is AppError {
	return error instanceof AppError && ['NOT_FOUND', 'VALIDATION_ERROR', 'FILES_FULL'].includes(error.code);
}

function noteUnseen(cli: Cli, mapper: Mapper): void {
	for (const { option, column } of mapper.unseen())
		cli.note(
			`${option} names ${JSON.stringify(column)}, which no row has; rows of formsrv’s own exports stay as they are.`,
		);
}

function printDone(cli: Cli, options: ImportOptions, done: Done): void {
	const { imported, known, bad, isStopped, problems, files, missingFiles, leftOut } = done;
	if (bad > 0 || leftOut.length > 0) cli.exitCode = 1;
	if (options.json) return void cli.printJson(done);
	if (problems.length > 0)
		cli.printTable(
			['LINE', 'PROBLEM'],
			problems.map(({ line, problem }) => [`${line}`, problem]),
		);
	if (bad > problems.length) cli.note(`And ${bad - problems.length} more.`);
	const what = `${plural(imported, 'submission')} ${options.dryRun ? 'can be imported' : 'imported'}`;
	cli.note(`${what}, ${known} there already, ${plural(bad, 'row')} left out.`);
	if (isStopped)
		cli.note(
			`It ended because more than ${MAX_BAD_PERCENT} % of the rows are left out. Run it again once that is mended.`,
		);
	if (missingFiles > 0)
		cli.note(`Without their bytes: ${plural(missingFiles, 'file')}. Add --files with their archive.`);
	if (options.files === undefined) return;
	cli.note(`${plural(files, 'file')} brought along.`);
	if (leftOut.length > 0) cli.note(`Left out: ${leftOut.length}.`);
	for (const sentence of leftOut.slice(0, LEFT_OUT_SHOWN)) cli.note(`  ${sentence}`);
}

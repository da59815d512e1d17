/** `formsrv import`: submissions of a file, of another service or an export of this one, into a form. */

import { resolve } from 'node:path';
import { recordAction } from '../storage/audit/action.ts';
import { readCsv } from '../submissions/import/csv.ts';
import { createImports, maxLineBytes } from '../submissions/import/import.ts';
import { readNdjson } from '../submissions/import/ndjson.ts';
import type { ReadOptions, ReadRow } from '../submissions/import/rows.ts';
import type { ImportReport } from '../submissions/import/schema.ts';
import { createMapping, SOURCE_NAMES, type SourceName } from '../submissions/import/sources.ts';
import { roughSize } from '../text/byte-sizes.ts';
import { plural } from '../text/plural.ts';
import { about, type Cli, CommandError, findForm, type Options, runOnApp } from './cli.ts';
import type { CliCommand } from './command.ts';
import { progressOn } from './progress.ts';

const CSV_COLUMNS = 1000;

interface ImportOptions extends Options {
	form: string;
	from?: SourceName;
	map?: string[];
	time?: string;
	spam?: string;
}

export function addImport(program: CliCommand, cli: Cli): void {
	const command = program
		.command('import')
		.summary('Import submissions from a file into a form.')
		.description(
			'Import submissions from a file into a form, with their times: a CSV or NDJSON file of another service, or an NDJSON export of ' +
				'this one, with flags. Nobody is sent anything, and no rule is applied. It can be done while the server runs; a file that is ' +
				'imported twice is there once.',
		)
		.argument('<file>', 'CSV or NDJSON')
		.requiredOption('--form <form>', 'Id or slug of the form')
		.choice('--from <service>', 'Where the file comes from (default: by its name, csv or ndjson)', SOURCE_NAMES)
		.option('--map <old=new...>', 'The field that a column becomes; none after the "=" leaves the column out')
		.option('--time <column>', 'The column with the time, in RFC 3339; without a zone it is UTC')
		.option('--spam <column>', 'The column that says whether it is spam')
		.option('--time-now', 'Give rows without a time that of the import')
		.option('--dry-run', 'Store nothing, and only say what is wrong')
		.examples(
			'formsrv import contact.csv --form contact-k3v9x2qm --from formspree --dry-run',
			'formsrv import contact.csv --form contact-k3v9x2qm --time "Submitted at" --map "Your name=name" --map "IP="',
			'formsrv import contact.ndjson --form contact-k3v9x2qm',
		);
	runOnApp<ImportOptions, [string]>(command, { cli, action: 'importSubmissions' }, (options, path) => {
		const file = Bun.file(resolve(cli.io.cwd, path));
		const from = options.from ?? (/\.(?:ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'csv');
		const map = createMapping({ ...options, from, names: new Map((options.map ?? []).map(parsePair)) });
		return async (app) => {
			if (!(await file.exists())) throw new CommandError(`There is no file ${path}.`);
			const shown = await findForm(app, options.form);
			const form = await app.storage.findForm(shown.id);
			if (!options.dryRun) await recordAction(app.storage, { ...about(shown), facts: { from } });
			const { readJson: readFields } = app.intake;
			const { maxBody: maxBytes } = app.config.limits;
			const progress = progressOn(cli.io.stderr, roughSize);
			let done = 0;
			const rows = readFile(
				counted(file, (bytes) => (done += bytes)),
				{
					...{ readFields, isLines: from === 'ndjson' || (await isLines(file)) },
					maxBytes: maxLineBytes(maxBytes),
				},
			);
			const report = await createImports(app.storage, { readFields, maxBytes })
				.run(form, {
					...{ rows, map },
					isTimeNow: options.timeNow === true,
					isDryRun: options.dryRun === true,
					onProgress: () => progress.show(done, file.size),
				})
				.finally(progress.end);
			printReport(cli, options, report);
		};
	});
}

/** Files of other services are one or the other, whatever they are called. */
async function isLines(file: Bun.BunFile): Promise<boolean> {
	return /^\ufeff?\s*\{/.test(await file.slice(0, 1024).text());
}

function readFile(
	chunks: AsyncIterable<Uint8Array>,
	{ isLines, ...options }: ReadOptions & { isLines: boolean },
): AsyncIterable<ReadRow> {
	return isLines ? readNdjson(chunks, options) : readCsv(chunks, { ...options, maxColumns: CSV_COLUMNS });
}

async function* counted(file: Bun.BunFile, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
	for await (const chunk of file.stream()) {
		count(chunk.length);
		yield chunk;
	}
}

function parsePair(text: string): [string, string] {
	const at = text.lastIndexOf('=');
	if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
	throw new CommandError(`--map wants "old=new", not ${JSON.stringify(text)}. See formsrv import --help.`, 2);
}

function printReport(cli: Cli, options: Options, report: ImportReport): void {
	const { imported, known, bad, isStopped, problems } = report;
	if (bad > 0) cli.exitCode = 1;
	if (options.json) return void cli.printJson(report);
	if (problems.length > 0)
		cli.printTable(
			['LINE', 'PROBLEM'],
			problems.map(({ line, problem }) => [`${line}`, problem]),
		);
	if (bad > problems.length) cli.note(`And ${bad - problems.length} more.`);
	const done = options.dryRun
		? `${plural(imported, 'submission')} can be imported`
		: `${plural(imported, 'submission')} imported`;
	cli.note(`${done}, ${known} there already, ${plural(bad, 'row')} left out.`);
	if (isStopped) cli.note('It ended because more than 5 % of the rows are left out. Run it again once that is mended.');
}

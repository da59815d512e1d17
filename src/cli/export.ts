/** `formsrv submissions export`: the submissions of a form as a file for spreadsheets or programs. */

import { resolve } from 'node:path';
import { printable } from '../log/line-text.ts';
import { recordAction } from '../storage/audit/action.ts';
import { FORMULAS } from '../submissions/export/csv.ts';
import { parseExportQuery } from '../submissions/export/export.ts';
import { FORMATS } from '../submissions/export/formats.ts';
import { NOTE } from '../submissions/files/archive.ts';
import { createDownloads, type FormArchive } from '../submissions/files/downloads.ts';
import { roughSize } from '../text/byte-sizes.ts';
import { plural } from '../text/plural.ts';
import { about, type Cli, CommandError, findFormIn, type Options, type Output, withStorage } from './cli.ts';
import type { CliCommand } from './command.ts';
import { pass, type Write, writeToFile } from './output-file.ts';
import { QUERY, queryOf, withCriteria } from './query-options.ts';
import { operator } from './submission-files.ts';

const LEFT_OUT_SHOWN = 20;

export function addExport(submissions: CliCommand, cli: Cli): void {
	const command = submissions
		.command('export')
		.summary('Export the submissions of a form.')
		.description(
			'Export the submissions of a form. It can be done while the server runs; what arrives meanwhile is left out.',
		)
		.argument('<form>', 'Id or slug of the form')
		.choice('--format <format>', 'Format (default: that of the name of the output, else csv)', FORMATS)
		.option('-o, --output <file>', 'Write to this file instead of stdout')
		.option('--files <zip>', 'Write the attached files to this ZIP archive, in a folder for each submission')
		.option('--infected', 'Put files into the archive too in which the virus scanner found something')
		.option('--force', 'Overwrite the file if there is one')
		.option('--columns <names>', 'Columns, separated by commas, such as "createdAt,email"; "data" is all fields')
		.option(
			'--labels',
			'Call the columns of a CSV or workbook as people call them, fields by the labels of their rules',
		)
		.option('--time-zone <name>', 'Time zone of the moments in a CSV or workbook, such as Europe/Berlin (default: UTC)')
		.option('--bom', 'Begin a CSV with a byte order mark, which Excel needs')
		.choice(
			'--formulas <how>',
			'"guard": an apostrophe keeps spreadsheets from running formulas in a CSV; "raw": texts as sent, for programs (default: guard)',
			FORMULAS,
		);
	withCriteria(command).examples(
		'formsrv submissions export contact-k3v9x2qm -o contact.csv',
		'formsrv submissions export contact-k3v9x2qm -o contact.csv --files contact.zip',
		'formsrv submissions export contact-k3v9x2qm --labels --time-zone Europe/Berlin -o contact.xlsx',
		'formsrv submissions export contact-k3v9x2qm --format ndjson --since 2026-01-01 | gzip > contact.ndjson.gz',
	);
	withStorage(command).action((name: string, options: Options) => {
		const { output, format = FORMATS.find((one) => String(output).toLowerCase().endsWith(`.${one}`)) } = options;
		const params = queryOf({ ...options, format, bom: options.bom ? '1' : '0', labels: `${options.labels === true}` }, [
			'format',
			'columns',
			'labels',
			'timeZone',
			'formulas',
			'bom',
			...QUERY,
		]);
		const query = parseExportQuery(params);
		if (query.format === 'xlsx' && options.output === undefined && options.files === undefined)
			throw new CommandError('A workbook is not text: name its file with --output, such as contact.xlsx.', 2);
		const [table, archive] = [output, options.files].map((name) => name && resolve(cli.io.cwd, `${name}`));
		if (table !== undefined && table === archive)
			throw new CommandError('--output and --files name the same file: give each its own.', 2);
		return cli.withApp(options, {
			action: 'exportSubmissions',
			use: async (app) => {
				const form = await findFormIn(app, name);
				const { id } = form;
				const { filter = 'all', since, until, files } = options;
				const facts = {
					format: query.format,
					filter,
					since,
					until,
					files: files !== undefined,
					search: options.search !== undefined,
				};
				await recordAction(app.storage, { ...about(form), facts: factsOf(facts) });
				const target = { isForced: options.force === true, stderr: cli.io.stderr };
				if (options.files !== undefined) {
					const file = resolve(cli.io.cwd, String(options.files));
					const archive = await createDownloads(app.storage, app.files).openFormArchive(id, {
						...operator(options),
						query,
					});
					await writeToFile(archive, { ...target, file });
					reportArchive(cli, archive, file);
					if (options.output === undefined) return;
				}
				const opened = await app.submissions.openExport(id, { readQuery: () => query });
				if (options.output === undefined) return pass(opened, { write: writerTo(cli.io.stdout), report: () => {} });
				const file = resolve(cli.io.cwd, String(options.output));
				await writeToFile(opened, { ...target, file });
				cli.note(`${plural(opened.done, 'submission')} in ${file}.`);
			},
		});
	});
}

/** Those that are there and true. */
function factsOf(facts: Record<string, unknown>): Record<string, string | true> {
	const present = Object.entries(facts).filter(([, value]) => value !== undefined && value !== false);
	return Object.fromEntries(present.map(([name, value]) => [name, value === true || String(value)]));
}

function reportArchive(cli: Cli, { progress: { files, bytes, leftOut } }: FormArchive, file: string): void {
	cli.note(`${plural(files, 'file')} (${roughSize(bytes)}) in ${file}.`);
	reportLeftOut(cli, leftOut);
}

/** With a file left out, the command has failed. */
export function reportLeftOut(cli: Cli, leftOut: readonly string[]): void {
	if (leftOut.length === 0) return;
	cli.note(`Not in it, as its file ${NOTE} says too: ${leftOut.length}.`);
	for (const sentence of leftOut.slice(0, LEFT_OUT_SHOWN)) cli.note(`  ${sentence}`);
	cli.exitCode = 1;
}

/** Waits for a slow reader. On a terminal, control characters are escaped. */
function writerTo(stdout: Output): Write {
	const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	return async (bytes) => {
		const text = decoder.decode(bytes);
		const shown = stdout.isTTY ? text.split(/\r?\n/).map(printable).join('\n') : text;
		return (await stdout.write(shown)) !== false;
	};
}

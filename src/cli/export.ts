/** `formsrv submissions export`: the submissions of a form as a file for spreadsheets or programs. */

import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { printable } from '../log/line-text.ts';
import { FORMULAS } from '../submissions/export/csv.ts';
import type { Export } from '../submissions/export/export.ts';
import { parseExportQuery } from '../submissions/export/export-query.ts';
import { FORMATS } from '../submissions/export/formats.ts';
import { type Cli, CommandError, examples, findForm, type Options, type Output, withStorage } from './cli.ts';
import { progressOn } from './progress.ts';
import { CRITERIA, queryOf, withCriteria } from './query-options.ts';

const OWNER_ONLY = 0o600;

/** Resolves once the bytes are written, with `false` if the reader has gone. */
type Write = (bytes: Uint8Array<ArrayBuffer>) => Promise<boolean>;

export function addExport(submissions: Command, cli: Cli): void {
	const command = submissions
		.command('export')
		.summary('Export the submissions of a form.')
		.description(
			'Export the submissions of a form. It can be done while the server runs; what arrives meanwhile is left out.',
		)
		.argument('<form>', 'Its id or slug')
		.addOption(new Option('--format <format>', 'What to write (default: csv)').choices(FORMATS))
		.option('-o, --output <file>', 'Write to this file instead of stdout')
		.option('--force', 'Overwrite the file if there is one')
		.option('--bom', 'Begin a CSV with a byte order mark, which Excel needs')
		.addOption(
			new Option(
				'--formulas <how>',
				'"guard": an apostrophe keeps spreadsheets from running formulas in a CSV; "raw": texts as sent, for programs (default: guard)',
			).choices(FORMULAS),
		);
	withCriteria(command).addHelpText(
		'after',
		examples(
			'formsrv submissions export contact-k3v9x2qm -o contact.csv',
			'formsrv submissions export contact-k3v9x2qm --format ndjson --since 2026-01-01 | gzip > contact.ndjson.gz',
		),
	);
	withStorage(command).action((name: string, options: Options) => {
		const params = queryOf({ ...options, bom: options.bom ? '1' : '0' }, ['format', 'formulas', 'bom', ...CRITERIA]);
		const query = parseExportQuery(params);
		return cli.withApp(options, {
			use: async (app) => {
				const { id } = await findForm(app, name);
				const opened = await app.submissions.openExport(id, { readQuery: () => query });
				if (options.output === undefined) return pass(opened, { write: writerTo(cli.io.stdout), report: () => {} });
				const file = resolve(cli.io.cwd, String(options.output));
				const progress = progressOn(cli.io.stderr);
				await exportToFile(opened, {
					file,
					isForced: options.force === true,
					report: ({ done, total }) => progress.show(done, total),
				});
				progress.end();
				cli.note(`${opened.done} submissions are in ${file}.`);
			},
		});
	});
}

async function exportToFile(
	opened: Export,
	{ file, isForced, report }: { file: string; isForced: boolean; report: (opened: Export) => void },
): Promise<void> {
	const { handle, finish, discard } = await openOutput(file, isForced).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'EEXIST') throw new CommandError(`${file} exists already; --force overwrites it.`);
		throw new CommandError(`${file} cannot be written: ${error.message}`);
	});
	try {
		await pass(opened, { write: (bytes) => handle.writeFile(bytes).then(() => true), report });
		await finish();
	} catch (error) {
		await discard();
		throw error;
	} finally {
		await handle.close();
	}
}

interface OutputFile {
	handle: FileHandle;
	finish(): Promise<void>;
	/** Undoes the export. */
	discard(): Promise<void>;
}

async function openOutput(file: string, isForced: boolean): Promise<OutputFile> {
	const old = isForced ? await stat(file).catch(() => undefined) : undefined;
	if (old?.isFile()) return openReplacement(await realpath(file), old.mode);
	const isThere = old !== undefined;
	return {
		// An existing path that is no file is a pipe or a device: write to it and keep it.
		handle: await open(file, isThere ? 'w' : 'wx', OWNER_ONLY),
		finish: async () => {},
		discard: () => (isThere ? Promise.resolve() : rm(file, { force: true })),
	};
}

/** Replaces the old file as a whole, by a complete one in the same folder. */
async function openReplacement(file: string, mode: number): Promise<OutputFile> {
	const replacement = `${file}.${crypto.randomUUID()}.part`;
	const handle = await open(replacement, 'wx', OWNER_ONLY);
	return {
		handle,
		async finish() {
			await handle.chmod(mode & 0o777);
			await handle.sync();
			await rename(replacement, file);
		},
		discard: () => rm(replacement, { force: true }),
	};
}

async function pass(opened: Export, { write, report }: { write: Write; report: (opened: Export) => void }) {
	for await (const bytes of opened.chunks) {
		if (!(await write(bytes))) return;
		report(opened);
	}
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

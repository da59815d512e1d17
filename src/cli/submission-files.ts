/** `formsrv submissions files`: the files of a submission, listed, or saved to a folder. */

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checkFileAccess, type FileCaller, INFECTED_CONFIRMATION } from '../files/file-access.ts';
import { presentFile } from '../files/present-file.ts';
import { createSafeNames } from '../files/safe-name.ts';
import { recordAction } from '../storage/audit/action.ts';
import type { StoredFile } from '../storage/submission.ts';
import { createDownloads } from '../submissions/files/downloads.ts';
import { roughSize } from '../text/byte-sizes.ts';
import { about, type Cli, findFormIn, type Options, runOnApp } from './cli.ts';
import type { CliCommand } from './command.ts';
import { type Written, writeToFile } from './output-file.ts';

const FOLDER_MODE = 0o700;
/** There is only one caller in a command. */
const CALLER = 'command';

export function addSubmissionFiles(submissions: CliCommand, cli: Cli): void {
	const command = submissions
		.command('files')
		.summary('List or save the files of a submission.')
		.description('List the files that are attached to a submission, or save them to a folder.')
		.argument('<form>', 'Id or slug of the form')
		.argument('<submission>', 'Its id')
		.option('-o, --output <folder>', 'Save them to this folder, under names that every system can store')
		.option('--infected', 'Save those too in which the virus scanner found something')
		.option('--force', 'Overwrite files that are there')
		.examples(
			'formsrv submissions files contact-k3v9x2qm cmnrg2x8a1c',
			'formsrv submissions files contact-k3v9x2qm cmnrg2x8a1c -o ./from-ada',
		);
	runOnApp(command, { cli, action: 'downloadFiles' }, (options, form: string, submissionId: string) => async (app) => {
		const ofForm = await findFormIn(app, form);
		const { id: formId } = ofForm;
		const downloads = createDownloads(app.storage, app.files);
		const find = () => downloads.list({ formId, submissionId });
		const files = await find();
		if (options.output === undefined) return list(cli, options, files);
		await recordAction(app.storage, { ...about(ofForm), object: `submission:${submissionId}` });
		const folder = resolve(cli.io.cwd, String(options.output));
		await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
		const nameOf = createSafeNames();
		const target = { isForced: options.force === true, stderr: cli.io.stderr, format: roughSize };
		const saved: object[] = [];
		for (const file of files) {
			const path = join(folder, nameOf(file.name));
			try {
				checkFileAccess(file, operator(options));
				const { chunks, end } = await downloads.open(file, { caller: CALLER, check: find });
				await writeToFile(counted(chunks, file.bytes), { ...target, file: path }).finally(end);
			} catch (error) {
				cli.note((error as Error).message);
				cli.exitCode = 1;
				continue;
			}
			saved.push({ ...presentFile(file), path });
			if (!options.json) cli.print(path);
		}
		if (options.json) cli.printJson(saved);
	});
}

function counted(chunks: AsyncIterable<Uint8Array>, total: number): Written {
	const written: Written = { chunks: count(), total, done: 0 };
	async function* count() {
		for await (const chunk of chunks) {
			written.done += chunk.length;
			yield chunk;
		}
	}
	return written;
}

/** A user of the command line may have all files; the infected ones if the flag confirms it. */
export function operator({ infected }: Options): FileCaller {
	return { permissions: ['admin'], infected: infected === true ? INFECTED_CONFIRMATION : undefined };
}

function list(cli: Cli, options: Options, files: readonly StoredFile[]): void {
	cli.printList(options, files.map(presentFile), {
		columns: {
			ID: ({ id }) => id,
			FIELD: ({ field }) => field,
			NAME: ({ name }) => name,
			TYPE: ({ type }) => type,
			SIZE: ({ size, isKept }) => roughSize(size) + (isKept === false ? ', not kept' : ''),
			SCAN: ({ scan }) => scan ?? '-',
		},
		none: 'This submission has no files.',
	});
}

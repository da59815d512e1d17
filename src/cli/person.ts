/** `formsrv person`: all submissions of one person, with their files, in one archive. */

import { resolve } from 'node:path';
import { recordAction } from '../storage/audit/action.ts';
import { openPersonArchive } from '../submissions/erasures/person-archive.ts';
import { createDownloads } from '../submissions/files/downloads.ts';
import { plural } from '../text/plural.ts';
import { type Cli, CommandError, runOnApp } from './cli.ts';
import type { CliCommand } from './command.ts';
import { reportLeftOut } from './export.ts';
import { writeToFile } from './output-file.ts';
import { operator } from './submission-files.ts';

export function addPerson(program: CliCommand, cli: Cli): void {
	const command = program
		.command('person')
		.summary('Export all submissions of one person, with their files.')
		.description(
			'Write a ZIP archive with all submissions that name a mail address, of all forms, spam included, one on each line of ' +
				'submissions.ndjson, and with their files. They are those that "formsrv erase" would remove.',
		)
		.option('--email <address>', 'The mail address')
		.option('-o, --output <zip>', 'The archive')
		.option('--infected', 'Put files into it too in which the virus scanner found something')
		.option('--force', 'Overwrite the archive if there is one')
		.examples('formsrv person --email ada@example.com -o ada.zip');
	runOnApp(command, { cli, action: 'exportPerson' }, (options) => {
		const { email, output } = options;
		if (email === undefined || output === undefined) {
			throw new CommandError('Give --email and --output. See formsrv person --help.', 2);
		}
		const file = resolve(cli.io.cwd, String(output));
		return async (app) => {
			await recordAction(app.storage, { facts: { infected: options.infected === true } });
			const downloads = createDownloads(app.storage, app.files);
			const archive = await openPersonArchive({ ...app, downloads }, { ...operator(options), email: String(email) });
			await writeToFile(archive, { file, isForced: options.force === true, stderr: cli.io.stderr });
			const { submissions, progress } = archive;
			const { files, bytes, leftOut } = progress;
			const sentence = `${plural(submissions, 'submission')} and ${plural(files, 'file')} in ${file}.`;
			cli.printResult(options, { file, submissions, files, bytes, leftOut }, sentence);
			reportLeftOut(cli, leftOut);
		};
	});
}

/** `formsrv submissions`: lists and exports submissions. */

import { parseListQuery } from '../submissions/list-query.ts';
import type { JsonText } from '../submissions/page-writer.ts';
import type { SubmissionList } from '../submissions/schema.ts';
import { parseExact } from '../text/exact-json.ts';
import { type Cli, findForm, runOnApp } from './cli.ts';
import type { CliCommand } from './command.ts';
import { addExport } from './export.ts';
import { CRITERIA, queryOf, withCriteria } from './query-options.ts';
import { addSubmissionFiles } from './submission-files.ts';
import { shorten, shortTime } from './table.ts';

const SUMMARY_WIDTH = 100;

export function addSubmissions(program: CliCommand, cli: Cli): void {
	const submissions = program.command('submissions').description('Read what people sent, and export it.');
	addList(submissions, cli);
	addSubmissionFiles(submissions, cli);
	addExport(submissions, cli);
}

function addList(submissions: CliCommand, cli: Cli): void {
	const command = submissions
		.command('list')
		.description('List the submissions of a form, newest first.')
		.argument('<form>', 'Id or slug of the form')
		.option('--limit <number>', 'Maximum number, 1 to 100 (default: 50)')
		.option('--offset <number>', 'Number to skip (default: 0)')
		.option(
			'--after <cursor>',
			'Only those behind the cursor of a page before, oldest first; 0 to begin with the first',
		);
	withCriteria(command).examples(
		'formsrv submissions list contact-k3v9x2qm --filter unread',
		'formsrv submissions list contact-k3v9x2qm --limit 100 --offset 100 --json',
		'formsrv submissions list contact-k3v9x2qm --after 0',
	);
	runOnApp(command, { cli }, (options, name: string) => {
		const inOrder = options.after === undefined ? options : { order: 'asc', ...options };
		const query = parseListQuery(queryOf(inOrder, ['limit', 'offset', 'after', ...CRITERIA]));
		return async (app) => {
			const { id } = await findForm(app, name);
			const json = await wholeText(await app.submissions.list(id, { readQuery: () => query }));
			if (options.json) cli.printJsonText(json);
			else printPage(cli, parseExact(json) as SubmissionList);
		};
	});
}

async function wholeText(text: JsonText): Promise<string> {
	if (typeof text === 'string') return text;
	return Buffer.concat(await Array.fromAsync(text.chunks)).toString();
}

function printPage(cli: Cli, { submissions, pagination }: SubmissionList): void {
	const { offset, total, hasMore, cursor } = pagination;
	cli.printList({}, submissions, {
		columns: {
			ID: ({ id }) => id,
			RECEIVED: ({ createdAt }) => shortTime(createdAt),
			STATE: stateOf,
			DATA: ({ data, damaged }) => (damaged ? '(damaged)' : shorten(summaryOf(data), SUMMARY_WIDTH)),
		},
		none: `There are no such submissions here (${total} in all).`,
	});
	const last = offset + submissions.length;
	const offsetAhead = hasMore ? `--offset ${last}` : undefined;
	const next = cursor === undefined ? offsetAhead : `--after ${cursor}`;
	if (submissions.length > 0) cli.note(`${offset + 1} to ${last} of ${total}${next ? `; go on with ${next}` : ''}.`);
	else if (cursor !== undefined) cli.note(`For later ones go on with --after ${cursor}.`);
}

function stateOf({ isRead, isStarred, isSpam }: SubmissionList['submissions'][number]): string {
	return [isSpam ? 'spam' : '', isRead ? 'read' : 'unread', isStarred ? 'starred' : ''].filter(Boolean).join(',');
}

function summaryOf(data: Record<string, unknown>): string {
	return Object.entries(data)
		.map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
		.join(' ');
}

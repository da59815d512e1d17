/** `formsrv submissions`: lists and exports submissions. */

import type { Static } from '@sinclair/typebox';
import { FLAGS, mapFlags, WORD_LISTS } from '../storage/owned.ts';
import type { Submission, SubmissionList } from '../submissions/schema.ts';
import { exactText, parseExact } from '../text/exact-json.ts';
import { at, formPath } from './api.ts';
import type { Cli } from './cli.ts';
import type { CliCommand } from './command.ts';
import { addExport } from './export.ts';
import { addDelete, addMark, addTexts, addWordLists } from './mark-submissions.ts';
import { QUERY, queryOf, withCriteria } from './query-options.ts';
import { runOnApi } from './run-on-api.ts';
import { addSubmissionFiles } from './submission-files.ts';
import { shorten, shortTime } from './table.ts';

const SUMMARY_WIDTH = 100;

export function addSubmissions(program: CliCommand, cli: Cli): void {
	const submissions = program.command('submissions').description('Read, mark, export and delete what people sent.');
	addList(submissions, cli);
	addShow(submissions, cli);
	addMark(submissions, cli);
	addWordLists(submissions, cli);
	addTexts(submissions, cli);
	addDelete(submissions, cli);
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
	runOnApi(command, { cli }, (options, name: string) => {
		const inOrder = options.after === undefined ? options : { order: 'asc', ...options };
		const query = queryOf(inOrder, ['limit', 'offset', 'after', ...QUERY]);
		return async (api) => {
			const json = await (await api.open(`${await formPath(api, name)}/submissions`, query)).text();
			if (options.json) cli.printJsonText(json);
			else printPage(cli, parseExact(json) as SubmissionList);
		};
	});
}

function addShow(submissions: CliCommand, cli: Cli): void {
	const command = submissions
		.command('show')
		.description('Show a submission with all that is kept of it.')
		.argument('<form>', 'Id or slug of the form')
		.argument('<submission>', 'Its id')
		.examples('formsrv submissions show contact-k3v9x2qm cmnrg2x8a1c');
	runOnApi(command, { cli }, (options, name: string, submission: string) => async (api) => {
		const path = (await formPath(api, name)) + at`/submissions/${submission}`;
		const json = await (await api.open(path)).text();
		if (options.json) return cli.printJsonText(json);
		const { data, ...members } = parseExact(json) as Static<typeof Submission>;
		const rows = (values: object) => Object.entries(values).map(([member, value]) => [member, exactText(value) || '-']);
		cli.printTable(['FIELD', 'VALUE'], rows(data));
		cli.print('');
		cli.printTable(['KEPT OF IT', 'VALUE'], rows(members));
	});
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

function stateOf(submission: SubmissionList['submissions'][number]): string {
	const { isSpam, isArchived, isRead, ...others } = mapFlags((name) => submission[name] && FLAGS[name][0]);
	const first = [isSpam, submission.isPending && 'pending', isArchived, isRead || 'unread'];
	const words = WORD_LISTS.flatMap(({ name }) => submission[name].map((word) => `#${word}`));
	return [...first, ...Object.values(others), ...words].filter(Boolean).join(',');
}

function summaryOf(data: Record<string, unknown>): string {
	return Object.entries(data)
		.map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
		.join(' ');
}

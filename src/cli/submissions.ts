/** `formsrv submissions`: lists and exports submissions. */

import { type Command, Option } from 'commander';
import { FILTERS } from '../storage/submission.ts';
import { parseListQuery } from '../submissions/list-query.ts';
import type { JsonText } from '../submissions/page-writer.ts';
import { type Cli, examples, findForm, type Options, withStorage } from './cli.ts';
import { addExport } from './export.ts';
import { shorten, shortTime } from './table.ts';

const SUMMARY_WIDTH = 100;
const QUERY_OPTIONS = ['limit', 'offset', 'since', 'until', 'order', 'filter', 'search'];

/** The part of the list's JSON that the table shows. */
interface Page {
	submissions: {
		id: string;
		data: Record<string, unknown>;
		createdAt: string;
		isRead: boolean;
		isStarred: boolean;
		isSpam: boolean;
	}[];
	pagination: { offset: number; total: number; hasMore: boolean };
}

export function addSubmissions(program: Command, cli: Cli): void {
	const submissions = program.command('submissions').description('Read what people sent, and export it.');
	addList(submissions, cli);
	addExport(submissions, cli);
}

function addList(submissions: Command, cli: Cli): void {
	const command = submissions
		.command('list')
		.description('List the submissions of a form, newest first.')
		.argument('<form>', 'Its id or slug')
		.option('--limit <number>', 'At most so many, 1 to 100 (default: 50)')
		.option('--offset <number>', 'Skip so many (default: 0)')
		.option('--since <date>', 'Only later ones, such as 2026-01-31 or 2026-01-31T09:30:00Z')
		.option('--until <date>', 'Only those of that time or earlier; a date alone includes that day')
		.option('--search <words>', 'Only those that hold all of these words')
		.addOption(new Option('--order <order>', 'Oldest or newest first').choices(['asc', 'desc']))
		.addOption(new Option('--filter <filter>', 'Which (default: all that is not spam)').choices(FILTERS))
		.option('--json', 'Print JSON, as the API returns it')
		.addHelpText(
			'after',
			examples(
				'formsrv submissions list contact-k3v9x2qm --filter unread',
				'formsrv submissions list contact-k3v9x2qm --limit 100 --offset 100 --json',
			),
		);
	withStorage(command).action((name: string, options: Options) => {
		const provided = QUERY_OPTIONS.filter((option) => options[option] !== undefined);
		const query = parseListQuery(new URLSearchParams(provided.map((option) => [option, String(options[option])])));
		return cli.withApp(options, {
			use: async (app) => {
				const { id } = await findForm(app, name);
				const json = await wholeText(await app.submissions.list(id, { readQuery: () => query }));
				if (options.json) cli.printJsonText(json);
				else printPage(cli, JSON.parse(json) as Page);
			},
		});
	});
}

async function wholeText(text: JsonText): Promise<string> {
	if (typeof text === 'string') return text;
	const pieces: Uint8Array[] = [];
	for await (const piece of text.chunks) pieces.push(piece);
	return Buffer.concat(pieces).toString();
}

function printPage(cli: Cli, { submissions, pagination }: Page): void {
	if (submissions.length === 0) {
		cli.note(`There are no such submissions here (${pagination.total} in all).`);
		return;
	}
	const first = pagination.offset + 1;
	cli.printTable(
		['ID', 'RECEIVED', 'STATE', 'DATA'],
		submissions.map((submission) => [
			submission.id,
			shortTime(submission.createdAt),
			stateOf(submission),
			shorten(summaryOf(submission.data), SUMMARY_WIDTH),
		]),
	);
	const last = pagination.offset + submissions.length;
	cli.note(`${first} to ${last} of ${pagination.total}${pagination.hasMore ? `; go on with --offset ${last}` : ''}.`);
}

function stateOf({ isRead, isStarred, isSpam }: Page['submissions'][number]): string {
	return [isSpam ? 'spam' : '', isRead ? 'read' : 'unread', isStarred ? 'starred' : ''].filter(Boolean).join(',');
}

function summaryOf(data: Record<string, unknown>): string {
	return Object.entries(data)
		.map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
		.join(' ');
}

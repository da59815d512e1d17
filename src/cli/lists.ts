/** `formsrv lists`: shows and changes the block and allow lists. */

import { Argument } from 'commander';
import type { ListCounts, Lists } from '../spam/lists/schema.ts';
import { LISTS, type ListName, MODES, type Mode } from '../storage/tables.ts';
import { type Api, formPath } from './api.ts';
import { type Cli, CommandError, type Options } from './cli.ts';
import type { CliCommand } from './command.ts';
import { readNamedFile } from './named-file.ts';
import { runOnApi } from './run-on-api.ts';

interface ListOptions extends Options {
	form?: string;
	mode?: Mode;
	file?: string;
}

export function addLists(program: CliCommand, cli: Cli): void {
	const lists = program
		.command('lists')
		.description('Show and change the block lists (always spam) and the allow lists (never spam).');
	addShow(lists, cli);
	addChange(lists, cli, 'add');
	addChange(lists, cli, 'remove');
}

function addShow(lists: CliCommand, cli: Cli): void {
	const command = withScope(lists.command('show').description('Show both lists of a form, or of all forms.'));
	runOnApi(command, { cli }, (options: ListOptions) => async (api) => {
		const found = await api.in(modeOf(options)).get<Lists>(await pathOf(api, options));
		if (options.json) return void cli.printJson(found);
		cli.printTable(
			['LIST', 'ENTRY'],
			LISTS.flatMap((name) => found[name].map((entry) => [name, entry])),
		);
	});
}

function addChange(lists: CliCommand, cli: Cli, verb: 'add' | 'remove'): void {
	const command = withScope(
		lists
			.command(verb)
			.description(`${verb === 'add' ? 'Add entries to' : 'Remove entries from'} a list.`)
			.addArgument(new Argument('<list>', 'Which list').choices(LISTS))
			.argument(
				'[entries...]',
				'As email:ada@example.com, domain:example.com, cidr:203.0.113.0/24 or "text:buy followers"',
			)
			.option('--file <path>', 'Take the entries from a file, one on each line'),
	).examples(
		`formsrv lists ${verb} block domain:spam.example`,
		`formsrv lists ${verb} allow --form contact email:ada@example.com`,
	);
	runOnApi(command, { cli }, (options: ListOptions, name: ListName, entries: string[]) => async (api) => {
		const all = [...entries, ...(options.file === undefined ? [] : linesOf(readNamedFile(options.file, cli.io.cwd)))];
		if (all.length === 0) throw new CommandError(`No entry was given. See formsrv lists ${verb} --help.`, 2);
		const change = { [name]: { [verb]: all } };
		const counts = await api.in(modeOf(options)).patch<ListCounts>(await pathOf(api, options), change);
		cli.printResult(
			options,
			counts,
			`The ${name} list has ${counts[name]} ${counts[name] === 1 ? 'entry' : 'entries'}.`,
		);
	});
}

function withScope(command: CliCommand): CliCommand {
	return command
		.option('--form <form>', 'The lists of one form, by its id or slug (default: those of all forms)')
		.choice('--mode <mode>', 'The lists of all live or all test forms (default: live)', MODES);
}

/** A form has one. */
const modeOf = ({ form, mode }: ListOptions) => (form === undefined ? mode : undefined);

async function pathOf(api: Api, { form }: ListOptions): Promise<string> {
	return form === undefined ? '/api/lists' : `${await formPath(api, form)}/lists`;
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

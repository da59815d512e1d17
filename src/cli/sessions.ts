/** `formsrv sessions`: lists and ends sessions of the dashboard. */

import type { Command } from 'commander';
import type { SignedIn } from '../dashboard/sessions/schema.ts';
import { type Cli, CommandError, examples, type Options, withStorage } from './cli.ts';
import { endedSentence } from './dashboard-link.ts';
import { shortTime } from './table.ts';

export function addSessions(program: Command, cli: Cli): void {
	const sessions = program.command('sessions').description('List and end sessions of the dashboard.');
	addList(sessions, cli);
	addRevoke(sessions, cli);
}

function addList(sessions: Command, cli: Cli): void {
	const command = sessions
		.command('list')
		.description('List the sessions, newest first, with the key or set-up link that each was opened with.')
		.option('--json', 'Print JSON');
	withStorage(command).action((options: Options) =>
		cli.withApp(options, {
			use: async (app) => {
				const all = await app.sessions.list();
				if (options.json) cli.printJson(all.map(({ isCurrent: _, ...session }) => session));
				else if (all.length === 0) cli.note('Nobody is signed in.');
				else printSessions(cli, all);
			},
		}),
	);
}

function printSessions(cli: Cli, all: SignedIn[]): void {
	cli.printTable(
		['ID', 'BY', 'MODE', 'SINCE', 'LAST SEEN', 'ENDS', 'NAME'],
		all.map(({ id, key, mode, createdAt, lastSeenAt, expiresAt }) => [
			id,
			key?.display ?? 'set-up link',
			mode,
			shortTime(createdAt),
			shortTime(lastSeenAt),
			shortTime(expiresAt),
			key?.name ?? '',
		]),
	);
}

function addRevoke(sessions: Command, cli: Cli): void {
	const command = sessions
		.command('revoke')
		.description('End a session; a running server rejects it from the next request on.')
		.argument('[session]', 'Its id')
		.option('--all', 'End all of them, and revoke unused set-up links')
		.option('--json', 'Print JSON')
		.addHelpText('after', examples('formsrv sessions revoke 1b7k2m9x0a', 'formsrv sessions revoke --all'));
	withStorage(command).action((id: string | undefined, options: Options) => {
		if ((id === undefined) !== (options.all === true)) {
			throw new CommandError('Name one session, or all with --all. "formsrv sessions list" shows them.', 2);
		}
		return cli.withApp(options, {
			use: async (app) => {
				const ended = id === undefined ? await app.sessions.endOthers() : 1;
				if (id !== undefined) await app.sessions.end(id);
				if (options.json) cli.printJson({ ended });
				else cli.print(endedSentence(ended));
			},
		});
	});
}

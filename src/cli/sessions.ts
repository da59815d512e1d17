/** `formsrv sessions`: lists and ends sessions of the dashboard. */

import type { SignedIn } from '../dashboard/sessions/schema.ts';
import { at } from './api.ts';
import { type Cli, CommandError } from './cli.ts';
import type { CliCommand } from './command.ts';
import { endedSentence } from './dashboard-link.ts';
import { runOnApi } from './run-on-api.ts';
import { shortTime } from './table.ts';

export function addSessions(program: CliCommand, cli: Cli): void {
	const sessions = program.command('sessions').description('List and end sessions of the dashboard.');
	addList(sessions, cli);
	addRevoke(sessions, cli);
}

function addList(sessions: CliCommand, cli: Cli): void {
	const command = sessions
		.command('list')
		.description('List the sessions, newest first, with the key or setup link that each was opened with.');
	runOnApi(command, { cli }, (options) => async (api) => {
		const { sessions } = await api.get<{ sessions: SignedIn[] }>('/api/sessions');
		cli.printList(
			options,
			sessions.map(({ isCurrent: _, ...session }) => session),
			{
				columns: {
					ID: ({ id }) => id,
					BY: ({ key }) => key?.display ?? 'setup link',
					MODE: ({ mode }) => mode,
					SINCE: ({ createdAt }) => shortTime(createdAt),
					'LAST SEEN': ({ lastSeenAt }) => shortTime(lastSeenAt),
					ENDS: ({ expiresAt }) => shortTime(expiresAt),
					NAME: ({ key }) => key?.name ?? '',
				},
				none: 'Nobody is signed in.',
			},
		);
	});
}

function addRevoke(sessions: CliCommand, cli: Cli): void {
	const command = sessions
		.command('revoke')
		.description('End a session; a running server rejects it from the next request on.')
		.argument('[session]', 'Its id')
		.option('--all', 'End all of them, and revoke unused links')
		.examples('formsrv sessions revoke 1b7k2m9x0a', 'formsrv sessions revoke --all');
	runOnApi(command, { cli }, (options, id: string | undefined) => {
		if ((id === undefined) !== (options.all === true)) {
			throw new CommandError('Name one session, or all with --all. "formsrv sessions list" shows them.', 2);
		}
		return async (api) => {
			const path = id === undefined ? '/api/sessions' : at`/api/sessions/${id}`;
			const { ended = 1 } = await api.delete<{ ended?: number }>(path);
			cli.printResult(options, { ended }, endedSentence(ended));
		};
	});
}

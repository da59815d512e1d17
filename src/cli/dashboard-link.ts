/** `formsrv dashboard-link`: creates a link that signs in to the dashboard without a key. */

import { localUrl } from '../network/local-url.ts';
import { type Cli, type Options, withSettings } from './cli.ts';
import type { CliCommand } from './command.ts';

const SETTINGS = ['dataDir', 'databaseUrl', 'baseUrl', 'host', 'port'] as const;

export function addDashboardLink(program: CliCommand, cli: Cli): void {
	const command = program
		.command('dashboard-link')
		.summary('Print a link that signs you in to the dashboard.')
		.description(
			'Print a link that signs in to the dashboard once, within the next hour, with all rights. The server does not ' +
				'have to run yet.',
		)
		.option('--revoke-others', 'End all sessions first, and revoke unused set-up links')
		.examples(
			'formsrv dashboard-link',
			'formsrv dashboard-link --revoke-others',
			'xdg-open "$(formsrv dashboard-link)"',
		);
	withSettings(command, SETTINGS).action((options: Options) =>
		cli.withApp(options, {
			create: true,
			action: 'createSetupLink',
			use: async (app) => {
				const { baseUrl, host, port } = app.config;
				if (options.revokeOthers) cli.note(endedSentence(await app.sessions.endOthers()));
				cli.print(setupLink(baseUrl ?? localUrl(host, port), await app.sessions.createLink()));
				cli.note('It works once, within the next hour.');
			},
		}),
	);
}

export function endedSentence(count: number): string {
	return count === 1 ? 'Ended one session.' : `Ended ${count} sessions.`;
}

/** The address that signs in with the token. */
export function setupLink(baseUrl: string, token: string): string {
	return `${baseUrl}/#/setup/${token}`;
}

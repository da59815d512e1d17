/** `formsrv dashboard-link`: signs a person in to the dashboard without a key. */

import type { Command } from 'commander';
import { ownUrl } from '../app.ts';
import { type Cli, examples, type Options, withSettings } from './cli.ts';

const SETTINGS = ['dataDir', 'databaseUrl', 'baseUrl', 'host', 'port'];

export function addDashboardLink(program: Command, cli: Cli): void {
	const command = program
		.command('dashboard-link')
		.summary('Print a link that signs you in to the dashboard.')
		.description(
			'Print a link that signs in to the dashboard once, within the next hour, with all rights. The server does not ' +
				'have to run yet.',
		)
		.addHelpText('after', examples('formsrv dashboard-link', 'xdg-open "$(formsrv dashboard-link)"'));
	withSettings(command, SETTINGS).action((options: Options) =>
		cli.withApp(options, {
			create: true,
			use: async (app) => {
				cli.print(setupLink(app.config.baseUrl ?? ownUrl(app.config), await app.sessions.createLink()));
				cli.advise('It works once, within the next hour.');
			},
		}),
	);
}

/** The page of the dashboard that signs in with the token. */
export function setupLink(baseUrl: string, token: string): string {
	// A listener on every address of a machine has none that a browser could open; this is one of them.
	const openable = baseUrl.replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:|$)/, '$1localhost');
	return `${openable}/#/setup/${token}`;
}

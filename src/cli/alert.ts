/** `formsrv alert`: tests the alerts. */

import { hostname } from 'node:os';
import { createReceivers } from '../alerts/receivers.ts';
import { publicUrls } from '../config.ts';
import { createGuardedPost } from '../network/guarded-request.ts';
import { type Cli, CommandError, type Options, withSettings } from './cli.ts';
import type { CliCommand } from './command.ts';

export function addAlert(program: CliCommand, cli: Cli): void {
	const alert = program.command('alert').description('Test the alerts of problems.');
	const command = alert
		.command('test')
		.description('Send a test to FORMSRV_ALERT_URL and FORMSRV_ALERT_MAIL; on failure, print what is wrong.')
		.examples('FORMSRV_ALERT_URL=https://alerts.example.com/formsrv formsrv alert test');
	withSettings(command, ['alertMail', 'mailFrom', 'baseUrl', 'webhookAllow']).action(async (options: Options) => {
		const config = cli.loadSettings(options);
		const post = createGuardedPost({ allowed: config.webhookAllow });
		const receivers = createReceivers({
			config,
			baseUrl: publicUrls(config).base,
			server: hostname(),
			post,
			now: Date.now,
		}).filter(({ name }) => name !== null);
		if (receivers.length === 0) throw new CommandError('Nothing is set: FORMSRV_ALERT_URL, FORMSRV_ALERT_MAIL.');
		const problem = 'Alerts arrive. Nothing else needs to be done.';
		for (const { name, send } of receivers) {
			const failure = await send({ state: 'test', name: 'test', problem, since: Date.now() });
			if (failure === undefined) cli.print(`${name} accepted it.`);
			else {
				cli.note(`${name}: ${failure}`);
				cli.exitCode = 1;
			}
		}
	});
}

/** `formsrv suppressions`: the addresses that get no mails for visitors. */

import { type Cli, runOnApp } from './cli.ts';
import type { CliCommand } from './command.ts';

export function addSuppressions(program: CliCommand, cli: Cli): void {
	const suppressions = program
		.command('suppressions')
		.description('Count the addresses that get no mails for visitors, and remove one.');
	const count = suppressions
		.command('count')
		.description(
			'Count them: rejected by their mail server, or asked for no more mails. Only hashes of them are kept.',
		);
	runOnApp(count, { cli }, (options) => async (app) => {
		const { rejected, asked } = await app.dispatch.visitors.bounds.suppressed();
		cli.printResult(options, { rejected, asked }, `rejected  ${rejected}\nasked     ${asked}`);
	});
	const remove = suppressions
		.command('remove')
		.description('Let an address get mails for visitors again; only if its owner asks for it.')
		.argument('<address>', 'The mail address')
		.examples('formsrv suppressions remove ada@example.com');
	runOnApp(remove, { cli, action: 'removeSuppression' }, (options, address: string) => async (app) => {
		await app.dispatch.visitors.bounds.release(address);
		cli.printResult(options, { removed: 1 }, 'Removed.');
	});
}

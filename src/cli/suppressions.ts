/** `formsrv suppressions`: the addresses that get no mails for visitors. */

import type { Static } from '@sinclair/typebox';
import type { Suppressions } from '../delivery/visitor/schema.ts';
import type { Cli } from './cli.ts';
import type { CliCommand } from './command.ts';
import { runOnApi } from './run-on-api.ts';

export function addSuppressions(program: CliCommand, cli: Cli): void {
	const suppressions = program
		.command('suppressions')
		.description('Count the addresses that get no mails for visitors, and remove one.');
	const count = suppressions
		.command('count')
		.description(
			'Count them: rejected by their mail server, or asked for no more mails. Only hashes of them are kept.',
		);
	runOnApi(count, { cli }, (options) => async (api) => {
		const { rejected, asked } = await api.get<Static<typeof Suppressions>>('/api/suppressions');
		if (options.json) return void cli.printJson({ rejected, asked });
		cli.printTable(
			['WHY', 'ADDRESSES'],
			Object.entries({ rejected, asked }).map(([why, count]) => [why, `${count}`]),
		);
	});
	const remove = suppressions
		.command('remove')
		.description('Let an address get mails for visitors again; only if its owner asks for it.')
		.argument('<address>', 'The mail address')
		.examples('formsrv suppressions remove ada@example.com');
	runOnApi(remove, { cli }, (options, email: string) => async (api) => {
		await api.post('/api/suppressions/remove', { email });
		cli.printResult(options, { removed: 1 }, 'Removed.');
	});
}

/** Runs a command on the JSON API: in this process, or, with `--server`, on a server elsewhere. */

import { Option } from 'commander';
import type { Api } from './api.ts';
import { type Cli, CommandError, type Options, STORAGE_SETTINGS, userName, withStorage } from './cli.ts';
import type { CliCommand } from './command.ts';

/** The options of a command that can be about a server elsewhere. */
const ELSEWHERE = {
	'--server <url>':
		'Base address of the server, such as https://forms.example.com (default: the database on this machine)',
	'--key-file <file>': 'File with an API key of that server (FORMSRV_KEY_FILE)',
	'--insecure': 'Send the key although the address is not encrypted',
};

/**
 * The same for a command that needs nothing but the API: it is called in this process, or, with `--server`, where that says. So a
 * command is written once, and the audit log has what it did by the name of the operation.
 */
export function runOnApi<O extends Options, Arguments extends unknown[]>(
	command: CliCommand,
	{ cli, create }: { cli: Cli; create?: (options: O) => boolean },
	prepare: (options: O, ...args: Arguments) => (api: Api) => Promise<unknown>,
): void {
	withElsewhere(command.option('--json', 'Print JSON'));
	withStorage(command).action(async () => {
		const options = command.opts<O>();
		const use = prepare(options, ...(command.processedArgs as Arguments));
		if (options.server !== undefined) {
			await use((await import('./remote-api.ts')).remoteApi(options, cli.io)).catch(asOfOther);
			return;
		}
		const [stray] = ['keyFile', 'insecure'].filter((name) => options[name] !== undefined);
		if (stray) throw new CommandError('--key-file and --insecure are for --server, which is missing.', 2);
		await cli.withApp(options, {
			create: create?.(options),
			// That of each call takes its place.
			action: 'command',
			use: async (app) => {
				const { localApi } = await import('./local-api.ts');
				await use(localApi(app, await userName()));
			},
		});
	});
}

/** A response that lacks what formsrv sends. Other programs send an X-Request-Id as well. @throws it, or a sentence in its place */
function asOfOther(error: unknown): never {
	if (!(error instanceof TypeError)) throw error;
	throw new CommandError(
		`What --server names does not answer like formsrv, or is of another version: ${error.message}.`,
	);
}

export function withElsewhere(command: CliCommand): void {
	command.optionsGroup('A server elsewhere:');
	for (const [flags, help] of Object.entries(ELSEWHERE)) command.addOption(elsewhere(flags, help));
}

function elsewhere(flags: string, help: string): Option {
	return new Option(flags, help).conflicts([...STORAGE_SETTINGS, 'config']);
}

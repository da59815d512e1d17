/** `formsrv healthcheck`: queries the server's health, for containers without a shell. */

import type { Config } from '../config.ts';
import { ask } from '../network/bounded-response.ts';
import { isEveryAddress, localUrl } from '../network/local-url.ts';
import { membersIn } from '../text/members-in.ts';
import { type Cli, CommandError, type Options, withSettings } from './cli.ts';
import type { CliCommand } from './command.ts';

const TIMEOUT_MS = 5000;

export function addHealthcheck(program: CliCommand, cli: Cli): void {
	const command = program
		.command('healthcheck')
		.description('Check the health of the running server; exit 0 if it is healthy, 1 if not.')
		.option('--ready', 'Check whether it accepts submissions')
		.examples(
			'formsrv healthcheck',
			'formsrv healthcheck --ready',
			'HEALTHCHECK CMD ["/usr/local/bin/formsrv", "healthcheck"]',
		);
	withSettings(command, ['host', 'port']).action(async (options: Options) => {
		const url = `${ownAddress(cli.loadSettings(options))}/${options.ready === true ? 'ready' : 'health'}`;
		const problem = await askHealth(url);
		if (problem !== undefined) throw new CommandError(`The server at ${url} is unhealthy: ${problem}.`);
		cli.print('ok');
	});
}

/** The base address as this machine reaches it; loopback in place of a wildcard. */
export function ownAddress({ host, port }: Config): string {
	if (port === 0) throw new CommandError('FORMSRV_PORT is 0, so the port is not known; name it with --port.', 2);
	const loopback = host.includes(':') ? '::1' : '127.0.0.1';
	return localUrl(isEveryAddress(host) ? loopback : host, port);
}

async function askHealth(url: string): Promise<string | undefined> {
	try {
		const { status, text } = await ask(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
		return status === 200 ? undefined : `it returned ${status}${reasonIn(text)}`;
	} catch (error) {
		const isTimeout = error instanceof Error && error.name === 'TimeoutError';
		return isTimeout ? `no response within ${TIMEOUT_MS / 1000} seconds` : 'it cannot be reached';
	}
}

/** The reason in the response of the server; a proxy in front of it may return anything. */
function reasonIn(text: string): string {
	const { error } = membersIn(text);
	return typeof error === 'string' ? `: ${error.replace(/\.$/, '')}` : '';
}

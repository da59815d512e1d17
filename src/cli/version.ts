/** `formsrv version`: prints the version and its components, for bug reports. */

import { VERSION } from '../config/version.ts';
import { engineVersion } from '../storage/open.ts';
import type { Cli, Options } from './cli.ts';
import type { CliCommand } from './command.ts';

export function addVersion(program: CliCommand, cli: Cli): void {
	program
		.command('version')
		.description('Print the version, and what it is built on.')
		.option('--json', 'Print JSON')
		.action((options: Options) => {
			const facts = {
				formsrv: VERSION,
				bun: Bun.version,
				sqlite: engineVersion(),
				platform: `${process.platform}-${process.arch}`,
			};
			const sentence = `formsrv ${VERSION} (bun ${facts.bun}, SQLite ${facts.sqlite}, ${facts.platform})`;
			cli.printResult(options, facts, sentence);
		});
}

/** Options of lists, which are query parameters of the API. */

import { FILTERS } from '../storage/filters.ts';
import type { Options } from './cli.ts';
import type { CliCommand } from './command.ts';

/** The names of the options of {@link withCriteria}. */
export const CRITERIA = ['since', 'until', 'order', 'filter', 'archived', 'label', 'search'];

export function withCriteria(command: CliCommand): CliCommand {
	return command
		.option('--since <date>', 'Only later ones, such as 2026-01-31 or 2026-01-31T09:30:00Z')
		.option('--until <date>', 'Only those from that time or earlier; a date alone includes that day')
		.option('--label <label>', 'Only those with this label')
		.option('--search <words>', 'Only those that hold all of these words')
		.choice('--order <order>', 'Oldest or newest first (default: desc)', ['asc', 'desc'])
		.choice('--filter <filter>', 'Which submissions (default: all except spam)', FILTERS)
		.choice('--archived <archived>', 'Only archived ones, or only the others (default: both)', ['true', 'false']);
}

/** The options of these names that were given, as query parameters of the API. */
export function queryOf(options: Options, names: readonly string[]): URLSearchParams {
	const provided = names.filter((name) => options[name] !== undefined);
	return new URLSearchParams(provided.map((name) => [name, String(options[name])]));
}

/** Options of lists, which are query parameters of the API. */

import { FILTERS } from '../storage/filters.ts';
import { CRITERIA, mapSwitches, mapTexts } from '../submissions/criteria.ts';
import type { Options } from './cli.ts';
import type { CliCommand } from './command.ts';

export const QUERY = ['order', ...CRITERIA];

export function withCriteria(command: CliCommand): CliCommand {
	mapTexts((name, { description, schema }) =>
		command.option(`--${name} <${schema ? 'text' : 'date'}>`, firstSentence(description)),
	);
	mapSwitches((name, text) => command.choice(`--${name} <${name}>`, firstSentence(text), ['true', 'false']));
	return command
		.choice('--order <order>', 'Oldest or newest first (default: desc)', ['asc', 'desc'])
		.choice('--filter <filter>', 'Which submissions (default: all but spam and pending ones)', FILTERS);
}

const firstSentence = (text: string) => text.replace(/\.(?: .*)?$/, '');

/** The options of these names that were given, as query parameters of the API. */
export function queryOf(options: Options, names: readonly string[]): URLSearchParams {
	const provided = names.filter((name) => options[name] !== undefined);
	return new URLSearchParams(provided.map((name) => [name, String(options[name])]));
}

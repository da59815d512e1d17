/** `formsrv stats`: how many submissions came on each of the last days. */

import type { Form } from '../forms/schema.ts';
import { DAYS_DEFAULT, DAYS_MAX } from '../submissions/stats/bounds.ts';
import type { AllStats, DayCount } from '../submissions/stats/schema.ts';
import { formPath } from './api.ts';
import type { Cli } from './cli.ts';
import type { CliCommand } from './command.ts';
import { queryOf } from './query-options.ts';
import { runOnApi } from './run-on-api.ts';

export function addStats(program: CliCommand, cli: Cli): void {
	const command = program
		.command('stats')
		.description('Count the submissions of the last days: of each form, or of one by day.')
		.argument('[form]', 'Id or slug of a form')
		.option('--days <number>', `Number of days in UTC, today included, 1 to ${DAYS_MAX} (default: ${DAYS_DEFAULT})`)
		.examples('formsrv stats', 'formsrv stats contact-k3v9x2qm --days 7');
	runOnApi(command, { cli }, (options, name: string | undefined) => async (api) => {
		const query = queryOf(options, ['days']);
		if (name !== undefined) {
			const { days } = await api.get<{ days: DayCount[] }>(`${await formPath(api, name)}/stats`, query);
			return cli.printList(options, days, {
				columns: { DATE: ({ date }) => date, SUBMISSIONS: ({ count }) => `${count}`, SPAM: ({ spam }) => `${spam}` },
				none: 'There are no days.',
			});
		}
		const { forms: counts } = await api.get<AllStats>('/api/stats', query);
		const { forms } = await api.get<{ forms: Form[] }>('/api/forms');
		const rows = forms.map(({ id, slug }) => ({ id, slug, days: counts[id] ?? [] }));
		cli.printList(options, rows, {
			columns: {
				ID: ({ id }) => id,
				SLUG: ({ slug }) => slug,
				TODAY: ({ days }) => `${days.at(-1) ?? 0}`,
				SUBMISSIONS: ({ days }) => `${days.reduce((sum, count) => sum + count, 0)}`,
			},
			none: 'There are no forms yet. Create one: formsrv forms create "Contact"',
		});
	});
}

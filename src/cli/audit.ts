/** `formsrv audit`: who changed what, and let content out. */

import { detailTexts } from '../audit/details-text.ts';
import type { AuditEntry, AuditLog } from '../audit/schema.ts';
import type { Cli } from './cli.ts';
import type { CliCommand } from './command.ts';
import { queryOf } from './query-options.ts';
import { runOnApi } from './run-on-api.ts';
import { shorten, shortTime } from './table.ts';

const QUERY = ['action', 'actor', 'object', 'since', 'until', 'limit', 'offset'];
const DETAILS_WIDTH = 100;

export function addAudit(program: CliCommand, cli: Cli): void {
	const command = program
		.command('audit')
		.description('Show who changed what, and let content out, newest first.')
		.option('--since <date>', 'Only later entries, such as 2026-01-31 or 2026-01-31T09:30:00Z')
		.option('--until <date>', 'Only entries from that time or earlier; a date alone includes that day')
		.option('--actor <actor>', 'Only by this one, such as key:cmnrg2x9b4e, user:root, session:cmnrg2x9c1a or unknown')
		.option('--action <action>', 'Only this action, such as updateForm')
		.option(
			'--object <object>',
			'Only about this one, such as form:cmnrg2x7k8w, which includes all that is in the form',
		)
		.option('--limit <number>', 'Maximum number, 1 to 100 (default: 50)')
		.option('--offset <number>', 'Number to skip (default: 0)')
		.examples(
			'formsrv audit',
			'formsrv audit --since 2026-01-31 --action exportSubmissions',
			'formsrv audit --actor unknown --json',
		);
	runOnApi(command, { cli }, (options) => async (api) => {
		const { entries, pagination } = await api.get<AuditLog>('/api/audit', queryOf(options, QUERY));
		cli.printList(options, entries, {
			columns: {
				TIME: ({ createdAt }) => shortTime(createdAt),
				ACTOR: actorText,
				ACTION: ({ action, count }) => (count > 1 ? `${action} (${count} times)` : action),
				OBJECT: ({ object }) => (object ? `${object.kind}:${object.id}` : '-'),
				FROM: ({ address }) => address ?? '-',
				DETAILS: ({ details }) => shorten(detailTexts(details).join(', '), DETAILS_WIDTH),
			},
			none: 'There are no such entries.',
		});
		const last = pagination.offset + entries.length;
		if (pagination.hasMore && !options.json) cli.note(`For earlier ones go on with --offset ${last}.`);
	});
}

function actorText({ actor: { kind, id, name } }: AuditEntry): string {
	return [id === null ? kind : `${kind}:${id}`, name === null ? '' : `(${name})`].filter(Boolean).join(' ');
}

/** A number that moves with each change of settings: of forms, their slugs, webhooks and lists; not with what changes by itself. */

import type { Database } from 'bun:sqlite';
import { settingsColumns } from '../settings-columns.ts';

/**
 * Counts by triggers, so that no write can forget it. They are of this connection alone and gone with it: the file does not
 * know of them, and a migration that rebuilds a table does not lose them.
 * @returns What reads the number, inside a transaction or after it.
 */
export function createSettingsVersion(client: Database): () => number {
	const count = 'begin update settings_version set number = number + 1; end;';
	const triggers = settingsColumns().flatMap(({ table, columns }) =>
		[['insert'], ['delete'], ['update', ` of ${columns}`]].map(
			([event, of = '']) => `create temp trigger ${table}_${event} after ${event}${of} on main.${table} ${count}`,
		),
	);
	client.run(
		`create temp table settings_version (number); insert into settings_version values (0); ${triggers.join(' ')}`,
	);
	const read = client.prepare('select number from settings_version');
	return () => Number(read.values()[0]?.[0]);
}

/** A number that moves with each change of settings: of forms, their slugs, webhooks and lists; not with what changes by itself. */

import type { Database } from 'bun:sqlite';
import { getTableColumns, getTableName } from 'drizzle-orm';
import { formerSlugs, forms, listEntries, webhooks } from '../tables.ts';

/** Their columns that submissions and deliveries move. */
const MOVED = new Set(['total', 'unread', 'starred', 'spam', 'file_bytes', 'failing_since']);

/**
 * Counts by triggers, so that no write can forget it. They are of this connection alone and gone with it: the file does not
 * know of them, and a migration that rebuilds a table does not lose them.
 * @returns What reads the number, inside a transaction or after it.
 */
export function createSettingsVersion(client: Database): () => number {
	const count = 'begin update settings_version set number = number + 1; end;';
	const triggers = [forms, formerSlugs, webhooks, listEntries].flatMap((table) => {
		const name = getTableName(table);
		const columns = Object.values(getTableColumns(table)).map((column) => column.name);
		const settings = columns.filter((column) => !MOVED.has(column)).join(', ');
		return [['insert'], ['delete'], ['update', ` of ${settings}`]].map(
			([event, of = '']) => `create temp trigger ${name}_${event} after ${event}${of} on main.${name} ${count}`,
		);
	});
	client.run(
		`create temp table settings_version (number); insert into settings_version values (0); ${triggers.join(' ')}`,
	);
	const read = client.prepare('select number from settings_version');
	return () => Number(read.values()[0]?.[0]);
}

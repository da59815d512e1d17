/** A number that moves with each change of settings: of forms, their slugs and their webhooks; not with what changes by itself. */

import { getTableColumns, getTableName } from 'drizzle-orm';
import { formerSlugs, forms, webhooks } from '../tables.ts';
import { rowsOf, type Sql } from './connection.ts';

/** Their columns that submissions and deliveries move. */
const MOVED = new Set(['total', 'unread', 'starred', 'spam', 'file_bytes', 'failing_since']);

/** Counts by triggers, so that no write can forget it, whichever server makes it. May run again. */
export function watchSettingsSql(): string {
	const triggers = [forms, formerSlugs, webhooks].map((table) => {
		const columns = Object.values(getTableColumns(table)).map(({ name }) => name);
		const settings = columns.filter((name) => !MOVED.has(name)).join(', ');
		return `create or replace trigger settings_changed after insert or delete or update of ${settings}
			on ${getTableName(table)} for each statement execute function settings_changed();`;
	});
	return `
		create or replace function settings_changed() returns trigger language plpgsql as
			$$ begin update settings_version set number = number + 1; return null; end $$;
		insert into settings_version select 0 where not exists (select from settings_version);
		${triggers.join('\n')}`;
}

/** Asks at most once in a turn of the event loop: requests that arrive together share the look. */
export function createSettingsVersion(sql: Sql): () => Promise<number> {
	let asked: Promise<number> | undefined;

	async function look(): Promise<number> {
		const [row] = await rowsOf<[number]>(sql, 'select number from settings_version');
		return row?.[0] ?? 0;
	}

	return () => {
		if (asked) return asked;
		asked = look();
		setImmediate(() => {
			asked = undefined;
		});
		return asked;
	};
}

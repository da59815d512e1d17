/** The columns whose change is one of settings: of forms, slugs, webhooks and lists, without those that move by themselves. */

import { getTableColumns, getTableName } from 'drizzle-orm';
import { FORM_COUNTS, formerSlugs, forms, listEntries, webhooks } from './tables.ts';

export function settingsColumns(): { table: string; columns: string }[] {
	const moved = new Set<unknown>([...FORM_COUNTS.map((key) => forms[key]), forms.fileBytes, webhooks.failingSince]);
	return [forms, formerSlugs, webhooks, listEntries].map((table) => ({
		table: getTableName(table),
		columns: Object.values(getTableColumns(table))
			.filter((column) => !moved.has(column))
			.map(({ name }) => name)
			.join(', '),
	}));
}

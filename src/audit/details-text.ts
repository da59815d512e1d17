/** Pure: the details of an entry of the audit log as a person reads them; for browsers too. */

import type { AuditEntry } from './schema.ts';

/** Settings before and after, counts, circumstances, a text for each. */
export function detailTexts({ changes = {}, counts = {}, facts = {} }: AuditEntry['details']): string[] {
	return [
		...Object.entries(changes).map(([name, change]) => `${name}: ${changeText(change as Record<string, unknown>)}`),
		...[...Object.entries(counts), ...Object.entries(facts)].map(([name, value]) => `${name}: ${value}`),
	];
}

function changeText({ changed, before, after, added = [], removed = [] }: Record<string, unknown>): string {
	if (changed) return 'changed';
	const items = [...(added as string[]).map((item) => `+${item}`), ...(removed as string[]).map((item) => `-${item}`)];
	if (items.length > 0) return items.join(' ');
	return before === undefined ? text(after) : `${text(before)} → ${text(after)}`;
}

const text = (value: unknown) => (value === null || value === '' ? 'none' : String(value));

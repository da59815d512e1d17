/** The columns of a form's table; stored in this browser. */

import { signal } from '@preact/signals';

const DEFAULT_COLUMNS = 4;
const storedAs = (form: string) => `formsrv.columns.${form}`;

/** Incremented by each choice, so that tables render again. */
const version = signal(0);

/** The stored columns that still exist, else the first few fields. */
export function columnsFor(form: string, fields: string[]): string[] {
	version.value;
	const names: unknown = JSON.parse(localStorage.getItem(storedAs(form)) ?? 'null');
	const chosen = Array.isArray(names) ? fields.filter((field) => names.includes(field)) : [];
	return chosen.length > 0 ? chosen : fields.slice(0, DEFAULT_COLUMNS);
}

export function rememberColumns(form: string, names: string[]): void {
	localStorage.setItem(storedAs(form), JSON.stringify(names));
	version.value += 1;
}

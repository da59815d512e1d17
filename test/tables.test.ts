/** The tables of the guides are those of the program. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { TABLES, withTable } from '../scripts/tables.ts';

test.each(Object.entries(TABLES))('%s has the table that `bun run tables` writes', async (path, table) => {
	const text = await Bun.file(join(import.meta.dir, '..', path)).text();
	expect(withTable(text, table)).toBe(text);
	expect(text).toContain(`\n${table}\n`);
});

test('the table of settings has the flag, the default and the values of each, and no flag of a secret', () => {
	const table = TABLES['docs/settings.md'];
	expect(table).toContain('\n| `FORMSRV_SUBMIT_PORT` | `--submit-port` | 8081 | 0–65535 | Port of');
	expect(table).toMatch(/^\| `FORMSRV_SMTP_URL` ↻ \| {2}\| none \|/m);
});

test('a guide without the table is an error', () => {
	expect(() => withTable('# Settings\n', TABLES['docs/settings.md'])).toThrow('no table');
});

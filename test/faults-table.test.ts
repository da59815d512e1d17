/** The table of faults in docs/operating.md: each line names, in comments that no reader sees, the tests that show it. */

import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const guide = readFileSync(join(import.meta.dir, '../docs/operating.md'), 'utf8');
const rows = /\n\| Fault \|.*\n.*\n([\s\S]+?)\n\n/.exec(guide)?.[1]?.split('\n') ?? [];

test('there is one', () => {
	expect(rows.length).toBeGreaterThan(20);
});

test.each(rows)('%s', (row) => {
	const named = [...row.matchAll(/<!-- (\S+\.test\.ts): (.+?) -->/g)];
	expect(named.length).toBeGreaterThan(0);
	for (const [, path = '', words = ''] of named) {
		const file = join(import.meta.dir, path);
		expect(existsSync(file) ? readFileSync(file, 'utf8') : path).toContain(words);
	}
	expect(row.replace(/<!--.*?-->/g, '').split(' | ')).toHaveLength(4);
});

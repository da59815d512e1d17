/** The table of rules in the docs is that of the record. */

import { expect, test } from 'bun:test';
import { RULES } from '../../src/spam/rules.ts';

test('docs/spam.md has every rule with its meaning and points', async () => {
	const docs = await Bun.file(`${import.meta.dir}/../../docs/spam.md`).text();
	const rows = Object.entries(RULES).map(([name, { meaning, points }]) => `| \`${name}\` | ${meaning} | ${points} |`);
	expect(docs).toContain(`| Rule | What it means | Points |\n| --- | --- | --- |\n${rows.join('\n')}\n`);
});

/** The glossary of CONTRIBUTING.md is kept to: the words that it replaces stand nowhere. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
/** What is looked for, and the word that stands for it. */
const BANNED: readonly [RegExp, string][] = [
	[/\bfaces\b|\bopenFace|\bcreateFace/i, 'listener, handler, request pipeline'],
	[/\bupkeep\b/i, 'maintenance'],
];
const PATHS = [
	'src/**/*.{ts,tsx,css,html}',
	'test/**/*.ts',
	'bench/*.ts',
	'scripts/*.ts',
	'docs/**/*.md',
	'{README,CONTRIBUTING}.md',
];

test.each(BANNED)('%s is written as: %s', async (word) => {
	const found: string[] = [];
	for (const pattern of PATHS) {
		for await (const path of new Bun.Glob(pattern).scan(ROOT)) {
			if (path === 'test/words.test.ts') continue;
			const lines = (await Bun.file(join(ROOT, path)).text()).split('\n');
			found.push(
				...lines.flatMap((line, i) => (word.test(line) && !isGlossary(path, line) ? [`${path}:${i + 1}`] : [])),
			);
		}
	}
	expect(found).toEqual([]);
});

/** The column of words not to be used. */
function isGlossary(path: string, line: string): boolean {
	return path === 'CONTRIBUTING.md' && /^\|.*\|.*\|.*\|$/.test(line);
}

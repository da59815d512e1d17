/** CONTRIBUTING.md names the files that a change touches. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';

const SRC = join(import.meta.dir, '../src');
const MOST_FILES = 3;

const contributing = await Bun.file(join(SRC, '../CONTRIBUTING.md')).text();
const EXAMPLES = [...contributing.matchAll(/For example `(\w+)` stands in (`[^|]*`)/g)].map(
	([, word = '', paths = '']) => [word, [...paths.matchAll(/[\w./-]+/g)].map(([path]) => path)] as const,
);

test('there is an example of a form setting and of a captcha', () => {
	expect(EXAMPLES.map(([word]) => word)).toEqual(['redirectUrl', 'hcaptcha']);
});

test.each(EXAMPLES)('%s stands in these files and in no other: %j', async (word, paths) => {
	const found: string[] = [];
	for await (const path of new Bun.Glob('**/*.{ts,tsx}').scan(SRC)) {
		if (new RegExp(`\\b${word}\\b`).test(await Bun.file(join(SRC, path)).text())) found.push(path);
	}
	expect(found.sort()).toEqual([...paths].sort());
	expect(found.length).toBeLessThanOrEqual(MOST_FILES);
});

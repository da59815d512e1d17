/** CONTRIBUTING.md and docs name files that exist, and those that a change touches. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';

const SRC = join(import.meta.dir, '../src');
const MOST_FILES = 3;

const contributing = await Bun.file(join(SRC, '../CONTRIBUTING.md')).text();
const EXAMPLES = [...contributing.matchAll(/For example `(\w+)` stands in (`[^\n]*`)/g)].map(
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

test('the files that documents name exist', async () => {
	const root = join(SRC, '..');
	const documents = ['CONTRIBUTING.md', 'docs/*.md', 'docs/decisions/*.md'];
	const files = ['src', 'test', 'bench', 'scripts', 'client'].flatMap((folder) =>
		[...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync(root)].map((path) => `/${path}`),
	);
	const missing: string[] = [];
	for (const document of documents.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])) {
		const text = await Bun.file(join(root, document)).text();
		for (const [, name = ''] of text.matchAll(/`([\w./-]+\.tsx?)`/g)) {
			const isThere = name.includes('/X/') || files.some((path) => path.endsWith(`/${name}`));
			if (!isThere) missing.push(`${document}: ${name}`);
		}
	}
	expect(files.length).toBeGreaterThan(0);
	expect(missing).toEqual([]);
});

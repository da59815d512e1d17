/** The bundle is small, and has nothing that a strict Content-Security-Policy would reject. */

import { beforeAll, describe, expect, test } from 'bun:test';
import { basename, join } from 'node:path';
import { bundlePage, DASHBOARD } from '../../../scripts/build.ts';

const ROOT = join(import.meta.dir, '../../..');
const FIRST_SCRIPT_MAX_BYTES = 50_000;
const SCRIPT_MAX_BYTES = 98_000;

/** Writing markup or code from text, and styles that are not in the sheet. */
const FORBIDDEN =
	/dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\sstyle=|srcdoc/i;

interface Output {
	name: string;
	text: string;
}

let outputs: Output[] = [];

beforeAll(async () => {
	const built = await bundlePage(DASHBOARD);
	outputs = await Promise.all(built.map(async (file) => ({ name: file.path, text: await file.text() })));
});

const outputOf = (extension: string) => outputs.filter(({ name }) => name.endsWith(extension));

describe('the dashboard’s bundle', () => {
	test('has at most 50 kB of script for the first view and 98 kB in all, compressed', () => {
		const sizeOf = ({ text }: Output) => Bun.gzipSync(new TextEncoder().encode(text)).length;
		const page = outputOf('.html')[0]?.text ?? '';
		const scripts = outputOf('.js');
		const first = scripts.filter(({ name }) => page.includes(basename(name)));
		expect(first).toHaveLength(1);
		// A script that it imports at once could be fetched only when it is there.
		const imports = new Bun.Transpiler().scanImports(first[0]?.text ?? '');
		expect(imports.map(({ kind }) => kind)).toEqual(['dynamic-import', 'dynamic-import']);
		expect(first.map(sizeOf)[0]).toBeLessThanOrEqual(FIRST_SCRIPT_MAX_BYTES);
		expect(scripts.map(sizeOf).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(SCRIPT_MAX_BYTES);
	});

	test('has a page without inline scripts, styles or handlers, all from its own address', async () => {
		const addresses: string[] = [];
		const inline: string[] = [];
		const page = outputOf('.html')[0]?.text ?? '';
		await new HTMLRewriter()
			.on('*', {
				element(element) {
					for (const [name, value] of element.attributes) {
						if (name === 'style' || name.startsWith('on')) inline.push(`${element.tagName} ${name}`);
						if (name === 'src' || name === 'href') addresses.push(value);
					}
					const isInlineScript = element.tagName === 'script' && !element.hasAttribute('src');
					if (isInlineScript || element.tagName === 'style') inline.push(element.tagName);
				},
			})
			.transform(new Response(page))
			.text();
		expect(inline).toEqual([]);
		expect(addresses).toHaveLength(3);
		expect(addresses.filter((address) => !address.startsWith(DASHBOARD.base))).toEqual([]);
	});

	test('has a sheet that loads nothing', () => {
		const sheet = outputOf('.css')[0]?.text ?? '';
		expect(sheet).not.toBe('');
		expect(sheet).not.toMatch(/url\(|@import/);
	});
});

describe('the dashboard’s source', () => {
	const files = [...new Bun.Glob('src/dashboard/web/**/*.{ts,tsx}').scanSync(ROOT)];

	test.each(files)('%s writes text, never markup', async (path) => {
		expect(await Bun.file(join(ROOT, path)).text()).not.toMatch(FORBIDDEN);
	});

	test('talks to the server in one file', async () => {
		const talkers = await Promise.all(
			files.map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() })),
		);
		// The snippets are text for other people's sites.
		const calls = talkers.filter(({ text }) => /\bfetch\(/.test(text)).map(({ path }) => path);
		expect(calls.filter((path) => !path.endsWith('/snippets.ts'))).toEqual(['src/dashboard/web/api.ts']);
	});
});

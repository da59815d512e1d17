/** The guides as a server has them for programs: all of them, as Markdown, with links that lead somewhere. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { GUIDES, guideFiles, servedGuide } from '../../scripts/guides.ts';
import { openTestServer, type TestServer } from '../server.ts';

const ROOT = join(import.meta.dir, '../..');
const files = new Map(await guideFiles(ROOT));
let server: TestServer;

beforeAll(async () => {
	server = await openTestServer();
});
afterAll(() => server.close());

describe('the guides', () => {
	test('are all of docs/ but the one for those who change the program', () => {
		const there = [...new Bun.Glob('docs/*.md').scanSync(ROOT)].filter((path) => path !== 'docs/architecture.md');
		expect(Object.keys(GUIDES).sort()).toEqual(['README.md', ...there].sort());
	});

	test.each([
		['docs/api.md', 'See [mail](mail.md#routes).', 'See [mail](mail.md#routes).'],
		['README.md', '[API](docs/api.md) · [license](LICENSE)', '[API](api.md) · license'],
		['docs/api.md', '[first](../README.md), [why](decisions/0086-postgresql.md)', '[first](README.md), why'],
		[
			'docs/api.md',
			'[here](#keys), [there](https://example.com/a.md)',
			'[here](#keys), [there](https://example.com/a.md)',
		],
		['docs/files.md', '[`a` and b](architecture.md#files)', '`a` and b'],
	])('of %s with %j say %j', (path, written, served) => {
		expect(servedGuide(path, written)).toBe(served);
	});

	test('link to each other only, and to headings that are there', () => {
		const broken = [...files].flatMap(([name, text]) =>
			[...text.matchAll(/\]\((?!https?:|\/)([^)]*)\)/g)].flatMap(([, link = '']) => {
				const [file = '', anchor] = link.split('#');
				const target = files.get(file === '' ? name : file);
				return target !== undefined && (anchor === undefined || anchorsOf(target).has(anchor))
					? []
					: [`${name}: ${link}`];
			}),
		);
		expect(broken).toEqual([]);
	});

	test('are served, each at the address that the list names', async () => {
		const list = await fetch(`${server.baseUrl}/llms.txt`);
		expect(list.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
		const text = await list.text();
		expect(text).toStartWith('# formsrv\n\n> ');
		const addresses = [...text.matchAll(/^- \[.*?\]\((\S+)\): \S.*$/gm)].map(([, address = '']) => address);
		expect(addresses).toHaveLength(files.size + 1);
		for (const address of addresses) {
			expect(address).toStartWith(`${server.baseUrl}/`);
			const response = await fetch(address);
			expect(response.status).toBe(address.endsWith('/mcp') ? 405 : 200);
			if (!address.endsWith('.md')) continue;
			expect(response.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8');
			expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
			expect(await response.text()).toBe(files.get(new URL(address).pathname.replace('/docs/', '')) as string);
		}
	});

	test.each(['/docs/nothing.md', '/docs/llms.txt', '/docs/..%2fapi.md', '/docs/api.md.gz'])(
		'are not at %s',
		async (path) => {
			expect((await fetch(`${server.baseUrl}${path}`)).status).toBe(404);
		},
	);

	test('are not at the submit address', async () => {
		expect((await fetch(`${server.submitUrl}/llms.txt`)).status).toBe(404);
	});
});

/** The names that headings are linked by. */
function anchorsOf(text: string): Set<string> {
	const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase());
	return new Set(headings.map((heading) => heading.replace(/[^\w\- ]/g, '').replaceAll(' ', '-')));
}

/** The commands and snippets of README and docs, run as they are written: in an empty folder, with the binary. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Browser, Page as BrowserPage } from 'playwright-core';
import { ERROR_STATUS } from '../src/errors.ts';
import { BINARY, type RunningBinary, runBinary, startBinary } from './binary.ts';
import { openBrowser } from './browser.ts';
import { withProgram } from './programs.ts';
import { openSite } from './site.ts';
import { tempFolder } from './temp-folder.ts';

const ROOT = join(import.meta.dir, '..');
/** README and the pages that it links to. */
const MANUAL = (
	await Promise.all(['README.md', 'docs/api.md', 'docs/operating.md'].map((path) => Bun.file(join(ROOT, path)).text()))
).join('\n');
const WITHIN_MS = 20_000;

/** The contents of the code blocks that a comment `<!-- test:NAME -->` marks. */
function blocks(name: string): string[] {
	const marked = new RegExp(`<!-- test:${name} -->\n\`\`\`\\w+\n(.*?)\n\`\`\`\n`, 'gs');
	return [...MANUAL.matchAll(marked)].map(([, block = '']) => block);
}

function block(name: string): string {
	const [only, ...others] = blocks(name);
	if (only === undefined || others.length > 0)
		throw new Error(`README and docs must have exactly one block "${name}".`);
	return only;
}

interface SubmissionPage {
	submissions: { data: Record<string, unknown> }[];
	pagination: { total: number };
}

let server: RunningBinary | undefined;

afterEach(async () => {
	await server?.end('SIGTERM');
	server = undefined;
});

async function serveIn(cwd: string): Promise<RunningBinary> {
	server = await startBinary({ cwd });
	return server;
}

/** README names the default ports; a test has to take free ones. */
function withAddressesOf({ baseUrl, submitUrl }: RunningBinary, lines: string): string {
	return lines.replaceAll('http://127.0.0.1:8080', baseUrl).replaceAll('http://127.0.0.1:8081', submitUrl);
}

async function paste(lines: string, cwd: string) {
	const child = Bun.spawn(['sh', '-eu'], {
		cwd,
		env: { PATH: `${dirname(BINARY)}:${process.env.PATH}` },
		stdin: new Blob([`${lines}\n`]),
		stdout: 'pipe',
		stderr: 'pipe',
		timeout: WITHIN_MS,
	});
	const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
	return { stdout, stderr, code };
}

test('links between documents lead somewhere', async () => {
	const broken: string[] = [];
	const documents = ['*.md', 'docs/**/*.md'].flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)]);
	for (const path of documents) {
		const document = await Bun.file(join(ROOT, path)).text();
		for (const [, link = ''] of document.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
			const [file = '', anchor] = link.split('#');
			const target = file === '' ? join(ROOT, path) : join(ROOT, dirname(path), file);
			if (!existsSync(target) || (anchor && !(await anchorsOf(target)).includes(anchor)))
				broken.push(`${path}: ${link}`);
		}
	}
	expect(documents).toContain('docs/architecture.md');
	expect(broken).toEqual([]);
});

test('the README is read in a few minutes', async () => {
	const words = (await Bun.file(join(ROOT, 'README.md')).text()).split(/\s+/);
	expect(words.length).toBeLessThanOrEqual(1000);
});

test('the table of errors has every code, under its status', () => {
	const rows = MANUAL.split('\n').filter((line) => /^\| \d{3} +\|/.test(line));
	const listed = rows.flatMap((row) => {
		const [, status, codes = ''] = row.split('|');
		return [...codes.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => [code, Number(status)]);
	});
	expect(Object.fromEntries(listed)).toEqual(ERROR_STATUS);
});

/** The names that headings are linked by, as GitHub makes them. */
async function anchorsOf(path: string): Promise<string[]> {
	const headings = (await Bun.file(path).text()).matchAll(/^#+ (.*)$/gm);
	return [...headings].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replace(/[^\w\- ]/g, '')
			.replaceAll(' ', '-'),
	);
}

test(
	'the backups are made, verified and restored as the page says',
	async () => {
		const cwd = tempFolder();
		await paste('formsrv keys create', cwd);
		const commands = ['backup', 'backup-database', 'restore'].map(block).join('\n').replaceAll('/backup/', `${cwd}/`);
		const { stdout, stderr, code } = await paste(commands, cwd);
		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		expect(stdout.trimEnd().split('\n')).toEqual([
			expect.stringContaining('Backed up'),
			expect.stringContaining('as it was written'),
			expect.stringContaining('verified it'),
			expect.stringContaining('Restored'),
		]);
	},
	WITHIN_MS,
);

test(
	'a person is exported and erased as the page says',
	async () => {
		const cwd = tempFolder();
		await paste('formsrv keys create', cwd);
		const { stdout, stderr, code } = await paste(block('erase'), cwd);
		expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('ada.zip') });
		expect(stderr).toContain('Nothing was removed.');
		expect(stdout).toContain('ERASED');
	},
	WITHIN_MS,
);

describe('the quick start', () => {
	test('starts the server with one command', () => {
		expect(block('serve')).toBe('formsrv serve');
	});

	withProgram('curl').test(
		'ends with the submissions in the list',
		async () => {
			const cwd = tempFolder();
			const lines = withAddressesOf(await serveIn(cwd), blocks('quickstart').join('\n'));
			const { stdout, stderr, code } = await paste(lines, cwd);
			expect({ code, stderr }).toMatchObject({ code: 0 });
			expect(stdout.match(/\{"success":true,"message":"Form submitted successfully"\}/g)).toHaveLength(2);
			const json = /^.*?(\{"submissions":.*?\}\})(.*)$/ms.exec(stdout);
			const page = JSON.parse(json?.[1] ?? '{}') as SubmissionPage;
			expect(page.submissions.map(({ data }) => data)).toEqual([
				{ email: 'grace@example.com', message: 'Hello in JSON', rating: 5 },
				{ email: 'ada@example.com', message: 'Hello from curl' },
			]);
			expect(json?.[2]).toContain('email=ada@example.com message=Hello from curl');
		},
		WITHIN_MS,
	);
});

withProgram('jq').test(
	'a client that polls prints what was sent, also with line breaks',
	async () => {
		const cwd = tempFolder();
		const { baseUrl, submitUrl } = await serveIn(cwd);
		const key = (
			await paste('formsrv keys create; formsrv forms create Contact --slug contact >form', cwd)
		).stdout.trim();
		const [, id = ''] = /^id +(\w+)$/m.exec(await Bun.file(join(cwd, 'form')).text()) ?? [];
		const body = new URLSearchParams({ message: 'one\ntwo\\three' });
		await fetch(`${submitUrl}/f/contact`, { method: 'POST', body });
		const lines = `BASE=${baseUrl} FORM=${id} KEY=${key}\n${block('poll').replace('sleep 60', 'exit 0')}`;
		const { stdout, stderr, code } = await paste(lines, cwd);
		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		expect(JSON.parse(stdout)).toMatchObject({ data: { message: 'one\ntwo\\three' } });
	},
	WITHIN_MS,
);

describe('the snippets for websites', () => {
	let browser: Browser;

	beforeAll(async () => {
		browser = await openBrowser();
	});

	afterAll(() => browser.close());

	/** Opens a page of another origin with `snippet` in it, lets `act` use it, and returns the submissions stored. */
	async function submitted(name: string, act: (page: BrowserPage, snippet: string) => Promise<unknown>) {
		const cwd = tempFolder();
		await serveIn(cwd);
		await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
		const snippet = withAddressesOf(server as RunningBinary, block(name));
		const site = openSite();
		const page = await browser.newPage();
		try {
			site.setPage(snippet.startsWith('<') ? snippet : '');
			await page.goto(site.url);
			await act(page, snippet);
		} finally {
			await page.close();
			await site.close();
		}
		const { stdout } = await runBinary(['submissions', 'list', 'contact', '--json'], { cwd });
		return (JSON.parse(stdout) as SubmissionPage).submissions.map(({ data }) => data);
	}

	async function fillIn(page: BrowserPage, message: string): Promise<void> {
		await page.addStyleTag({ content: 'input, textarea { display: block; width: 100% }' });
		expect(await page.locator('[name=_gotcha]').isVisible()).toBe(false);
		await page.getByLabel('E-mail').fill('ada@example.com');
		await page.getByLabel('Message').fill(message);
		await page.getByRole('button', { name: 'Send' }).click();
	}

	test(
		'the plain form leads to the thank-you page',
		async () => {
			const arrived = await submitted('page html', async (page) => {
				await fillIn(page, 'by a plain form');
				await page.waitForURL('**/thanks');
			});
			expect(arrived).toEqual([{ email: 'ada@example.com', message: 'by a plain form' }]);
		},
		WITHIN_MS,
	);

	test(
		'with the script the page stays',
		async () => {
			const arrived = await submitted('page script', async (page) => {
				const before = page.url();
				await fillIn(page, 'by the script');
				await page.locator('.formsrv-success').waitFor();
				expect(page.url()).toBe(before);
			});
			expect(arrived).toEqual([{ email: 'ada@example.com', message: 'by the script' }]);
		},
		WITHIN_MS,
	);

	test(
		'fetch works from another origin',
		async () => {
			const arrived = await submitted('page fetch', (page, snippet) => page.evaluate(`(async () => {${snippet}})()`));
			expect(arrived).toEqual([{ email: 'ada@example.com', message: 'Hello from fetch' }]);
		},
		WITHIN_MS,
	);
});

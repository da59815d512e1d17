/**
 * The npm package `@formsrv/client` as the release builds it: its types against the document of a server, the examples of its README
 * in Node and Bun, a page in a browser, and what it does when a call fails.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ApiDocument, buildClient } from '../../scripts/client.ts';
import { parseExact } from '../../src/text/exact-json.ts';
import { openBrowser } from '../browser.ts';
import { withProgram } from '../programs.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { openSite } from '../site.ts';

setDefaultTimeout(60_000);

const ROOT = join(import.meta.dir, '../..');
const NAME = 'node_modules/@formsrv/client';

/** Those that are called here. Their own types are for the compiler, in a test of its own. */
type Name =
	| 'createForm'
	| 'listForms'
	| 'getForm'
	| 'deleteForm'
	| 'submit'
	| 'listSubmissions'
	| 'exportSubmissions'
	| 'getMetrics';
// biome-ignore lint/suspicious/noExplicitAny: see above
type Result = any;
type Functions = Record<Name, (args?: object) => Promise<Result>> & {
	all: Record<'listSubmissions' | 'listAuditLog', (args?: object) => AsyncGenerator<Result>>;
};

let server: TestServer;
let folder: string;
let client: { createClient: (options: object) => Functions; FormsrvError: ErrorConstructor };
let formsrv: Functions;

beforeAll(async () => {
	server = await openTestServer({
		settings: { FORMSRV_RATE_API: '0', FORMSRV_RATE_SUBMIT: '0', FORMSRV_RATE_ADDRESS: '0' },
	});
	folder = await mkdtemp(join(tmpdir(), 'formsrv-test-'));
	const document = (await (await fetch(`${server.baseUrl}/api/openapi.json`)).json()) as ApiDocument;
	await buildClient(document, join(folder, NAME));
	writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
	client = await import(join(folder, NAME, 'index.js'));
	formsrv = client.createClient({ baseUrl: server.baseUrl, key: server.adminKey });
});
afterAll(async () => {
	await server.close();
	await rm(folder, { recursive: true });
});

/** The examples of its README. */
async function examples(): Promise<string[]> {
	const readme = await Bun.file(join(folder, NAME, 'README.md')).text();
	return [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => `${code}`);
}

function typeErrors(files: Record<string, string>): string {
	for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code);
	const compilerOptions = {
		...{
			strict: true,
			noEmit: true,
			target: 'ESNext',
			module: 'ESNext',
			moduleResolution: 'bundler',
			skipLibCheck: false,
		},
		...{ lib: ['ESNext', 'DOM', 'DOM.Iterable'], types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
	};
	writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
	return `${Bun.spawnSync([join(ROOT, 'node_modules/.bin/tsc'), '--project', folder]).stdout}`;
}

test('its types take the examples of its README, and none of what the server would reject', async () => {
	const codes = await examples();
	expect(codes).toHaveLength(5);
	const right = Object.fromEntries(codes.map((code, i) => [`example-${i}.ts`, code]));
	const wrong = [
		'await formsrv.getForm({});',
		'await formsrv.getForm();',
		"await formsrv.listSubmissions({ id: 'x', order: 'up' });",
		"await formsrv.createForm({ body: { name: 'x', nme: 'y' } });",
		'(await formsrv.listForms()).submissions;',
		'for await (const { id } of formsrv.all.listForms()) id;',
		"formsrv.all.listSubmissions({ id: 'x', offset: 5 });",
	];
	const header = "import { createClient } from '@formsrv/client';\nconst formsrv = createClient({ baseUrl: '' });\n";
	const expected = wrong.map((line) => `// @ts-expect-error\n${line}\n`).join('');
	expect(typeErrors({ ...right, 'wrong.ts': header + expected })).toBe('');
});

test('it has a function for each operation of the document', async () => {
	const { paths } = (await (await fetch(`${server.baseUrl}/api/openapi.json`)).json()) as ApiDocument;
	const names = Object.values(paths).flatMap((path) =>
		Object.values(path).flatMap(({ operationId }) => operationId ?? []),
	);
	const { all, ...functions } = formsrv;
	expect(Object.keys(functions).sort()).toEqual(names.sort());
	expect(Object.keys(all)).toContain('listSubmissions');
});

describe.each([
	['Bun', process.execPath, false],
	['Node', withProgram('node').path, withProgram('node').isMissing],
])('in %s', (runtime, program, isMissing) => {
	test.skipIf(isMissing)('the examples of its README do what they say', async () => {
		// Another try has the form of the one before.
		await formsrv.createForm({ body: { name: 'Contact', slug: 'contact' } }).catch(() => {});
		const form = (await formsrv.listForms()).forms.find(({ slug }: { slug: string }) => slug === 'contact');
		for await (const { id } of formsrv.all.listSubmissions({ id: form.id }))
			await server.call(`DELETE /api/forms/${form.id}/submissions/${id}`);
		const transpiler = new Bun.Transpiler({ loader: 'ts' });
		const printed: string[] = [];
		for (const [i, code] of (await examples()).entries()) {
			const path = join(folder, `example-${i}.mjs`);
			writeFileSync(path, transpiler.transformSync(code));
			const env = { PATH: process.env.PATH, FORMSRV_URL: server.baseUrl, FORMSRV_KEY: server.adminKey };
			const child = Bun.spawn([program, path], { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' });
			const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
			expect([runtime, i, exitCode, stderr]).toEqual([runtime, i, 0, '']);
			printed.push(stdout.trim());
		}
		expect(printed[0]).toMatch(/^contact-[a-z0-9]{8} \d+$/);
		expect(printed[1]).not.toBe('');
		expect(printed[2]?.split('\n')).toEqual(Array(2).fill(expect.stringMatching(/^\w+ ada@example.com false$/)));
		expect(printed[3]).toMatch(/^\d+\n0$/);
		expect(printed[4]).toBe('400 VALIDATION_ERROR name');
	});
});

test('in a browser it submits from a page of another origin', async () => {
	const { slug, id } = await formsrv.createForm({ body: { name: 'Page' } });
	const script = await Bun.file(join(folder, NAME, 'index.js')).text();
	const site = openSite();
	const browser = await openBrowser();
	const call = `createClient({ baseUrl: '${server.submitUrl}' }).submitByShortPath({ slug: '${slug}', body: { a: 'Grüße' } })`;
	site.setPage(`<p id="out"></p><script type="module">${script}
		${call}.then(({ message }) => { out.textContent = 'Done: ' + message; }, (error) => { out.textContent = error; });</script>`);
	const page = await browser.newPage();
	await page.goto(site.url);
	await page.getByText('Done: ').waitFor();
	expect((await formsrv.listSubmissions({ id })).submissions).toMatchObject([{ data: { a: 'Grüße' } }]);
	await browser.close();
	await site.close();
});

test('all items of a list come once, in order, whatever arrives meanwhile', async () => {
	const { id, slug } = await formsrv.createForm({ body: { name: 'Many' } });
	for (let n = 0; n < 230; n++) await formsrv.submit({ slug, body: { n } });
	const seen: unknown[] = [];
	for await (const { data } of formsrv.all.listSubmissions({ id })) {
		if (seen.length < 100) await formsrv.submit({ slug, body: { n: 230 + seen.length } });
		seen.push(data.n);
	}
	expect(seen).toEqual(Array.from({ length: 330 }, (_, n) => n));
	const { pagination } = await formsrv.listSubmissions({ id, order: 'asc', after: '0', limit: 30 });
	const later: unknown[] = [];
	for await (const { data } of formsrv.all.listSubmissions({ id, after: pagination.cursor })) later.push(data.n);
	expect(later).toEqual(seen.slice(30));
	const entries: string[] = [];
	for (let n = 0; n < 210; n++) await formsrv.createForm({ body: { name: `${n}` } });
	for await (const { id: entry } of formsrv.all.listAuditLog({})) {
		// The newest come first.
		if (entries.push(entry) % 50 === 0) await formsrv.createForm({ body: { name: 'Meanwhile' } });
	}
	expect(entries.length).toBeGreaterThan(210);
	expect(new Set(entries).size).toBe(entries.length);
});

test('errors have the status, the code, the fields at fault and the id of the request', async () => {
	const error = await formsrv.createForm({ body: { name: '' } }).catch((error: unknown) => error);
	expect(error).toBeInstanceOf(client.FormsrvError);
	expect(error).toMatchObject({
		...{ name: 'FormsrvError', status: 400, code: 'VALIDATION_ERROR', requestId: expect.any(String) },
		errors: [{ field: 'name' }],
	});
	for (const id of ['..', '.', '']) await expect(formsrv.deleteForm({ id })).rejects.toThrow('id must name an object');
	expect(await formsrv.getForm({ id: 'a/../b?c#d' }).catch((error: unknown) => error)).toMatchObject({ status: 404 });
});

test('what is no JSON is a response, whose body is a stream', async () => {
	const { id, slug } = await formsrv.createForm({ body: { name: 'Export' } });
	await formsrv.submit({ slug, body: new URLSearchParams({ a: '1' }) });
	expect(await (await formsrv.exportSubmissions({ id, format: 'csv' })).text()).toContain('\r\n');
	expect(await (await formsrv.exportSubmissions({ id, format: 'json' })).json()).toHaveLength(1);
	expect(await (await formsrv.getMetrics()).text()).toContain('formsrv_');
});

test.each([undefined, '', 'forms.example.com', 'localhost:8080'])(
	'the base address %j is refused at once',
	(baseUrl) => {
		expect(() => client.createClient({ baseUrl: baseUrl as string })).toThrow(
			'baseUrl must be the address of the server',
		);
	},
);

test('another parser keeps all digits', async () => {
	const { id, slug } = await formsrv.createForm({ body: { name: 'Digits' } });
	const headers = { 'Content-Type': 'application/json' };
	await fetch(`${server.submitUrl}/f/${slug}`, { method: 'POST', headers, body: '{"n":12345678901234567890.10}' });
	const exact = client.createClient({ baseUrl: server.baseUrl, key: server.adminKey, parseJson: parseExact });
	const [found] = (await exact.listSubmissions({ id })).submissions;
	expect(JSON.stringify(found.data)).toBe('{"n":12345678901234567890.10}');
});

describe('a call that fails', () => {
	const sockets = new Set<Socket>();
	let between: Server;
	/** When the next connections are cut: before the server gets the request, or once it has responded. */
	let cuts: ('before' | 'within' | 'after')[] = [];
	let baseUrl = '';

	beforeAll(async () => {
		const { port } = new URL(server.baseUrl);
		between = createServer((socket) => {
			const cut = cuts.shift();
			if (cut === 'before') return socket.destroy();
			const onward = connect(Number(port), '127.0.0.1');
			for (const one of [socket, onward]) {
				sockets.add(one);
				one.on('error', () => {});
			}
			socket.pipe(onward);
			if (cut === 'after') onward.once('data', () => socket.destroy());
			else if (cut === 'within')
				onward.once('data', (data: Buffer) => socket.end(data.subarray(0, data.indexOf('\r\n\r\n') + 5)));
			else onward.pipe(socket);
		});
		await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
		baseUrl = `http://127.0.0.1:${(between.address() as { port: number }).port}`;
	});
	afterAll(() => {
		for (const socket of sockets) socket.destroy();
		between.close();
	});
	const lossy = (retries?: number) =>
		client.createClient({
			baseUrl,
			key: server.adminKey,
			retries,
			fetch: (url: string, init: RequestInit) => fetch(url, { ...init, keepalive: false }),
		});

	test.each(['before', 'within', 'after'] as const)(
		'%s the server responded: a submission is stored once',
		async (cut) => {
			const { id, slug } = await formsrv.createForm({ body: { name: 'Lost' } });
			cuts = [cut];
			expect(await lossy().submit({ slug, body: { a: 1 } })).toMatchObject({ success: true });
			expect(cuts).toEqual([]);
			expect((await formsrv.listSubmissions({ id })).pagination.total).toBe(1);
		},
	);

	test('is given up after as many tries as it may have', async () => {
		cuts = ['before', 'before', 'before'];
		await expect(lossy(1).listForms()).rejects.toThrow();
		expect(cuts).toEqual(['before']);
		cuts = [];
	});

	test('and might be done twice is not tried again', async () => {
		cuts = ['after', 'after'];
		const name = `Once ${Date.now()}`;
		await expect(lossy().createForm({ body: { name } })).rejects.toThrow();
		expect(cuts).toEqual(['after']);
		cuts = [];
		const { forms } = await formsrv.listForms();
		expect(forms.filter((form: { name: string }) => form.name === name)).toHaveLength(1);
	});

	test('because the server is busy waits as long as that asks for', async () => {
		const times: number[] = [];
		const busy = Bun.serve({
			port: 0,
			hostname: '127.0.0.1',
			fetch: () => {
				times.push(performance.now());
				if (times.length < 2)
					return Response.json(
						{ error: 'Busy.', code: 'UNAVAILABLE' },
						{ status: 503, headers: { 'Retry-After': '1' } },
					);
				if (times.length < 3) return Response.json({ forms: [] });
				return new Response('<h1>Bad gateway</h1>', { status: 429, headers: { 'Retry-After': '3600' } });
			},
		});
		const one = client.createClient({ baseUrl: busy.url.href });
		expect(await one.listForms()).toEqual({ forms: [] });
		expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(990);
		const error = await one.createForm({ body: { name: 'x' } }).catch((error: unknown) => error);
		expect(error).toMatchObject({ status: 429, code: '', message: 'The server responded with 429 Too Many Requests.' });
		await busy.stop(true);
	});
});

/** Commands with `--server`: the same output as on the machine of the server, and a sentence for each way that it can fail. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createCli } from '../../src/cli/cli.ts';
import { createProgram } from '../../src/cli/program.ts';
import { run } from '../../src/cli/run.ts';
import { BINARY } from '../binary.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

setDefaultTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'formsrv-test-'));
const hook = Bun.serve({ port: 0, fetch: () => new Response('ok') });
let cli: CommandLine;
let server: TestServer;
let form: { id: string; slug: string };

const settings = {
	FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
	FORMSRV_BASE_URL: 'https://forms.example.com',
	FORMSRV_SUBMIT_URL: 'https://f.example.com',
};
beforeAll(async () => {
	cli = openCommandLine(folder, { ...settings });
	form = await cli.json('forms', 'create', 'Contact', '--slug', 'contact');
	server = await openTestServer({ database: cli.config().database, settings });
	writeFileSync(cli.path('key'), `${server.adminKey}\n`);
	writeFileSync(cli.path('old.csv'), 'at,n\n2024-01-01T00:00:00Z,1\n');
	writeFileSync(cli.path('forms.toml'), '[forms.kept]\nname = "Kept"\n');
	await cli.call('apply', 'forms.toml');
});
afterAll(async () => {
	await server.close();
	await hook.stop(true);
	rmSync(folder, { recursive: true });
});

const far = (...argv: string[]) => cli.call(...argv, '--server', server.baseUrl, '--key-file', 'key');

const made = async (fields: object) => {
	await fetch(`${server.submitUrl}/f/contact`, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
		body: JSON.stringify(fields),
	});
	const { body } = await server.call<{ submissions: { id: string }[] }>(
		`GET /api/forms/${form.id}/submissions?limit=1`,
	);
	return body.submissions[0]?.id ?? '';
};
const webhook = async () => {
	const hooks = server.app.webhooks;
	// A form has ten at most.
	for (const { id } of await hooks.list({ form: form.id })) await hooks.remove({ form: form.id, webhook: id });
	const json = { url: `http://127.0.0.1:${hook.port}/` };
	return (await server.call<{ id: string }>(`POST /api/forms/${form.id}/webhooks`, { json })).body.id;
};
const key = async () => (await server.app.keys.create({ mode: 'live', permissions: ['read'] })).key.id;
const other = async () => (await server.app.forms.create('live', { name: 'Other' })).id;
const delivery = async () => {
	const { id } = await server.app.forms.create('live', { name: 'Mail', notificationEmail: 'ada@example.com' });
	const { slug } = await server.app.forms.get(id);
	await fetch(`${server.submitUrl}/f/${slug}`, { method: 'POST', body: new URLSearchParams({ a: '1' }) });
	const { body } = await server.call<{ deliveries: { id: string }[] }>(`GET /api/forms/${id}/deliveries`);
	return body.deliveries[0]?.id ?? '';
};

const suppressed = async () => {
	await server.app.dispatch.visitors.bounds.reject('ada@example.com');
	return 'ada@example.com';
};

/** A call of each command, with what it needs of its own. */
const CALLS: Record<string, () => string[] | Promise<string[]>> = {
	'sessions list': () => [],
	'sessions revoke': () => ['--all'],
	'keys create': () => ['--name', 'build', '--permissions', 'read'],
	'keys list': () => [],
	'keys rotate': async () => [await key(), '--overlap', '1h'],
	'keys revoke': async () => [await key()],
	'forms list': () => [],
	'forms create': () => ['News', '--closed-text', 'Grüße'],
	'forms show': () => ['contact'],
	'forms update': () => ['contact', '--retention', '30', '--notification-email', 'ada@example.com'],
	'forms clone': () => ['contact', 'Copy'],
	'forms snippet': () => ['contact', 'fetch'],
	'forms suggest-fields': () => ['contact'],
	'forms dump': () => ['contact'],
	apply: () => ['forms.toml'],
	'forms delete': async () => [await other(), '--yes'],
	import: () => ['old.csv', '--form', 'contact', '--time', 'at', '--dry-run'],
	'submissions list': () => ['contact', '--until', '2020-01-01'],
	'submissions show': async () => ['contact', await made({ email: 'ada@example.com', list: [1, null] })],
	'submissions mark': async () => ['contact', 'starred', await made({ a: 1 })],
	'submissions label': async () => ['contact', 'urgent', await made({ a: 1 })],
	'submissions note': async () => ['contact', await made({ a: 1 }), 'Called back.'],
	'submissions delete': async () => ['contact', await made({ a: 1 }), '--yes'],
	stats: () => ['contact', '--days', '3'],
	'spam mark': async () => ['contact', 'spam', await made({ a: 1 })],
	'lists show': () => ['--form', 'contact'],
	'lists add': () => ['block', 'domain:spam.example', '--form', 'contact'],
	'lists remove': () => ['block', 'domain:spam.example'],
	audit: () => ['--action', 'createForm', '--limit', '1'],
	'webhooks list': async () => ['contact', ...[await webhook()].slice(1)],
	'webhooks create': () => ['contact', '--url', `http://127.0.0.1:${hook.port}/`],
	'webhooks test': async () => ['contact', await webhook()],
	'webhooks update': async () => ['contact', await webhook(), '--name', 'x'],
	'webhooks rotate-secret': async () => ['contact', await webhook()],
	'webhooks delete': async () => ['contact', await webhook()],
	'deliveries list': () => ['--form', 'contact'],
	'deliveries show': async () => [await delivery()],
	'deliveries retry': () => ['--form', 'contact', '--state', 'failed'],
	'mail preview': () => ['--form', 'contact'],
	'suppressions count': () => [],
	'suppressions remove': async () => [await suppressed()],
};

/** Commands about the machine itself, its files or its terminal, as docs/command-line.md says. */
const OF_THE_MACHINE = [
	...[
		'serve',
		'backup verify',
		'restore',
		'move',
		'doctor',
		'drill',
		'healthcheck',
		'dashboard-link',
		'erase',
		'person',
	],
	...['mail test', 'alert test', 'submissions export', 'submissions files', 'spam explain', 'spam train', 'spam reset'],
	...['deliveries hold', 'completion', 'version'],
];
/** It has a test of its own, near and far. */
const MCP = 'mcp';

/** Those that have none below them, with their options. */
function commandsOf(command: Command, path: readonly string[] = []): [name: string, options: string[]][] {
	if (command.commands.length === 0) return [[path.join(' '), command.options.map(({ long }) => long ?? '')]];
	return command.commands.flatMap((next) => commandsOf(next, [...path, next.name()]));
}

/** Without the parts that differ from call to call. */
const plain = (text: string) =>
	text
		.replace(/"key": "[^"]*"|sk_live_\S+|whsec_[^\s"]+/g, 'SECRET')
		.replace(/\bc[0-9a-z]{10}\b|\b[0-9][0-9a-z]{10}\b/g, 'ID')
		.replace(/(news|other|copy)-[0-9a-z]{8}/g, '$1')
		.replace(/\d{4}-\d\d-\d\d[T ][\d:.]+Z/g, 'TIME')
		.replace(/<[0-9a-f-]+@/g, '<@')
		.replace(/ +/g, ' ');

test('every command is called here, but those about the machine itself, which have no --server', async () => {
	const io = { stdout: { write() {} }, stderr: { write() {} }, env: {}, cwd: cli.cwd };
	const all = commandsOf(await createProgram(createCli(io), ['completion']));
	const names = (of: typeof all) => of.map(([name]) => name).sort();
	const isFar = ([, options]: (typeof all)[number]) => options.includes('--server');
	expect(names(all.filter(isFar))).toEqual([...Object.keys(CALLS), MCP].sort());
	expect(names(all.filter((one) => !isFar(one)))).toEqual(OF_THE_MACHINE.toSorted());
	const withoutJson = all.filter((one) => isFar(one) && !one[1].includes('--json'));
	expect(names(withoutJson)).toEqual([MCP]);
});

describe.each([[[]], [['--json']]])('with %p', (flags) => {
	test.each(Object.entries(CALLS))('%s says the same near and far', async (name, argsOf) => {
		const near = await cli.call(...name.split(' '), ...(await argsOf()), ...flags);
		const there = await far(...name.split(' '), ...(await argsOf()), ...flags);
		expect({ ...there, stdout: plain(there.stdout), stderr: plain(there.stderr) }).toEqual({
			...near,
			stdout: plain(near.stdout),
			stderr: plain(near.stderr),
		});
		expect(near.code, near.stderr).toBe(0);
	});
});

test.each([
	[['submissions', 'mark', 'contact', 'starred']],
	[['submissions', 'label', 'contact', 'urgent']],
	[['submissions', 'delete', 'contact', '--yes']],
])('%p names ids that no submission has, near and far', async (argv) => {
	for (const call of [cli.call, far]) {
		const { code, stdout, stderr } = await call(...argv, await made({ a: 1 }), 'zzz', 'NO');
		expect({ code, stdout, stderr }).toEqual({
			...{ code: 1, stdout: expect.stringMatching(/^(1 marked|1 with the label|Deleted 1) /) },
			stderr: 'Not found in this form: zzz, NO.\n',
		});
		const { stdout: json } = await call(...argv, 'zzz', '--json');
		expect(JSON.parse(json).unknown).toEqual(['zzz']);
	}
	expect((await far('submissions', 'delete', 'contact', 'zzz')).stderr).toStartWith('Not found in this form: zzz.\n');
});

test('digits arrive as they were sent', async () => {
	const body = '{"n":12345678901234567890.10,"e":1e400}';
	await fetch(`${server.submitUrl}/f/contact`, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json' },
		body,
	});
	const { stdout } = await far('submissions', 'list', 'contact', '--limit', '1', '--json');
	expect(stdout).toContain('12345678901234567890.10');
	expect((await far('submissions', 'list', 'contact', '--limit', '1')).stdout).toContain('e=1e400');
});

test('the audit log names the key for what was done from elsewhere, and the user for what was done here', async () => {
	await far('forms', 'update', 'contact', '--name', 'Far');
	await cli.call('forms', 'update', 'contact', '--name', 'Near');
	const [near, there] = await cli.json('audit', '--action', 'updateForm', '--limit', '2');
	expect([near.actor.kind, there.actor.kind]).toEqual(['user', 'key']);
});

test('the user of the server is advised where it runs, and not from elsewhere', async () => {
	const said = async (...argv: string[]) => {
		let stderr = '';
		const write = () => {
			throw new Error('EACCES: permission denied, write');
		};
		await run(argv, {
			...{ env: cli.env, cwd: cli.cwd, stdout: { write } },
			stderr: { write: (text) => (stderr += text) },
		});
		return stderr;
	};
	const sentence = 'Cannot write: permission denied.';
	expect(await said('forms', 'list')).toBe(`${sentence} Run this as the user who may, such as that of the server.\n`);
	expect(await said('forms', 'list', '--server', server.baseUrl, '--key-file', 'key')).toBe(`${sentence}\n`);
});

test('the key file can be named once for all', async () => {
	cli.env.FORMSRV_KEY_FILE = 'key';
	expect(await cli.call('forms', 'list', '--server', server.baseUrl)).toMatchObject({ code: 0, stderr: '' });
	expect(await cli.call('forms', 'list')).toMatchObject({ code: 0, stderr: '' });
	delete cli.env.FORMSRV_KEY_FILE;
});

describe('says what is wrong, and never shows the key', () => {
	const page = Bun.serve({ port: 0, fetch: () => new Response('<h1>Shop</h1>', { status: 404 }) });
	const shop = Bun.serve({
		port: 0,
		fetch: () => new Response('<h1>Shop</h1>', { headers: { 'Content-Type': 'text/html' } }),
	});
	const odd = Bun.serve({
		port: 0,
		fetch: () => Response.json({ error: 'x', code: 'NOT_FOUND', errors: {} }, { status: 404 }),
	});
	const broken = Bun.serve({
		port: 0,
		fetch: () => {
			const headers = { 'Content-Type': 'application/json', 'X-Request-Id': 'x' };
			return new Response('<h1>Shop</h1>', { headers });
		},
	});
	const empty = Bun.serve({ port: 0, fetch: () => Response.json({}) });
	const similar = Bun.serve({ port: 0, fetch: () => Response.json({}, { headers: { 'X-Request-Id': 'x' } }) });
	const moved = Bun.serve({ port: 0, fetch: () => Response.redirect('https://forms.example.com/base/api/forms') });
	afterAll(() => Promise.all([page, shop, odd, broken, empty, similar, moved].map((one) => one.stop(true))));

	test.each([
		[
			'a server that is not there',
			() => ['http://127.0.0.1:1', 'key'],
			1,
			'http://127.0.0.1:1 cannot be reached: ECONNREFUSED: Unable to connect.\n',
		],
		[
			'https where none is spoken',
			() => [server.baseUrl.replace('http:', 'https:'), 'key'],
			1,
			' cannot be reached: EPROTO: The TLS handshake failed.\n',
		],
		['another program', () => [`http://127.0.0.1:${page.port}`, 'key'], 1, 'is not the base address of a formsrv'],
		[
			'a page for every address',
			() => [`http://127.0.0.1:${shop.port}`, 'key'],
			1,
			'is not the base address of a formsrv',
		],
		['errors of another kind', () => [`http://127.0.0.1:${odd.port}`, 'key'], 1, 'x'],
		['no JSON under its name', () => [`http://127.0.0.1:${broken.port}`, 'key'], 1, 'does not answer like formsrv'],
		['other JSON', () => [`http://127.0.0.1:${empty.port}`, 'key'], 1, 'is not the base address of a formsrv'],
		[
			'other JSON with a request id',
			() => [`http://127.0.0.1:${similar.port}`, 'key'],
			1,
			'does not answer like formsrv',
		],
		['a redirect', () => [`http://127.0.0.1:${moved.port}`, 'key'], 1, 'leads to https://forms.example.com/base: name'],
		['no encryption', () => ['http://forms.example.com', 'key'], 2, 'is not encrypted'],
		['no address', () => ['forms.example.com', 'key'], 2, '--server must be the base address'],
		['the address of the API', () => [`${server.baseUrl}/api/`, 'key'], 2, '--server must be the base address'],
		['the address of agents', () => [`${server.baseUrl}/mcp`, 'key'], 2, '--server must be the base address'],
		['the submit address', () => [server.submitUrl, 'key'], 1, 'The API is at the base address, not at this one.'],
		['a password', () => ['https://a:b@forms.example.com', 'key'], 2, '--server must be the base address'],
		['a password alone', () => ['https://:b@forms.example.com', 'key'], 2, '--server must be the base address'],
		['the key for its file', () => [server.baseUrl, server.adminKey], 2, 'not the key itself'],
		['a key with a typo for its file', () => [server.baseUrl, `${server.adminKey}x`], 2, 'not the key itself'],
		['a header for its file', () => [server.baseUrl, `Bearer ${server.adminKey}`], 2, 'not the key itself'],
		['a file with more than the key', () => [server.baseUrl, 'several'], 2, 'does not hold an API key alone'],
		['no key file', () => [server.baseUrl, 'nowhere'], 2, 'There is no file nowhere.'],
		['another file', () => [server.baseUrl, 'other'], 2, 'does not hold an API key'],
		['a revoked key', () => [server.baseUrl, 'revoked'], 1, 'does not take the key'],
		['a limited key', () => [server.baseUrl, 'limited'], 1, 'lacks the permission "read"'],
		['a test key', () => [server.baseUrl, 'test'], 2, 'The key is a test key'],
	] as const)('%s', async (_, argsOf, code, sentence) => {
		const revoked = await server.app.keys.create({ mode: 'live', permissions: ['admin'] });
		await server.app.keys.revoke(revoked.key.id);
		const limited = await server.createKey({ permissions: ['write'] });
		const forTests = await server.createKey({ mode: 'test' });
		const several = `${server.adminKey}\n${limited}`;
		const files = { revoked: revoked.token, limited, test: forTests, other: 'hello', several };
		for (const [name, text] of Object.entries(files)) writeFileSync(cli.path(name), text);
		const [url = '', file = ''] = argsOf();
		const outcome = await cli.call('forms', 'list', '--mode', 'live', '--server', url, '--key-file', file);
		expect(outcome.stderr).not.toMatch(/sk_(live|test)_\w/);
		expect(outcome.stderr).toContain(sentence);
		expect([outcome.code, outcome.stdout]).toEqual([code, '']);
	});

	test.each([
		[['suppressions', 'remove', 'ada@example.com']],
		[['forms', 'create', 'A']],
		[['deliveries', 'retry', 'x']],
	])('%j is not said to be done by a program that answers with other JSON', async (argv) => {
		const url = `http://127.0.0.1:${empty.port}`;
		const { code, stdout, stderr } = await cli.call(...argv, '--server', url, '--key-file', 'key');
		expect([code, stdout]).toEqual([1, '']);
		expect(stderr).toBe(`${url} is not the base address of a formsrv: it returned status 200.\n`);
	});

	test.each([
		['submissions mark contact read --filter unread', 'Some of them may be done, and stay so;'],
		['submissions label contact urgent --filter all', 'Some of them may be done, and stay so;'],
		['submissions delete contact --filter all --yes', 'Some of them may be done, and stay so;'],
		['submissions delete contact --filter all', ''],
		['apply two.toml', 'Done: 1 of 2 changes. Applying it again goes on.\n'],
	])('%s, ended by Ctrl+C, says what may be done', async (command, sentence) => {
		writeFileSync(cli.path('two.toml'), '[forms.kept]\nname = "A"\n[forms.contact]\nname = "B"\n');
		const held = Promise.withResolvers<void>();
		// It passes the first change of a form on, and answers no other.
		const holding = Bun.serve({
			port: 0,
			idleTimeout: 0,
			async fetch(request) {
				const { pathname, search } = new URL(request.url);
				const isHeld = request.method !== 'GET' && (pathname.includes('/submissions') || pathname.endsWith(form.id));
				if (isHeld) held.resolve();
				if (isHeld) return new Promise<Response>(() => {});
				const { method, headers } = request;
				return fetch(`${server.baseUrl}${pathname}${search}`, {
					method,
					headers: { Authorization: headers.get('authorization') ?? '', 'Content-Type': 'application/json' },
					...(method !== 'GET' && { body: await request.text() }),
				});
			},
		});
		const where = ['--server', `http://127.0.0.1:${holding.port}`, '--key-file', 'key'];
		const child = Bun.spawn([BINARY, ...command.split(' '), ...where], { cwd: cli.cwd, stderr: 'pipe' });
		await held.promise;
		child.kill('SIGINT');
		const said = await new Response(child.stderr).text();
		expect(sentence === '' ? said : said.slice(0, sentence.length)).toBe(sentence);
		expect(await child.exited).toBe(130);
		await holding.stop(true);
	});

	test('the key in the environment, where its file is to be named', async () => {
		cli.env.FORMSRV_KEY_FILE = server.adminKey;
		const calls = [
			await cli.call('forms', 'list', '--server', server.baseUrl),
			await cli.call('forms', 'list'),
			await cli.call('doctor'),
		];
		delete cli.env.FORMSRV_KEY_FILE;
		expect(calls[0]).toMatchObject({ code: 2, stderr: expect.stringContaining('not the key itself') });
		expect(calls[1]).toMatchObject({ code: 0, stderr: '' });
		expect(JSON.stringify(calls)).not.toContain(server.adminKey);
	});

	test('a proxy of the environment, which would get the key of this machine’s server', async () => {
		cli.env.HTTP_PROXY = page.url.href;
		const [rejected, passed] = [await far('forms', 'list'), await far('forms', 'list', '--insecure')];
		cli.env.NO_PROXY = `example.com, ${new URL(server.baseUrl).hostname}`;
		const known = await far('forms', 'list');
		delete cli.env.HTTP_PROXY;
		delete cli.env.NO_PROXY;
		expect(rejected).toMatchObject({ code: 2, stderr: expect.stringContaining('HTTP_PROXY would get the key') });
		expect([passed.code, known.code]).toEqual([0, 0]);
	});

	test('a key can revoke itself', async () => {
		const { token, key: own } = await server.app.keys.create({ mode: 'live', permissions: ['admin', 'read'] });
		writeFileSync(cli.path('own'), token);
		const outcome = await cli.call('keys', 'revoke', own.id, '--server', server.baseUrl, '--key-file', 'own');
		expect(outcome).toMatchObject({ code: 0, stderr: '' });
		expect((await server.call('GET /api/forms', { key: token })).status).toBe(401);
	});

	test('a wrong value is wrong usage, as near', async () => {
		expect(await far('submissions', 'list', 'contact', '--limit', '1.5')).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('limit must be a whole number'),
		});
	});
});

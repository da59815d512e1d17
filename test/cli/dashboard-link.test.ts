/** `formsrv dashboard-link`. */

import { expect, test } from 'bun:test';
import { openStorage } from '../../src/storage/open.ts';
import { setupLinks } from '../../src/storage/session-tables.ts';
import { openTestServer } from '../server.ts';
import { openCommandLine } from './command-line.ts';

test('prints a setup link that works once, also before there is a database', async () => {
	const cli = openCommandLine();
	const { code, stdout, stderr } = await cli.call('dashboard-link');
	expect(code).toBe(0);
	expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:8080\/#\/setup\/[\w-]{43}\n$/);
	expect(stderr).toContain('It works once, within the next hour.');
	const storage = await openStorage(cli.config().database);
	expect(await storage.db.select().from(setupLinks)).toHaveLength(1);
	await storage.close();
	const elsewhere = await cli.call('dashboard-link', '--base-url', 'https://forms.example.com');
	expect(elsewhere.stdout).toStartWith('https://forms.example.com/#/setup/');
});

test.each([
	['0.0.0.0', 'http://localhost:8080/#/setup/'],
	['::', 'http://localhost:8080/#/setup/'],
	['::1', 'http://[::1]:8080/#/setup/'],
])('a listener at %s is opened at %s', async (host, address) => {
	expect((await openCommandLine().call('dashboard-link', '--host', host)).stdout).toStartWith(address);
});

test('an invitation signs in once, for its forms alone, under its name', async () => {
	const cli = openCommandLine();
	await cli.call('forms', 'create', 'A', '--slug', 'a');
	await cli.call('forms', 'create', 'B', '--slug', 'b');
	await cli.call('forms', 'create', 'C', '--slug', 'c');
	const invite = ['dashboard-link', '--form', 'a, b', '--permissions', 'read,write'];
	const { code, stdout, stderr } = await cli.call(...invite, '--name', 'Reception', '--expires', '90d');
	expect(code).toBe(0);
	const token = stdout.trim().split('/').at(-1) as string;
	const key = /fk_\w+/.exec(stderr)?.[0] as string;
	expect(stderr).toContain('It works once, within the next 7 days, for Reception');
	const server = await openTestServer({ database: cli.config().database });
	const signIn = (proof: object) =>
		server.call<{ forms: { name: string }[] }>('POST /api/session', { key: null, json: proof });
	const first = await signIn({ token });
	expect(first.status).toBe(200);
	expect(first.body).toMatchObject({ permissions: ['read', 'write'], forms: [{ name: 'A' }, { name: 'B' }] });
	expect((await signIn({ token })).status).toBe(401);
	expect((await signIn({ key })).status).toBe(200);
	const listed = await server.call<{ sessions: { key: { name: string } }[] }>('GET /api/sessions');
	expect(listed.body.sessions.map((session) => session.key.name)).toEqual(['Reception', 'Reception']);
	const audit = await server.call<{ entries: object[] }>('GET /api/audit?action=openSession');
	expect(audit.body.entries[0]).toMatchObject({ actor: { kind: 'key', name: 'Reception' } });
	const made = await server.call<{ entries: object[] }>('GET /api/audit?action=createKey');
	expect(made.body.entries).toMatchObject([{ object: { kind: 'key' }, details: { facts: { name: 'Reception' } } }]);
	await server.close();
});

test('an invitation ends with its key, and when it is revoked', async () => {
	const cli = openCommandLine();
	await cli.call('forms', 'create', 'A', '--slug', 'a');
	const invite = async () =>
		(await cli.call('dashboard-link', '--form', 'a', '--name', 'Ada')).stdout.trim().split('/').at(-1) as string;
	const [first, second] = [await invite(), await invite()];
	const keys = JSON.parse((await cli.call('keys', 'list', '--json')).stdout) as { id: string }[];
	await cli.call('keys', 'revoke', keys[1]?.id as string);
	const server = await openTestServer({ database: cli.config().database });
	const signIn = async (token: string) =>
		(await server.call('POST /api/session', { key: null, json: { token } })).status;
	expect(await signIn(first)).toBe(401);
	await cli.call('dashboard-link', '--revoke-others');
	expect(await signIn(second)).toBe(401);
	await server.close();
});

test.each([
	[['--form', 'a'], '--form needs --name'],
	[['--permissions', 'read'], '--permissions goes with --form'],
	[['--name', 'Ada'], '--name goes with --form'],
	[['--form', 'a', '--name', 'Ada', '--permissions', 'admin'], 'A form-level key may have any of read, write, submit'],
])('%p is rejected with a sentence', async (options, sentence) => {
	const cli = openCommandLine();
	await cli.call('forms', 'create', 'A', '--slug', 'a');
	const { code, stdout, stderr } = await cli.call('dashboard-link', ...(options as string[]));
	expect(code).not.toBe(0);
	expect(stdout).toBe('');
	expect(stderr).toContain(sentence as string);
});

/** `formsrv audit`, and what other commands leave in the audit log. */

import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { AuditEntry } from '../../src/audit/schema.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

setDefaultTimeout(60_000);

let cli: CommandLine;
beforeEach(() => {
	cli = openCommandLine();
});

const systemUser = () => Bun.spawnSync(['id', '-un']).stdout.toString().trim();
const entries = (...argv: string[]): Promise<AuditEntry[]> => cli.json('audit', ...argv);

test('commands that change something, or let content out, leave one entry each, with the user of the system', async () => {
	const form = await cli.json('forms', 'create', 'Contact', '--test');
	const key = await cli.json('keys', 'create', '--name', 'build', '--permissions', 'read');
	const silent = [
		['forms', 'list'],
		['forms', 'show', form.slug],
		['submissions', 'list', form.slug],
		['keys', 'list'],
		['deliveries', 'list'],
		['sessions', 'list'],
		['suppressions', 'count'],
		['audit'],
	];
	for (const argv of silent) expect((await cli.call(...argv)).code).toBe(0);
	const writing = [
		['forms', 'update', form.slug, '--active', 'false'],
		['lists', 'add', 'block', 'domain:spam.example'],
		['submissions', 'export', form.slug, '--format', 'json'],
		['spam', 'mark', form.slug, 'spam', '--filter', 'all'],
		['dashboard-link'],
		['sessions', 'revoke', '--all'],
		['keys', 'revoke', key.id],
		['forms', 'delete', form.slug, '--yes'],
	];
	for (const argv of writing) expect((await cli.call(...argv)).code).toBe(0);
	expect((await cli.call('keys', 'revoke', 'unknown')).code).toBe(1);
	const all = (await entries()).toReversed();
	expect(all.map(({ action }) => action)).toEqual([
		'createForm',
		'createKey',
		'updateForm',
		'updateLists',
		'exportSubmissions',
		'updateSubmissions',
		'createSetupLink',
		'endOtherSessions',
		'revokeKey',
		'deleteForm',
	]);
	for (const { actor, address } of all) {
		expect(actor).toEqual({ kind: 'user', id: systemUser(), name: null });
		expect(address).toBeNull();
	}
	const [created, made, updated, , exported] = all;
	expect(created).toMatchObject({ mode: 'test', form: form.id, object: { kind: 'form', id: form.id } });
	expect(made).toMatchObject({ object: { kind: 'key', id: key.id }, details: { facts: { name: 'build' } } });
	expect(updated?.details.changes).toEqual({ isActive: { before: true, after: false } });
	expect(exported).toMatchObject({ mode: 'test', form: form.id, details: { facts: { format: 'json' } } });
});

test('prints a table, filters, and rejects what it does not know', async () => {
	await cli.json('forms', 'create', 'Contact');
	const { id } = await cli.json('forms', 'create', 'Jobs');
	await cli.call('forms', 'update', id, '--name', 'Careers');
	const { stdout } = await cli.call('audit', '--object', `form:${id}`);
	expect(stdout).toContain('name: Jobs → Careers');
	expect(stdout.trimEnd().split('\n')).toHaveLength(3);
	expect(await entries('--action', 'createForm', '--limit', '1')).toHaveLength(1);
	expect(await entries('--actor', 'user:another')).toEqual([]);
	expect(await entries('--since', '2100-01-01')).toEqual([]);
	expect((await cli.call('audit', '--limit', '2')).stderr).toContain('--offset 2');
	expect(await cli.call('audit', '--actor', 'ada')).toMatchObject({
		code: 2,
		stderr: expect.stringContaining('actor'),
	});
});

test('names the user of the system, whatever the environment calls him', async () => {
	await cli.json('forms', 'create', 'Contact');
	for (const names of [{ USER: 'mallory', LOGNAME: 'mallory' }, {}]) {
		const program = [process.execPath, join(import.meta.dir, '../../src/main.ts'), 'forms', 'create', 'Jobs'];
		expect(await Bun.spawn(program, { cwd: cli.cwd, env: { ...cli.env, ...names }, stderr: 'ignore' }).exited).toBe(0);
		const [newest] = await entries('--limit', '1');
		expect(newest?.actor).toMatchObject({ kind: 'user', id: systemUser() });
	}
});

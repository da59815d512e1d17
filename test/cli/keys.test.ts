/** `formsrv keys`. */

import { beforeEach, describe, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { testOnSqlite } from '../engine.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

let cli: CommandLine;
beforeEach(() => {
	cli = openCommandLine();
});

async function createKey(...argv: string[]): Promise<string> {
	const { code, stdout } = await cli.call('keys', 'create', ...argv);
	expect(code).toBe(0);
	return stdout;
}

describe('keys create', () => {
	test('prints the key and nothing else on stdout, in an empty folder', async () => {
		expect(await createKey()).toMatch(/^sk_live_[0-9A-Za-z]{38}\n$/);
	});

	testOnSqlite('makes a database that only its owner can read', async () => {
		await createKey();
		expect(statSync(cli.path('formsrv-data')).mode & 0o777).toBe(0o700);
		expect(statSync(cli.path('formsrv-data', 'formsrv.db')).mode & 0o777).toBe(0o600);
	});

	test('creates a live admin key by default', async () => {
		await createKey();
		await createKey('--test', '--permissions', 'read, write', '--name', 'build', '--expires', '90d');
		const [second, first] = await cli.json('keys', 'list');
		expect(first).toMatchObject({ mode: 'live', permissions: ['admin'], name: '', expiresAt: null, form: null });
		expect(second).toMatchObject({ mode: 'test', permissions: ['read', 'write'], name: 'build' });
		expect(Date.parse(second.expiresAt) / 86_400_000).toBeCloseTo(Date.now() / 86_400_000 + 90, 1);
	});

	test('creates a form-level key for a form named by its slug or its id', async () => {
		const form = await cli.json('forms', 'create', 'Contact');
		expect(await createKey('--form', form.slug)).toMatch(/^fk_[0-9A-Za-z]{38}\n$/);
		expect(await cli.json('keys', 'create', '--form', form.id)).toMatchObject({
			key: expect.stringMatching(/^fk_/),
			form: form.id,
			permissions: ['read'],
		});
	});

	test('creates one form-level key for all forms that are named', async () => {
		const [one, two] = [await cli.json('forms', 'create', 'One'), await cli.json('forms', 'create', 'Two')];
		const made = ['--form', two.slug, '--form', one.id, '--permissions', 'read,write'];
		expect(await cli.json('keys', 'create', ...made)).toMatchObject({
			key: expect.stringMatching(/^fk_/),
			forms: [one.id, two.id],
			permissions: ['read', 'write'],
		});
		expect((await cli.call('keys', 'list')).stdout).toContain(`${one.id},${two.id}`);
		const { code, stderr } = await cli.call('keys', 'create', ...Array(21).fill(`--form=${one.id}`));
		expect([code, stderr]).toEqual([2, expect.stringContaining('forms must name 1 to 20 forms')]);
	});

	test('with an address makes a member, who is listed and revoked by it and has no key', async () => {
		await createKey();
		const { code, stdout, stderr } = await cli.call('keys', 'create', '--email', 'Ada@example.org', '--name', 'Ada');
		expect({ code, stdout, stderr }).toEqual({
			code: 0,
			stdout: 'ada@example.org is a member (live, read).\n',
			stderr: '',
		});
		expect((await cli.call('keys', 'list')).stdout).toContain('ada@example.org');
		expect((await cli.call('keys', 'rotate', 'Ada@Example.org')).stderr).toContain('is a member');
		expect((await cli.call('keys', 'create', '--email', 'ada@example.org')).stderr).toContain('is a member already');
		for (let times = 0; times < 2; times++) {
			expect((await cli.call('keys', 'revoke', 'ada@example.org')).code).toBe(0);
			expect(await cli.json('keys', 'create', '--email', 'ada@example.org')).toMatchObject({
				email: 'ada@example.org',
				permissions: ['read'],
			});
		}
	});

	test('with an address in both modes makes two members, which the list and a revocation tell apart', async () => {
		for (const more of [[], ['--test']]) await cli.call('keys', 'create', '--email', 'ada@example.org', ...more);
		const [trial, live] = await cli.json('keys', 'list');
		const lines = (await cli.call('keys', 'list')).stdout.split('\n');
		for (const { id, mode } of [trial, live])
			expect(lines.find((line) => line.startsWith(id))).toMatch(new RegExp(`ada@example\\.org +${mode} +valid`));
		const { code, stderr } = await cli.call('keys', 'revoke', 'ada@example.org');
		expect([code, stderr]).toEqual([1, expect.stringContaining(`${trial.id} (test) or ${live.id} (live)`)]);
		expect((await cli.call('keys', 'revoke', live.id)).code).toBe(0);
		expect((await cli.call('keys', 'revoke', 'ada@example.org')).stdout).toContain(trial.id);
	});

	test.each([
		[
			2,
			['--permissions', 'read,all'],
			'--permissions must be any of read, write, delete, submit, metrics, audit, admin',
		],
		[2, ['--expires', 'soon'], '--expires must be a lifetime such as 90d'],
		[2, ['--expires', '2020-01-01'], '--expires must be a lifetime such as 90d or 12h, or a date to come'],
		[2, ['--form', 'x', '--permissions', 'delete'], 'A form-level key may have any of read, write, submit.'],
		[2, ['--name', 'a', '--name', 'b'], '--name must be given only once. See formsrv keys create --help.'],
		[2, ['--email', 'ada'], 'email must be one mail address, such as ada@example.org.'],
		[2, ['--name', 'x'.repeat(201)], 'name must have at most 200 characters.'],
		[1, ['--form', 'nowhere'], 'There is no form "nowhere".'],
	])('exit %i for %p', async (code, argv, sentence) => {
		await createKey();
		const outcome = await cli.call('keys', 'create', ...argv);
		expect(outcome).toMatchObject({ code, stdout: '' });
		expect(outcome.stderr).toStartWith(sentence);
	});
});

describe('keys list', () => {
	test('never shows a key', async () => {
		const key = (await createKey()).trim();
		const { stdout } = await cli.call('keys', 'list');
		expect(stdout).toContain(`sk_live_…${key.slice(-4)}`);
		expect(stdout).not.toContain(key);
	});

	test('says how to create the first one', async () => {
		await cli.call('forms', 'create', 'Contact');
		expect(await cli.call('keys', 'list')).toEqual({
			code: 0,
			stdout: '',
			stderr: 'There are no keys yet. Make one: formsrv keys create\n',
		});
	});
});

describe('keys rotate', () => {
	test('prints the new key alone, and says what becomes of the old one', async () => {
		await createKey();
		const { key, id } = await cli.json('keys', 'create', '--name', 'build', '--permissions', 'read');
		const { code, stdout, stderr } = await cli.call('keys', 'rotate', key, '--overlap', '24h');
		expect([code, stdout]).toEqual([0, expect.stringMatching(/^sk_live_[0-9A-Za-z]{38}\n$/)]);
		expect(stderr).toContain(`(${id}) stays valid for 24h at most.`);
		const [made, old] = await cli.json('keys', 'list');
		expect(made).toMatchObject({ name: 'build', permissions: ['read'], expiresAt: null });
		expect(Date.parse(old.expiresAt) / 86_400_000).toBeCloseTo(Date.now() / 86_400_000 + 1, 1);
		expect((await cli.call('keys', 'rotate', made.id)).stderr).toContain(`(${made.id}) is revoked.`);
	});

	test.each(['1', '31d', '-1h', 'soon'])('an overlap of %j is wrong usage', async (overlap) => {
		const { id } = await cli.json('keys', 'create');
		const { code, stderr } = await cli.call('keys', 'rotate', id, '--overlap', overlap);
		expect([code, stderr]).toEqual([2, expect.stringContaining('--overlap must be a time such as 24h or 7d')]);
	});
});

describe('keys revoke', () => {
	test.each([
		['its id', (key: { id: string }) => key.id],
		['how it is listed', (key: { display: string }) => key.display],
		['the same typed with three dots', (key: { display: string }) => key.display.replace('…', '...')],
		['the whole key', (_: unknown, token: string) => token],
	])('takes %s', async (_, nameOf) => {
		await createKey();
		const { key, ...record } = await cli.json('keys', 'create');
		expect((await cli.call('keys', 'revoke', nameOf(record, key))).code).toBe(0);
		const listed: { id: string; revokedAt: string | null }[] = await cli.json('keys', 'list');
		expect(listed.filter(({ revokedAt }) => revokedAt !== null).map(({ id }) => id)).toEqual([record.id]);
		expect((await cli.call('keys', 'list')).stdout).toMatch(/revoked[\s\S]*valid/);
	});

	test('an unknown key is exit 1, and a whole key is not repeated', async () => {
		const key = (await createKey()).trim();
		const other = openCommandLine();
		await other.call('forms', 'create', 'Contact');
		const { code, stderr } = await other.call('keys', 'revoke', key);
		expect(code).toBe(1);
		expect(stderr).toStartWith('There is no key "sk_live_…');
		expect(stderr).not.toContain(key);
	});
});

/** The binary on PostgreSQL, by nothing but its address: server and commands. */

import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { runBinary, startBinary } from '../../binary.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { tempFolder } from '../../temp-folder.ts';
import { until } from '../../until.ts';

async function openCommands() {
	const cwd = tempFolder();
	const env = { FORMSRV_DATABASE_URL: await newPostgresDatabase(), FORMSRV_LOG_LEVEL: 'warn' };
	return { cwd, env, call: (...args: string[]) => runBinary(args, { cwd, env }) };
}

test('it takes submissions, and every command reads them', async () => {
	const { cwd, env, call } = await openCommands();
	expect((await call('keys', 'list')).stderr).toStartWith('There are no formsrv tables in postgres://');
	expect((await call('keys', 'create')).stdout).toStartWith('sk_live_');
	expect((await call('forms', 'create', 'Contact', '--slug', 'contact')).code).toBe(0);
	await using server = await startBinary({ cwd, env });
	const post = await fetch(`${server.submitUrl}/f/contact`, {
		method: 'POST',
		redirect: 'manual',
		body: new URLSearchParams({ name: 'Zoë' }),
	});
	expect(post.status).toBe(303);
	expect((await call('submissions', 'list', 'contact')).stdout).toContain('name=Zoë');
	expect((await call('submissions', 'export', 'contact', '--format', 'ndjson')).stdout).toContain('"Zoë"');
	expect(await server.end('SIGTERM')).toBe(0);
}, 30_000);

test('it knows what an error of the database means', async () => {
	const { cwd, env, call } = await openCommands();
	const key = (await call('keys', 'create')).stdout.trim();
	await using server = await startBinary({ cwd, env });
	const sql = postgres(env.FORMSRV_DATABASE_URL, { max: 2, fetch_types: false, onnotice() {} });
	const create = () =>
		fetch(`${server.baseUrl}/api/forms`, {
			method: 'POST',
			headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
			body: JSON.stringify({ name: 'A', slug: 'a' }),
		});
	// It waits for another to make up its mind, which the look at the slug before could not see.
	const created = await sql.begin(async (other) => {
		await other`insert into forms (id, mode, slug, name) values (1, 'live', 'a', 'A')`;
		const response = create();
		await until(async () => (await sql`select from pg_locks where not granted`).length > 0);
		return [response];
	});
	const response = (await created[0]) as Response;
	expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([409, 'SLUG_TAKEN']);
	await sql.end();
	expect(await server.end('SIGTERM')).toBe(0);
}, 30_000);

test('a password comes from a file, and is not shown', async () => {
	const { cwd, env } = await openCommands();
	writeFileSync(join(cwd, 'password'), 'hunter2');
	const settings = { ...env, FORMSRV_DATABASE_PASSWORD_FILE: 'password' };
	const { stdout, stderr } = await runBinary(['doctor'], { cwd, env: settings });
	expect(stdout).toMatch(/ok +engine +PostgreSQL \d/);
	expect(stdout).toMatch(/FORMSRV_DATABASE_PASSWORD +\(set, not shown\)/);
	expect(stdout + stderr).not.toContain('hunter2');
}, 30_000);

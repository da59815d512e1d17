/**
 * Keeps a database of the built program for each engine, with data of every kind, so that later versions can be tried on it:
 * `bun scripts/keep-databases.ts [--binary PATH] [--version NAME] [--engine sqlite|postgres]`, by default of `dist/formsrv` and the
 * version of package.json. It needs PostgreSQL with `pg_dump` as Debian installs it.
 */

import { Database } from 'bun:sqlite';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { version } from '../package.json';
import { DELIVERY_STATES } from '../src/storage/tables.ts';
import { BINARY, runBinary, startBinary } from '../test/binary.ts';
import { installedPostgres } from '../test/postgres-programs.ts';
import { makeDatabase, startPostgres } from '../test/postgres-server.ts';
import { until } from '../test/until.ts';
import { openClient, PATIENCE } from '../test/upgrade/client.ts';
import { fill, fillFirst, states } from '../test/upgrade/fill.ts';
import { BACKUP, DATA, DUMP, ENGINES, type Engine, MANIFEST, type Manifest, pack } from '../test/upgrade/kept.ts';
import { readTables } from '../test/upgrade/rows.ts';
import { see } from '../test/upgrade/see.ts';
import { openTargets } from '../test/upgrade/targets.ts';

const { values: flags } = parseArgs({
	options: { binary: { type: 'string' }, version: { type: 'string' }, engine: { type: 'string' } },
});
const program = flags.binary ?? BINARY;
const name = flags.version ?? version;
/** These are empty on an idle server, or belong to the other engine. */
const MAY_BE_EMPTY = ['search_additions', 'search_removals', 'removed_files'];
const NO_LIMITS = {
	FORMSRV_RATE_SUBMIT: '0',
	FORMSRV_RATE_FORM: '0',
	FORMSRV_RATE_ADDRESS: '0',
	FORMSRV_RATE_API: '0',
};

const rejected = new Set<string>();
const note = (line: string) => rejected.add(line.replaceAll(/\b[0-9a-z]{11}\b|"requestId":"[^"]*"/g, '…'));

/** @param address of PostgreSQL */
async function keep(engine: Engine, address?: string): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), 'formsrv-kept-'));
	const targets = await openTargets();
	const env = {
		...knownSettings({ ...targets.settings, ...NO_LIMITS }),
		FORMSRV_DATA_DIR: join(folder, DATA),
		...(address && { FORMSRV_DATABASE_URL: address }),
	};
	const options = { cwd: folder, env, program };
	async function run(...args: string[]): Promise<string> {
		const { code, stdout, stderr } = await runBinary(args, options);
		if (code !== 0) note(`formsrv ${args.join(' ')}: ${stderr.split('\n')[0]}`);
		return stdout.trim();
	}
	const keys: Manifest['keys'] = {
		live: await run('keys', 'create', '--name', 'everything'),
		test: await run('keys', 'create', '--test', '--expires', '2999-01-01'),
		form: '',
		revoked: await run('keys', 'create', '--name', 'revoked'),
	};
	let server = await startBinary(options);
	await fillFirst(openClient(server, keys.live, note), targets);
	await server.end('SIGTERM');
	if (engine === 'sqlite') {
		await run('backup', join(folder, BACKUP));
		await run('restore', join(folder, BACKUP), '--force');
		for (const copy of readdirSync(join(folder, DATA)).filter((file) => /replaced|journal/.test(file)))
			rmSync(join(folder, DATA, copy), { recursive: true });
	} else await run('deliveries', 'hold');

	await noteClockStep(address ?? join(folder, DATA, 'formsrv.db'));

	server = await startBinary(options);
	const client = openClient(server, keys.live, note);
	const test = openClient(server, keys.test, note);
	await fill(client, test, targets);
	keys.form = await run('keys', 'create', '--form', 'contact', '--form', 'many', '--permissions', 'read,write');
	if (keys.form === '') keys.form = await run('keys', 'create', '--form', 'contact');
	const { keys: made } = await client.need<{ keys: { id: string; name: string }[] }>('GET /api/keys');
	await client.need(`DELETE /api/keys/${made.find((key) => key.name === 'revoked')?.id}`);
	await client.call('POST /api/session', { key: keys.live });
	await run('dashboard-link');
	await run('dashboard-link', '--form', 'contact', '--name', 'invited');
	const seen = { live: await see(client), test: await see(test) };
	await until(async () => (await states(client)).has('webhook sending'), PATIENCE);
	await server.end('SIGKILL');
	await targets.close();

	if (address) {
		const dump = Bun.spawnSync(['pg_dump', '--no-owner', '--no-privileges', '--rows-per-insert=500', address]);
		if (!dump.success) throw new Error(`pg_dump failed: ${dump.stderr}`);
		// psql's own commands, which are no SQL.
		writeFileSync(join(folder, DUMP), dump.stdout.toString().replaceAll(/^\\.*\n/gm, ''));
	} else compact(join(folder, DATA, 'formsrv.db'));
	for (const lock of ['formsrv.db.lock', 'formsrv.db.lock-files']) rmSync(join(folder, DATA, lock), { force: true });
	const { schema, tables } = await readTables(address ?? join(folder, DATA, 'formsrv.db'));
	for (const [table, rows] of Object.entries(tables))
		if (rows.length === 0 && !MAY_BE_EMPTY.includes(table)) note(`${engine}: the table ${table} is empty.`);
	const found = new Set(tables.deliveries?.map(({ state }) => state));
	for (const state of DELIVERY_STATES) if (!found.has(state)) note(`${engine}: no delivery is ${state}.`);
	writeFileSync(join(folder, MANIFEST), JSON.stringify({ schema, keys, ...seen } satisfies Manifest));
	console.info(pack(name, engine, folder), `schema ${schema}, ${Object.keys(tables).length} tables`);
	rmSync(folder, { recursive: true });
}

/** A version does not start with settings that it does not know. */
function knownSettings(settings: Record<string, string>): Record<string, string> {
	const help = Bun.spawnSync([program, 'serve', '--help']).stdout.toString();
	return Object.fromEntries(Object.entries(settings).filter(([setting]) => help.includes(setting)));
}

/** As if the clock had been set before the first submission. */
async function noteClockStep(place: string): Promise<void> {
	const statement = 'insert into clock_steps (from_id, offset_ms, before_ms, after_ms) values (4096, 0, 2, 2)';
	try {
		if (place.startsWith('postgres:')) {
			const sql = postgres(place, { max: 1 });
			await sql.unsafe(statement).finally(() => sql.end());
		} else {
			const client = new Database(place);
			client.run(statement);
			client.close();
		}
	} catch (error) {
		note(`${(error as Error).message}`);
	}
}

/** Moves the rest that the kill left beside the file into it, so that the archive has every page once. */
function compact(file: string): void {
	const client = new Database(file);
	client.run('pragma wal_checkpoint(truncate)');
	client.close();
}

for (const engine of ENGINES.filter((one) => (flags.engine ?? one) === one)) {
	if (engine === 'sqlite') await keep(engine);
	else {
		const server = await startPostgres({ parent: tmpdir(), programs: installedPostgres() });
		await keep(engine, await makeDatabase(server.address(), 'kept'));
		await server.stop();
	}
}
for (const line of rejected) console.warn(line);
if (rejected.size > 0 && name === version) {
	console.error('The data is not of every kind that this version knows: fill in more in test/upgrade/fill.ts.');
	process.exit(1);
}

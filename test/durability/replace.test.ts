/** `backup`, `restore` and the making of a new database, ended by SIGKILL at each of their system calls: nothing is lost. */

import { expect } from 'bun:test';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { runBinary, startBinary } from '../binary.ts';
import { runWithout } from '../kill-at.ts';
import { withProgram } from '../programs.ts';
import { tempFolder } from '../temp-folder.ts';
import { atEach, followTheWayBack, NOISE, serveOnce, WITHIN_MS } from './interrupt.ts';

const { test } = withProgram('strace');
const file = (cwd: string) => join(cwd, 'formsrv-data', 'formsrv.db');

/** A folder with a database of one form, a backup of it with two submissions, and two more in the log of a killed server. */
async function makeInstallation(): Promise<string> {
	const cwd = tempFolder();
	await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
	let server = await startBinary({ cwd, env: NOISE });
	const submit = async (mark: string) => {
		const body = new URLSearchParams({ mark });
		const headers = { Accept: 'application/json' };
		expect((await fetch(`${server.submitUrl}/f/contact`, { method: 'POST', body, headers })).status).toBe(200);
	};
	await submit('one');
	await submit('two');
	await server.end('SIGTERM');
	expect((await runBinary(['backup', 'copy.db'], { cwd })).code).toBe(0);
	server = await startBinary({ cwd, env: NOISE });
	await submit('three');
	await submit('four');
	await server.end('SIGKILL');
	return cwd;
}

const IN_BACKUP = ['one', 'two'];
const ALL = ['one', 'two', 'three', 'four'];

function marksIn(path: string): unknown[] {
	const client = new BetterSqlite3(path, { readonly: true });
	try {
		expect(client.pragma('integrity_check', { simple: true })).toBe('ok');
		return client.prepare("select data ->> 'mark' from submissions order by id").pluck().all();
	} finally {
		client.close();
	}
}

/** The server's state after an interrupted restore; the former database must be in place, or kept aside. */
async function expectNothingLost(cwd: string): Promise<'old' | 'new' | 'way back'> {
	const sentence = await serveOnce(cwd);
	if (sentence !== undefined) await followTheWayBack(cwd, sentence);
	const found = marksIn(file(cwd));
	const data = readdirSync(join(cwd, 'formsrv-data'));
	const aside = data.filter((name) => /\.replaced-[\dTZ-]+$/.test(name));
	if (sentence === undefined && found.length === IN_BACKUP.length) {
		expect(found).toEqual(IN_BACKUP);
		expect(marksIn(join(cwd, 'formsrv-data', aside.at(-1) ?? 'nothing'))).toEqual(ALL);
		return 'new';
	}
	expect(found).toEqual(ALL);
	expect(data.filter((name) => name.includes('.restoring'))).toEqual([]);
	if (sentence === undefined) expect(aside).toEqual([]);
	return sentence === undefined ? 'old' : 'way back';
}

test(
	'an interrupted backup leaves nothing under its name, and the next one of that name works',
	async () => {
		const installation = await makeInstallation();
		const outcomes = await atEach(installation, {
			args: ['backup', 'next.db'],
			about: /next\.db|formsrv\.db|formsrv-test-\w+>/,
			async expectAll(cwd) {
				const isDone = existsSync(join(cwd, 'next.db'));
				if (!isDone) expect((await runBinary(['backup', 'next.db'], { cwd })).stderr).toBe('');
				expect(marksIn(join(cwd, 'next.db'))).toEqual(ALL);
				expect(readdirSync(cwd).filter((name) => name.includes('.partial'))).toEqual([]);
				expect(await serveOnce(cwd)).toBeUndefined();
				expect(marksIn(file(cwd))).toEqual(ALL);
				return isDone ? 'done' : 'again';
			},
		});
		expect([...outcomes].sort()).toEqual(['again', 'done']);
	},
	WITHIN_MS,
);

test(
	'an interrupted restore leaves the old database in its place, or the new one',
	async () => {
		const outcomes = await atEach(await makeInstallation(), {
			args: ['restore', 'copy.db', '--force'],
			about: /formsrv\.db|formsrv-data/,
			expectAll: expectNothingLost,
		});
		expect([...outcomes].sort()).toEqual(['new', 'old']);
	},
	WITHIN_MS,
);

test(
	'so does one while another program reads the old one, whose log stays; or the server says where the old one is',
	async () => {
		const outcomes = await atEach(await makeInstallation(), {
			args: ['restore', 'copy.db', '--force'],
			about: /formsrv\.db|formsrv-data/,
			meanwhile(cwd) {
				const reader = new BetterSqlite3(file(cwd), { readonly: true });
				reader.exec('begin; select count(*) from submissions');
				return () => reader.close();
			},
			expectAll: expectNothingLost,
		});
		expect([...outcomes].sort()).toEqual(['new', 'old', 'way back']);
	},
	WITHIN_MS,
);

test(
	'so does one into an empty place, where the server says what is missing instead of creating a new one',
	async () => {
		const installation = await makeInstallation();
		rmSync(join(installation, 'formsrv-data'), { recursive: true });
		const outcomes = await atEach(installation, {
			args: ['restore', 'copy.db'],
			about: /formsrv\.db\.r|formsrv-data>/,
			async expectAll(cwd) {
				const sentence = await serveOnce(cwd);
				const isNew = sentence === undefined && marksIn(file(cwd)).length === 0;
				// Before the restore has written anything there is no trace of one.
				if (isNew) return 'nothing';
				if (sentence !== undefined) {
					const [, copy = ''] = /'formsrv restore (.+?)'/.exec(sentence) ?? [];
					const { code } = await runBinary(['restore', copy === 'BACKUP' ? 'copy.db' : copy], { cwd });
					expect(code).toBe(0);
					expect(await serveOnce(cwd)).toBeUndefined();
				}
				expect(marksIn(file(cwd))).toEqual(IN_BACKUP);
				return sentence === undefined ? 'new' : 'way back';
			},
		});
		expect(outcomes).toContain('way back');
	},
	WITHIN_MS,
);

test(
	'a file system without hard links works too',
	async () => {
		const cwd = await makeInstallation();
		expect(await runWithout('link', ['restore', 'copy.db', '--force'], { cwd })).toBe(0);
		expect(await expectNothingLost(cwd)).toBe('new');
		expect(await runWithout('link', ['keys', 'create', '--data-dir', 'other'], { cwd })).toBe(0);
		expect(readdirSync(join(cwd, 'other'))).toEqual(['formsrv.db']);
	},
	WITHIN_MS,
);

test(
	'a new database whose creation was interrupted is created again',
	async () => {
		const outcomes = await atEach(tempFolder(), {
			args: ['keys', 'create'],
			about: /formsrv\.db|formsrv-data/,
			async expectAll(cwd) {
				expect(await serveOnce(cwd)).toBeUndefined();
				expect(readdirSync(join(cwd, 'formsrv-data')).filter((name) => name.includes('.new'))).toEqual([]);
				return 'made';
			},
		});
		expect([...outcomes]).toEqual(['made']);
	},
	WITHIN_MS,
);

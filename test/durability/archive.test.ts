/** `backup` and `restore` of an archive, ended by SIGKILL at each of their system calls: database and files stay together. */

import { expect } from 'bun:test';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { keptArchives } from '../../src/backup/names.ts';
import { newAgeKey } from '../backup/age-key.ts';
import { runBinary, startBinary } from '../binary.ts';
import { withProgram } from '../programs.ts';
import { tempFolder } from '../temp-folder.ts';
import { atEach, followTheWayBack, NOISE, restore, serveOnce, WITHIN_MS } from './interrupt.ts';

const { test } = withProgram('strace');
const DATA = 'formsrv-data';

/** With submissions of a file each, and the log of a killed server. */
async function makeInstallation(...marks: string[]): Promise<string> {
	const cwd = tempFolder();
	await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
	await using server = await startBinary({ cwd, env: NOISE });
	for (const mark of marks) {
		const body = new FormData();
		body.append('mark', mark);
		body.append('cv', new File([`${mark}, `.repeat(500)], `${mark}.txt`));
		const headers = { Accept: 'application/json' };
		expect((await fetch(`${server.submitUrl}/f/contact`, { method: 'POST', body, headers })).status).toBe(200);
	}
	await server.end('SIGKILL');
	return cwd;
}

/** The marks of all submissions, each of which has its file. */
function marksIn(cwd: string, database: string): string[] {
	const client = new BetterSqlite3(join(cwd, DATA, database), { readonly: true });
	try {
		expect(client.pragma('integrity_check', { simple: true })).toBe('ok');
		const rows = client
			.prepare(
				"select data ->> 'mark' mark, key from submissions join files on submission_id = submissions.id order by submissions.id",
			)
			.all() as { mark: string; key: string }[];
		for (const { mark, key } of rows) {
			expect(readFileSync(join(cwd, DATA, 'files', key.slice(0, 2), key), 'utf8')).toBe(`${mark}, `.repeat(500));
		}
		return rows.map(({ mark }) => mark);
	} finally {
		client.close();
	}
}

const IN_BACKUP = ['one', 'two'];
const OLD = ['three', 'four'];

/** An installation, and beside it the archive of another one, so that not one of its files is there. */
async function makeBoth(): Promise<string> {
	const other = await makeInstallation(...IN_BACKUP);
	expect((await runBinary(['backup', 'copy.tar'], { cwd: other })).stderr).toBe('');
	const installation = await makeInstallation(...OLD);
	copyFileSync(join(other, 'copy.tar'), join(installation, 'copy.tar'));
	return installation;
}

test(
	'an interrupted backup leaves nothing under its name, and the next one of that name works',
	async () => {
		const outcomes = await atEach(await makeInstallation(...OLD), {
			args: ['backup', 'next.tar'],
			about: /next\.tar|formsrv\.db|formsrv-test-\w+>/,
			async expectAll(cwd) {
				const isDone = existsSync(join(cwd, 'next.tar'));
				if (!isDone) expect((await runBinary(['backup', 'next.tar'], { cwd })).stderr).toBe('');
				expect((await runBinary(['backup', 'verify', 'next.tar'], { cwd })).code).toBe(0);
				if (!isDone) expect(readdirSync(cwd).filter((name) => name.includes('.partial'))).toEqual([]);
				await restore(cwd, 'next.tar', '--force');
				expect(marksIn(cwd, 'formsrv.db')).toEqual(OLD);
				return isDone ? 'done' : 'again';
			},
		});
		expect([...outcomes].sort()).toEqual(['again', 'done']);
	},
	WITHIN_MS,
);

test(
	'an interrupted one to a place, encrypted, leaves nothing there that does not restore, and the next one removes its rest',
	async () => {
		const installation = await makeInstallation(...OLD);
		mkdirSync(join(installation, 'kept'));
		const { recipient } = await newAgeKey(join(installation, 'key.txt'));
		const args = ['backup', '--backup-to', 'kept', '--backup-recipient', recipient];
		const outcomes = await atEach(installation, {
			args,
			about: /kept|partial|formsrv\.db/,
			async expectAll(cwd) {
				const isDone = keptArchives(readdirSync(join(cwd, 'kept')).map((name) => ({ name }))).length > 0;
				if (!isDone) expect((await runBinary(args, { cwd })).stderr).toBe('');
				const names = readdirSync(join(cwd, 'kept'));
				if (!isDone) expect(names).toHaveLength(1);
				if (!isDone) expect(readdirSync(join(cwd, DATA)).filter((name) => name.includes('partial'))).toEqual([]);
				const drill = await runBinary(['drill', '--backup-to', 'kept', '--identity', 'key.txt'], { cwd });
				expect(drill).toMatchObject({ code: 0, stderr: '' });
				return isDone ? 'done' : 'again';
			},
		});
		expect([...outcomes].sort()).toEqual(['again', 'done']);
	},
	WITHIN_MS,
);

test(
	'an interrupted restore leaves the old database or the new one, each with all its files',
	async () => {
		const outcomes = await atEach(await makeBoth(), {
			args: ['restore', 'copy.tar', '--force'],
			about: /formsrv\.db|formsrv-data|copy\.tar/,
			async expectAll(cwd) {
				const sentence = await serveOnce(cwd);
				if (sentence !== undefined) await followTheWayBack(cwd, sentence);
				const found = marksIn(cwd, 'formsrv.db');
				const data = readdirSync(join(cwd, DATA));
				expect(data.filter((name) => name.includes('.restoring'))).toEqual([]);
				const aside = data.filter((name) => /\.replaced-[\dTZ-]+$/.test(name));
				expect([OLD, IN_BACKUP]).toContainEqual(found);
				if (found[0] === OLD[0]) return 'old';
				expect(marksIn(cwd, aside.at(-1) ?? 'nothing')).toEqual(OLD);
				return 'new';
			},
		});
		expect([...outcomes].sort()).toEqual(['new', 'old']);
	},
	WITHIN_MS,
);

test(
	'so does one into an empty place, where no copy is offered that lacks its files',
	async () => {
		const empty = tempFolder();
		copyFileSync(join(await makeBoth(), 'copy.tar'), join(empty, 'copy.tar'));
		const outcomes = await atEach(empty, {
			args: ['restore', 'copy.tar'],
			about: /formsrv\.db\.r|formsrv-data/,
			async expectAll(cwd) {
				const sentence = await serveOnce(cwd);
				if (sentence !== undefined) {
					const [, copy = ''] = /'formsrv restore (.+?)'/.exec(sentence) ?? [];
					await restore(cwd, copy === 'BACKUP' ? 'copy.tar' : copy);
					expect(await serveOnce(cwd)).toBeUndefined();
				}
				const found = marksIn(cwd, 'formsrv.db');
				// Before the restore has written anything beside the database's place, the server makes a new one.
				if (found.length === 0) return 'nothing';
				expect(found).toEqual(IN_BACKUP);
				return sentence === undefined ? 'new' : 'way back';
			},
		});
		expect(outcomes).toContain('way back');
	},
	WITHIN_MS,
);

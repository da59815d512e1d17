/** A page of the file is damaged: requests that read it fail, the log says why, and all others work. */

import { expect, test } from 'bun:test';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';

const SUBMISSIONS = 60;
const PAGE_BYTES = 4096;
/** The export reads the page, and the index of the search if it had not read it before. */
const MEETS_IT = /^(?:A response broke off|The search index could not be brought up to date; it is tried again)\.$/;

/** Overwrites a leaf page of the table of submissions that is neither the first nor the last one. */
function damage(path: string): void {
	const file = new BetterSqlite3(path, { readonly: true });
	const pages = file.prepare(
		"select pageno from dbstat where name = 'submissions' and pagetype = 'leaf' order by pageno",
	);
	const page = (pages.pluck().all() as number[])[3];
	file.close();
	const handle = openSync(path, 'r+');
	writeSync(handle, Buffer.alloc(512, 0xff), 0, 512, (Number(page) - 1) * PAGE_BYTES);
	closeSync(handle);
}

test('an export breaks off, and log and status say why', async () => {
	const cwd = tempFolder();
	expect((await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd })).code).toBe(0);
	const key = (await runBinary(['keys', 'create'], { cwd })).stdout.trim();
	await using first = await startBinary({ cwd, env: { FORMSRV_RATE_SUBMIT: '0' } });
	const submit = async (url: string) => {
		const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
		const body = JSON.stringify({ message: 'x'.repeat(600) });
		return (await fetch(`${url}/f/contact`, { method: 'POST', headers, body })).status;
	};
	for (let i = 0; i < SUBMISSIONS; i++) expect(await submit(first.submitUrl)).toBe(200);
	expect(await first.end('SIGTERM')).toBe(0);
	damage(join(cwd, 'formsrv-data', 'formsrv.db'));

	const log = join(cwd, 'log');
	await using server = await startBinary({ cwd, stderr: openSync(log, 'w') });
	const ask = (path: string) => fetch(`${server.baseUrl}${path}`, { headers: { Authorization: `Bearer ${key}` } });
	const { forms } = (await (await ask('/api/forms')).json()) as { forms: { id: string }[] };
	const body = await ask(`/api/forms/${forms[0]?.id}/export?format=ndjson`)
		.then((response) => response.text())
		.catch(String);
	expect(body).toContain('closed unexpectedly');
	const errors = () =>
		readFileSync(log, 'utf8')
			.split('\n')
			.filter((line) => line.includes('"level":"ERROR"'));
	const [finding, ...broken] = errors().map((line) => JSON.parse(line));
	expect(finding).toMatchObject({ finding: 'damage', detail: { code: 'SQLITE_CORRUPT' } });
	expect(broken).not.toEqual([]);
	for (const line of broken)
		expect(line).toMatchObject({ message: expect.stringMatching(MEETS_IT), cause: { code: 'SQLITE_CORRUPT' } });
	const status = (await (await ask('/api/status')).json()) as { problems: { name: string }[] };
	expect(status.problems.map(({ name }) => name)).toEqual(['damage']);
	expect((await fetch(`${server.baseUrl}/ready`)).status).toBe(200);
	expect(await submit(server.submitUrl)).toBe(200);
	await server.end('SIGTERM');
}, 60_000);

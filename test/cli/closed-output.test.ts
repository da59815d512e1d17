/** Standard output and error that are closed, broken or full: the server serves, and its database holds what it has to. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { BINARY, runBinary } from '../binary.ts';
import { freePort } from '../free-port.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

const WITHIN_MS = 15_000;

test.each([
	['closed', '>&- 2>&-'],
	['closed, with standard input', '<&- >&- 2>&-'],
	['pipes without a reader', '> >(true) 2> >(true)'],
	['an error output on a full disk', '2>/dev/full'],
])(
	'%s',
	async (_, redirection) => {
		const cwd = tempFolder();
		expect((await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd })).code).toBe(0);
		const port = freePort();
		const env = { FORMSRV_PORT: `${port}`, FORMSRV_SUBMIT_PORT: `${port}`, FORMSRV_RATE_SUBMIT: '0' };
		const child = Bun.spawn(['bash', '-c', `exec ${BINARY} serve ${redirection}`], { cwd, env, stdout: 'ignore' });
		const url = `http://127.0.0.1:${port}`;
		const isUp = () =>
			fetch(`${url}/health`).then(
				({ ok }) => ok,
				() => false,
			);
		await until(isUp, { withinMs: WITHIN_MS });
		const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
		for (let i = 0; i < 50; i++) {
			expect((await fetch(`${url}/f/contact`, { method: 'POST', headers, body: `{"mark":${i}}` })).status).toBe(200);
			expect((await fetch(`${url}/nothing`)).status).toBe(404);
		}
		child.kill('SIGTERM');
		expect(await child.exited).toBe(0);
		const database = new BetterSqlite3(join(cwd, 'formsrv-data', 'formsrv.db'), { readonly: true });
		expect(database.prepare('select count(*) from submissions').pluck().get()).toBe(50);
		expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
		database.close();
	},
	60_000,
);

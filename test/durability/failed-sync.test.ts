/** The disk fails at a sync, and the process is killed: rejected submissions are not stored, acknowledged ones are. */

import { expect } from 'bun:test';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { runBinary, startBinary } from '../binary.ts';
import { withProgram } from '../programs.ts';
import { tempFolder } from '../temp-folder.ts';

const strace = withProgram('strace');
const SUBMISSIONS = 20;

/** The calls that fail, and with what, and the statuses that may follow; the first calls are those of the start. */
const FAULTS = [
	['single syncs', 'fsync,fdatasync:error=EIO:when=8+3', [200, 503]],
	['every sync from some time on', 'fsync,fdatasync:error=EIO:when=12+', [200, 500, 503]],
	['single writes', 'pwrite64:error=EIO:when=60+11', [200, 503]],
	['every write from some time on', 'pwrite64:error=EIO:when=60+', [200, 500, 503]],
	['no room now and then', 'pwrite64:error=ENOSPC:when=60+11', [200, 503]],
	['no room from some time on', 'pwrite64:error=ENOSPC:when=60+', [200, 503]],
] as const;

strace.test.each(FAULTS)(
	'%s',
	async (_, fault, statuses) => {
		const cwd = tempFolder();
		expect((await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd })).code).toBe(0);
		const trace = ['-o', '/dev/null', '-e', 'trace=fsync,fdatasync,pwrite64', '-e', `inject=${fault}`];
		await using server = await startBinary({ cwd, prefix: [strace.path, '-f', '-qq', ...trace] });
		const responses = new Map<string, number>();
		for (let i = 0; i < SUBMISSIONS; i++) {
			const response = await fetch(`${server.submitUrl}/f/contact`, {
				method: 'POST',
				headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
				body: JSON.stringify({ mark: `${i}` }),
			});
			await response.arrayBuffer();
			responses.set(`${i}`, response.status);
		}
		await server.end('SIGKILL');

		const file = new BetterSqlite3(join(cwd, 'formsrv-data', 'formsrv.db'));
		const stored = new Set(file.prepare("select data ->> 'mark' from submissions").pluck().all());
		expect(file.pragma('integrity_check', { simple: true })).toBe('ok');
		file.close();
		const marksOf = (status: number) => [...responses].filter(([, found]) => found === status).map(([mark]) => mark);
		expect([...statuses]).toEqual(expect.arrayContaining([...new Set(responses.values())]));
		expect([...responses.values()]).toEqual(expect.arrayContaining([200, 503]));
		expect(marksOf(200).filter((mark) => !stored.has(mark))).toEqual([]);
		expect(marksOf(503).filter((mark) => stored.has(mark))).toEqual([]);
	},
	60_000,
);

/** A full disk: writes that the system rejects, or its limit on the size of a file. */

import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import BetterSqlite3 from 'better-sqlite3';
import { BINARY, runBinary, startBinary } from '../binary.ts';
import { withProgram } from '../programs.ts';
import { tempFolder } from '../temp-folder.ts';

const strace = withProgram('strace');
/** The first writes are those of the start. */
const NO_ROOM = ['trace=pwrite64', 'inject=pwrite64:error=ENOSPC:when=150+'].flatMap((option) => ['-e', option]);
const MAX_FILE_KIB = 800;
/** Less than the bound; a few of them are more. */
const LARGE = 'x'.repeat(100_000);
const BOUNDED = ['bash', '-c', `trap '' XFSZ; ulimit -f ${MAX_FILE_KIB}; "$@"; exit $?`, 'bash'];

strace.test(
	'submissions without room are rejected with 503; the stop is orderly, and all acknowledged ones are stored',
	async () => {
		const cwd = tempFolder();
		expect((await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd })).code).toBe(0);
		await using server = await startBinary({ cwd, prefix: [strace.path, '-f', '-qq', '-o', '/dev/null', ...NO_ROOM] });
		const submit = () =>
			fetch(`${server.submitUrl}/f/contact`, {
				method: 'POST',
				headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
				body: JSON.stringify({ message: LARGE }),
			});

		let acknowledged = 0;
		let response = await submit();
		for (; response.status === 200 && acknowledged < 20; response = await submit()) acknowledged++;
		expect(response.status).toBe(503);
		expect(response.headers.get('Retry-After')).toMatch(/^\d+$/);
		expect(await response.json()).toMatchObject({ success: false, code: 'UNAVAILABLE' });
		expect((await fetch(`${server.submitUrl}/health`)).status).toBe(200);
		expect(await server.end('SIGTERM')).toBe(0);

		const file = new BetterSqlite3(join(cwd, 'formsrv-data', 'formsrv.db'));
		expect(file.prepare('select count(*) from submissions').pluck().get()).toBe(acknowledged);
		file.close();
	},
);

test('without room, a backup leaves nothing, and a restore the database as it was', async () => {
	const cwd = tempFolder();
	expect((await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd })).code).toBe(0);
	await using server = await startBinary({ cwd });
	const body = new FormData();
	body.append('cv', new File([new Uint8Array(2 * MAX_FILE_KIB * 1024)], 'cv.bin'));
	const headers = { Accept: 'application/json' };
	expect((await fetch(`${server.submitUrl}/f/contact`, { method: 'POST', body, headers })).status).toBe(200);
	await server.end('SIGTERM');
	expect((await runBinary(['backup', 'x.tar'], { cwd })).code).toBe(0);
	const listed = () => readdirSync(join(cwd, 'formsrv-data')).filter((name) => name !== 'files');
	const before = listed();

	for (const args of [
		['backup', 'y.tar'],
		['restore', 'x.tar', '--force'],
	]) {
		const child = Bun.spawn([...BOUNDED, BINARY, ...args], { cwd, env: {}, stdout: 'pipe', stderr: 'pipe' });
		const [stderr, code] = await Promise.all([text(child.stderr), child.exited]);
		expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^.+: .*large.*\.\n$/) });
	}
	expect(readdirSync(cwd).sort()).toEqual(['formsrv-data', 'x.tar']);
	expect(listed()).toEqual(before);
	expect((await runBinary(['restore', 'x.tar', '--force'], { cwd })).code).toBe(0);
});

/** A full disk, simulated by the system's limit on the size of a file. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';

const MAX_FILE_KIB = 400;
/** Less than the bound; a few of them are more. */
const LARGE = 'x'.repeat(100_000);
const BOUNDED = ['bash', '-c', `trap '' XFSZ; ulimit -f ${MAX_FILE_KIB}; "$@"; exit $?`, 'bash'];

test('submissions without room are rejected with 503; the stop is orderly, and all acknowledged ones are stored', async () => {
	const cwd = tempFolder();
	expect((await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd })).code).toBe(0);
	const server = await startBinary({ cwd, prefix: BOUNDED });
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
});

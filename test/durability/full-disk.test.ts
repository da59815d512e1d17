/** A disk without room, played by the bound that the system puts on the size of a file. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';

const MAX_FILE_KIB = 400;
/** Less than the bound; a few of them are more. */
const LARGE = 'x'.repeat(100_000);
const BOUNDED = ['bash', '-c', `trap '' XFSZ; ulimit -f ${MAX_FILE_KIB}; "$@"; exit $?`, 'bash'];

test('what does not fit is rejected with 503; the end is orderly, and all that was acknowledged is there', async () => {
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
	let answer = await submit();
	for (; answer.status === 200 && acknowledged < 20; answer = await submit()) acknowledged++;
	expect(answer.status).toBe(503);
	expect(answer.headers.get('Retry-After')).toMatch(/^\d+$/);
	expect(await answer.json()).toMatchObject({ success: false, code: 'UNAVAILABLE' });
	expect((await fetch(`${server.submitUrl}/health`)).status).toBe(200);
	expect(await server.end('SIGTERM')).toBe(0);

	const file = new BetterSqlite3(join(cwd, 'formsrv-data', 'formsrv.db'));
	expect(file.prepare('select count(*) from submissions').pluck().get()).toBe(acknowledged);
	file.close();
});

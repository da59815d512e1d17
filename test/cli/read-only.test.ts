/** Commands of the compiled binary on a data folder that cannot be written to. */

import { afterEach, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';

const mayMount = process.getuid?.() === 0 && Bun.which('mount') !== null;
const TIMEOUT_MS = 60_000;

const mounted: string[] = [];
afterEach(() => {
	for (const folder of mounted.splice(0)) Bun.spawnSync(['umount', '-l', folder]);
});

test.skipIf(!mayMount)(
	'commands say why, and what is there can be backed up',
	async () => {
		const cwd = tempFolder();
		const [store, seen] = [join(cwd, 'store'), join(cwd, 'seen')];
		for (const folder of [store, seen]) mkdirSync(folder);
		const run = (folder: string, ...args: string[]) => runBinary(args, { cwd, env: { FORMSRV_DATA_DIR: folder } });
		const killed = await startBinary({ cwd, env: { FORMSRV_DATA_DIR: store } });
		await killed.end('SIGKILL');
		expect(Bun.spawnSync(['mount', '--bind', store, seen]).exitCode).toBe(0);
		mounted.push(seen);
		expect(Bun.spawnSync(['mount', '-o', 'remount,ro,bind', seen]).exitCode).toBe(0);

		const { stdout, code } = await run(seen, 'doctor');
		expect({ stdout, code }).toMatchObject({ code: 1 });
		expect(stdout).toContain(`${seen} cannot be written to: read-only file system.`);
		const created = await run(seen, 'keys', 'create');
		expect(created.stderr).toContain(
			'at the moment. Please try again shortly. The reason: attempt to write a readonly database.\n',
		);
		expect(await run(seen, 'backup', 'all.tar')).toMatchObject({ code: 0 });
		expect(await run(seen, 'drill', 'all.tar')).toMatchObject({ code: 0 });
	},
	TIMEOUT_MS,
);

/** Commands of the compiled binary on a data folder that cannot be written to. */

import { expect, test } from 'bun:test';
import { chmodSync, copyFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, runBinary, startBinary } from '../binary.ts';
import { mayMount, mountReadOnly } from '../mounts.ts';
import { asOtherUser, isRoot, OTHER_USER } from '../run-folder.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

const TIMEOUT_MS = 60_000;
/** The head of a log, behind which its pages are. */
const HEAD_BYTES = 32;

test.skipIf(!mayMount)(
	'commands say why, and what is there can be backed up',
	async () => {
		const [cwd, store] = [tempFolder(), tempFolder()];
		const run = (folder: string, ...args: string[]) => runBinary(args, { cwd, env: { FORMSRV_DATA_DIR: folder } });
		await using server = await startBinary({ cwd, env: { FORMSRV_DATA_DIR: store } });
		const seen = mountReadOnly(store);
		expect(await run(seen, 'backup', 'served.tar')).toMatchObject({ code: 0 });
		await until(() => statSync(join(store, 'formsrv.db-wal')).size > HEAD_BYTES);
		await server.end('SIGKILL');

		const { stdout, code } = await run(seen, 'doctor');
		expect({ stdout, code }).toMatchObject({ code: 1 });
		expect(stdout).toContain(`${seen} cannot be written to: read-only file system.`);
		const created = await run(seen, 'keys', 'create');
		expect(created.stderr).toContain(
			'at the moment. Please try again shortly. The reason: attempt to write a readonly database.\n',
		);
		expect(await run(seen, 'backup', 'all.tar')).toMatchObject({ code: 0 });
		expect(await run(seen, 'drill', 'all.tar')).toMatchObject({ code: 0 });

		rmSync(join(store, 'formsrv.db.lock-files'));
		const unlocked = await run(seen, 'backup', 'other.tar');
		expect(unlocked).toEqual({
			...{ code: 1, stdout: '' },
			stderr: `${seen}/formsrv.db.lock-files cannot be used: read-only file system.\n`,
		});
	},
	TIMEOUT_MS,
);

test.skipIf(!mayMount)(
	'after a proper end, which empties the log, and without one, they say what is missing',
	async () => {
		const [cwd, store] = [tempFolder(), tempFolder()];
		await using server = await startBinary({ cwd, env: { FORMSRV_DATA_DIR: store } });
		await server.end('SIGTERM');
		// SQLite leaves them, empty, if the connection that is closed last is one that only reads.
		for (const end of ['-wal', '-shm']) {
			const path = join(store, `formsrv.db${end}`);
			if (end === '-wal') expect(statSync(path, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
			rmSync(path, { force: true });
		}
		const seen = mountReadOnly(store);
		const { code, stderr } = await runBinary(['backup', 'all.tar'], { cwd, env: { FORMSRV_DATA_DIR: seen } });
		expect({ code, stderr }).toEqual({
			code: 1,
			stderr: `${seen}/formsrv.db cannot be opened as an SQLite database: unable to open database file. SQLite needs a log beside it even to read it, and cannot make one in a folder that cannot be written to. Read a copy of it, or begin while a server runs on it.\n`,
		});
	},
	TIMEOUT_MS,
);

test.skipIf(!mayMount)(
	'after a kill between the head of the log and its first page, they say what SQLite cannot put right',
	async () => {
		const [cwd, store] = [tempFolder(), tempFolder()];
		await using server = await startBinary({ cwd, env: { FORMSRV_DATA_DIR: store } });
		const log = join(store, 'formsrv.db-wal');
		await until(() => statSync(log).size > HEAD_BYTES);
		await server.end('SIGKILL');
		truncateSync(log, HEAD_BYTES);
		const seen = mountReadOnly(store);
		expect(await runBinary(['forms', 'list'], { cwd, env: { FORMSRV_DATA_DIR: seen } })).toEqual({
			...{ code: 1, stdout: '' },
			stderr: `${seen}/formsrv.db cannot be opened as an SQLite database: locking protocol. The log beside it was begun by a server that ended then, which SQLite cannot put right in a folder that cannot be written to. Read a copy of both, or begin while a server runs on it.\n`,
		});
		expect(await runBinary(['forms', 'list'], { cwd, env: { FORMSRV_DATA_DIR: store } })).toMatchObject({ code: 0 });
	},
	TIMEOUT_MS,
);

test.skipIf(!isRoot)(
	'another user, who sees the database, is told that permission is missing',
	async () => {
		const cwd = tempFolder();
		const program = join(cwd, 'formsrv');
		copyFileSync(BINARY, program);
		expect(await runBinary(['keys', 'create', '--data-dir', 'data'], { cwd, program })).toMatchObject({ code: 0 });
		for (const folder of [cwd, join(cwd, 'data')]) chmodSync(folder, 0o755);
		const [first = '', ...prefix] = asOtherUser;
		const args = [...prefix, program, 'forms', 'list', '--data-dir', 'data'];
		expect(await runBinary(args, { cwd, program: first })).toEqual({
			...{ code: 1, stdout: '' },
			stderr: `Cannot open ${join(cwd, 'data', 'formsrv.db')}: permission denied. Run this as the user who may, such as that of the server.\n`,
		});
	},
	TIMEOUT_MS,
);

test.skipIf(!isRoot)(
	'the owner of a folder without the right to write to it is told so, though the lock file there could be written',
	async () => {
		const cwd = tempFolder();
		const program = join(cwd, 'formsrv');
		copyFileSync(BINARY, program);
		const data = join(cwd, 'data');
		expect(await runBinary(['keys', 'create', '--data-dir', 'data'], { cwd, program })).toMatchObject({ code: 0 });
		writeFileSync(join(data, 'formsrv.db.lock'), '');
		Bun.spawnSync(['chown', '-R', `${OTHER_USER}:${OTHER_USER}`, data]);
		chmodSync(cwd, 0o755);
		chmodSync(data, 0o500);
		const [first = '', ...prefix] = asOtherUser;
		const args = [...prefix, program, 'restore', program, '--data-dir', 'data'];
		expect(await runBinary(args, { cwd, program: first })).toEqual({
			...{ code: 1, stdout: '' },
			stderr: `${data}/formsrv.db.lock cannot be used: permission denied.\n`,
		});
	},
	TIMEOUT_MS,
);

test.skipIf(!isRoot)(
	'a command in a folder of another user, such as that of root, says where to run it instead',
	async () => {
		const cwd = tempFolder();
		const open = tempFolder();
		const program = join(open, 'formsrv');
		copyFileSync(BINARY, program);
		chmodSync(open, 0o755);
		chmodSync(cwd, 0o700);
		const [first = '', ...prefix] = asOtherUser;
		const args = [...prefix, program, 'forms', 'list', '--data-dir', open];
		expect(await runBinary(args, { cwd, program: first })).toEqual({
			...{ code: 2, stdout: '' },
			stderr: `${cwd}/formsrv.toml cannot be used: permission denied. Run this in another folder, or name a settings file with --config.\n`,
		});
	},
	TIMEOUT_MS,
);

/** Backups by a server whose place for them is full, or that is killed with one in the making. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptArchives } from '../../src/backup/names.ts';
import { LEAST_ROOM_BYTES, roomAt } from '../../src/storage/disk-room.ts';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { mayMount, mountDisk } from '../mounts.ts';
import { descendantsOf } from '../processes.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

setDefaultTimeout(120_000);

const SUBMISSIONS = 60;
const LARGE = 'x'.repeat(100_000);

/** With more submissions than a small disk takes; returns a key. */
async function fill(cwd: string): Promise<string> {
	await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
	await using server = await startBinary({ cwd, env: ENV });
	for (let n = 0; n < SUBMISSIONS; n++) expect(await submit(server)).toBe(200);
	await server.end('SIGTERM');
	return (await runBinary(['keys', 'create'], { cwd })).stdout.trim();
}

const ENV = { FORMSRV_RATE_SUBMIT: '0', FORMSRV_LOG_LEVEL: 'error' };

async function submit({ submitUrl }: RunningBinary): Promise<number> {
	const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
	const body = JSON.stringify({ message: LARGE });
	return (await fetch(`${submitUrl}/f/contact`, { method: 'POST', headers, body })).status;
}

async function statusOf({ baseUrl }: RunningBinary, key: string) {
	return (await fetch(`${baseUrl}/api/status`, { headers: { Authorization: `Bearer ${key}` } })).json();
}

test.skipIf(!mayMount)('a full disk there is said, leaves nothing on it, and holds up no submission', async () => {
	const cwd = tempFolder();
	const key = await fill(cwd);
	const disk = mountDisk('2m');
	await using server = await startBinary({ cwd, env: { ...ENV, FORMSRV_BACKUP_EVERY: '1h', FORMSRV_BACKUP_TO: disk } });
	let detail = '';
	await until(async () => {
		const { problems } = await statusOf(server, key);
		detail = problems.find(({ name }: { name: string }) => name === 'backup')?.detail ?? '';
		return detail !== '';
	});
	expect(detail).toContain('cannot be written: ENOSPC');
	const copy = join(disk, 'copy.db');
	expect(await runBinary(['backup', copy], { cwd })).toEqual({
		...{ code: 1, stdout: '' },
		stderr: `There is no room for ${copy}.partial: the disk is full.\n`,
	});
	expect(readdirSync(disk)).toEqual([]);
	expect(readdirSync(join(cwd, 'formsrv-data')).filter((name) => name.includes('partial'))).toEqual([]);
	expect(await submit(server)).toBe(200);
	expect(await server.end('SIGTERM')).toBe(0);
});

test.skipIf(!mayMount)(
	'none is begun that would leave less on the disk of the database than a server needs',
	async () => {
		const cwd = mountDisk('64m');
		await fill(cwd);
		const { size } = statSync(join(cwd, 'formsrv-data', 'formsrv.db'));
		/** Leaves so much room, in sizes of the database, beside what the server needs. */
		function leave(copies: number): void {
			const taken = Math.floor(roomAt(cwd).bytes - LEAST_ROOM_BYTES - copies * size);
			writeFileSync(join(cwd, 'rest'), Buffer.alloc(taken), { flag: 'a' });
		}
		async function expectNoRoom(file: string): Promise<void> {
			const { code, stderr } = await runBinary(['backup', file], { cwd });
			expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/ less than 16 MiB\.\n$/) });
			expect(stderr).toStartWith(`There is no room for ${join(cwd, file)}.partial: it takes `);
			expect(readdirSync(cwd).sort()).toEqual(['formsrv-data', 'rest']);
		}

		leave(1.1);
		await expectNoRoom('x.tar');
		leave(0.3);
		await expectNoRoom('x.db');
	},
);

test('a server that is stopped meanwhile leaves nothing under a name, and the next one makes it', async () => {
	const cwd = tempFolder();
	const key = await fill(cwd);
	const kept = join(cwd, 'kept');
	mkdirSync(kept);
	const env = { ...ENV, FORMSRV_BACKUP_EVERY: '1h', FORMSRV_BACKUP_TO: kept };
	await using first = await startBinary({ cwd, env });
	await until(() => descendantsOf(first.pid).some(({ command }) => command.includes(' backup --json')));
	expect(await first.end('SIGTERM')).toBe(0);
	const made = keptArchives(readdirSync(kept).map((name) => ({ name })));
	await using server = await startBinary({ cwd, env });
	await until(async () => (await statusOf(server, key)).backup.lastAt !== null);
	expect(await server.end('SIGTERM')).toBe(0);
	const names = readdirSync(kept);
	expect(names).toHaveLength(Math.max(1, made.length));
	for (const name of names) expect((await runBinary(['backup', 'verify', join(kept, name)], { cwd })).code).toBe(0);
});

/** The file system below a running server: it goes away and comes back, or fails for a while and is read-only meanwhile. */

import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { mayMount, mountFolder, unmount } from '../mounts.ts';
import { withProgram } from '../programs.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';
import { serveOneForm } from './one-form.ts';

const strace = withProgram('strace');
const TIMEOUT_MS = 60_000;

test.skipIf(!mayMount)(
	'unmounted it takes nothing, and mounted again it goes on by itself',
	async () => {
		const store = tempFolder();
		const disk = mountFolder(store);
		const form = await serveOneForm({ dataDir: join(disk, 'data') });
		expect(await form.submit()).toBe(200);

		expect(unmount(disk).exitCode).toBe(0);
		await until(async () => (await form.probe('/ready')) === 503);
		expect(await form.submit()).toBe(503);
		expect(await form.probe('/health')).toBe(503);
		expect(form.log()).toContain('"finding":"file"');
		expect(readdirSync(disk)).toEqual([]);

		mountFolder(store, disk);
		await until(async () => (await form.probe('/ready')) === 200);
		expect(await form.submit()).toBe(200);
		expect(await form.server.end('SIGTERM')).toBe(0);
		expect(form.wrong()).toEqual([]);
	},
	TIMEOUT_MS,
);

strace.test.each([
	['read-only', 'pwrite64,fsync,fdatasync,ftruncate:error=EROFS:when=60..90'],
	['failing at each sync', 'fsync,fdatasync:error=EIO:when=20..40'],
	['full', 'pwrite64,ftruncate:error=ENOSPC:when=60..90'],
])(
	'%s for a while it takes nothing, and goes on by itself',
	async (_, fault) => {
		const trace = ['-o', '/dev/null', '-e', 'trace=pwrite64,fsync,fdatasync,ftruncate', '-e', `inject=${fault}`];
		const form = await serveOneForm({ prefix: [strace.path, '-f', '-qq', ...trace] });
		const statuses = new Set<number>();
		await until(
			async () => {
				const status = await form.submit();
				statuses.add(status);
				return statuses.size > 1 && status === 200;
			},
			{ withinMs: 40_000 },
		);
		expect([...statuses].filter((status) => ![200, 500, 503].includes(status))).toEqual([]);
		await until(async () => (await form.probe('/ready')) === 200);
		expect(await form.submit()).toBe(200);
		expect(await form.server.end('SIGTERM')).toBe(0);
		expect(form.wrong()).toEqual([]);
	},
	TIMEOUT_MS,
);

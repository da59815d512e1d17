/** A folder for everything that this process of tests makes; and nothing that a file of tests started may outlive the file. */

import { afterAll } from 'bun:test';
import { chmodSync, mkdtempSync } from 'node:fs';
import { join, relative } from 'node:path';
import { descendantsOf, end, processesOf, type RunningProcess } from './processes.ts';
import { openRunFolder } from './run-folder.ts';
import { shared } from './shared-processes.ts';

/** A process that was told to end may take this long. */
const ENDED_WITHIN_MS = 2000;
const ROOT = join(import.meta.dir, '..');

// Files have the modes that tests give them, whatever the caller's own.
process.umask(0o022);
const folder = mkdtempSync(join(process.env.FORMSRV_TEST_RUN ?? openRunFolder().path, 'w-'));
chmodSync(folder, 0o711);
process.env.TMPDIR = folder;

afterAll(async () => {
	const deadline = performance.now() + ENDED_WITHIN_MS;
	let left = leftBehind();
	while (left.length > 0 && performance.now() < deadline) {
		await Bun.sleep(20);
		left = leftBehind();
	}
	for (const one of left) end(one);
	if (left.length === 0) return;
	const parents = new Set(left.map(({ pid }) => pid));
	const commands = left
		.filter(({ parent }) => !parents.has(parent))
		.map(({ pid, command }) => `\n  ${pid}: ${command.slice(0, 300)}`);
	throw new Error(`The tests of ${relative(ROOT, Bun.main)} left behind, still running:${commands.join('')}`);
});

function leftBehind(): RunningProcess[] {
	const found = new Map([...processesOf(folder), ...descendantsOf(process.pid)].map((one) => [one.pid, one]));
	found.delete(process.pid);
	for (const pid of shared) for (const one of [{ pid }, ...descendantsOf(pid)]) found.delete(one.pid);
	return [...found.values()];
}

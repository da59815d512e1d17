/** The folder of a run of tests: everything that they make lies in it, and it goes with everything that they started, however the run ends. */

import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** PostgreSQL and others that refuse to run as root run as "nobody", who must be able to pass through all folders above. */
export const OTHER_USER = 65_534;
export const isRoot = process.getuid?.() === 0;
/** The prefix of a command that refuses to run as root. */
export const asOtherUser = isRoot
	? ['setpriv', `--reuid=${OTHER_USER}`, `--regid=${OTHER_USER}`, '--clear-groups']
	: [];

/** The paths of Unix sockets have at most 107 bytes, of which the folders and sockets of tests need the rest. */
const MAX_PARENT_BYTES = 40;
const REMOVED_WITHIN_MS = 60_000;

export interface RunFolder {
	path: string;
	/** Ends what still runs, removes the folder, and resolves when both are done. */
	close(): Promise<void>;
}

/** @param parents where it may lie; those that sockets or other users cannot use are passed over */
export function openRunFolder(parents = [tmpdir(), '/tmp', '/var/tmp']): RunFolder {
	const path = mkdtempSync(join(realpathSync(parents.find(isUsable) ?? tmpdir()), 'formsrv-'));
	chmodSync(path, 0o711);
	const pipe = join(path, 'alive');
	Bun.spawnSync(['mkfifo', pipe]);
	// The system closes it when this process ends, even by SIGKILL; the guard reads until then.
	const alive = openSync(pipe, 'r+');
	const guard = join(import.meta.dir, 'guard-process.ts');
	// In a session of its own: neither Ctrl+C nor the end of a test that takes too long ends it.
	const command = 'setsid --fork "$0" "$@" < "$2/alive"';
	const silent = { stdout: 'ignore', stderr: 'ignore' } as const;
	Bun.spawnSync(['sh', '-c', command, process.execPath, guard, path], silent);
	return {
		path,
		async close() {
			closeSync(alive);
			const deadline = performance.now() + REMOVED_WITHIN_MS;
			while (existsSync(path) && performance.now() < deadline) await Bun.sleep(20);
		},
	};
}

function isUsable(folder: string): boolean {
	return (
		existsSync(folder) &&
		folder.length <= MAX_PARENT_BYTES &&
		/^[\w./-]+$/.test(folder) &&
		isOpenToOthers(realpathSync(folder))
	);
}

function isOpenToOthers(folder: string): boolean {
	const mayPass = !isRoot || (statSync(folder).mode & 0o001) !== 0;
	return mayPass && (folder === '/' || isOpenToOthers(dirname(folder)));
}

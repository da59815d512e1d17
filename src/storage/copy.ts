/** Copies a database while others use it: one consistent moment of it, in one file, checked and on disk. */

import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../errors.ts';
import { inspectDatabase } from './inspect.ts';
import { openReadConnection } from './sqlite.ts';

const OWNER_ONLY = 0o600;
/** What belongs to a database file and must move with it. */
const COMPANIONS = ['', '-wal', '-shm'];

/**
 * Copies the database `source` to the new file `target`, which only its owner can read.
 * @throws AppError or Error with a sentence for the operator; `target` does not exist then
 */
export function copyDatabase(source: string, target: string): void {
	if (existsSync(target)) throw new AppError('CONFLICT', `${target} exists already; it is not overwritten.`);
	closeSync(openSync(target, 'wx', OWNER_ONLY));
	try {
		const client = openReadConnection(source);
		try {
			// It forbids writing to other files as well; the connection itself stays read-only.
			client.run('pragma query_only = off');
			client.query('vacuum into ?').run(target);
		} finally {
			client.close();
		}
		const { problems } = inspectDatabase(target, 'full');
		if (problems.length > 0) throw new Error(`The copy is not usable: ${problems.join(' ')}`);
		syncToDisk(target);
		syncToDisk(dirname(target));
	} catch (error) {
		rmSync(target, { force: true });
		throw error;
	}
}

/**
 * Puts the database `replacement` in the place of `file`; nobody may have either open.
 * @param aside Where an existing `file` is kept.
 */
export function replaceDatabase(file: string, { replacement, aside }: { replacement: string; aside: string }): void {
	for (const suffix of COMPANIONS) {
		if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
	}
	renameSync(replacement, file);
	syncToDisk(dirname(file));
}

function syncToDisk(path: string): void {
	const handle = openSync(path, 'r');
	try {
		fsyncSync(handle);
	} finally {
		closeSync(handle);
	}
}

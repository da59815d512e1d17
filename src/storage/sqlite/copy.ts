/** Copies a database while others use it: one consistent moment of it, in one file, checked and on disk. */

import { Database } from 'bun:sqlite';
import { closeSync, existsSync, fstatSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../errors.ts';
import { requireRoom } from '../disk-room.ts';
import { syncFolder } from '../sync-to-disk.ts';
import { openReadConnection } from './connection.ts';
import { isBusy, isDamage, isDiskFull } from './failures.ts';
import { damaged, inspectDatabase } from './inspect.ts';
import { readPragma } from './migrate.ts';

const OWNER_ONLY = 0o600;

/**
 * Copies the database `source` to the new file `target`, which only its owner can read. It is `target.partial` until it is
 * whole, so that nothing half-made is ever found under the name `target`.
 * @throws AppError or Error with a sentence for the operator
 */
export function copyDatabase(source: string, target: string): void {
	refuseExisting(target);
	const partial = `${target}.partial`;
	if (isInUse(partial)) throw new AppError('CONFLICT', `${partial} is being written by another backup.`);
	remove(partial);
	const handle = openSync(partial, 'wx', OWNER_ONLY);
	try {
		copyInto(source, partial);
		const { problems } = inspectDatabase(partial, 'full');
		if (problems.length > 0)
			throw new Error(`The copy of ${source} is not usable: ${problems.join(' ').replaceAll(partial, 'it')}`);
		fsyncSync(handle);
		refuseExisting(target);
		if (statSync(partial).ino !== fstatSync(handle).ino) throw new Error(`${partial} was replaced meanwhile.`);
		renameSync(partial, target);
	} catch (error) {
		remove(partial);
		throw error;
	} finally {
		closeSync(handle);
	}
	syncFolder(dirname(target));
}

/** With its journal, which SQLite would otherwise play back into the next file of that name. */
function remove(partial: string): void {
	for (const suffix of ['-journal', '']) rmSync(partial + suffix, { force: true });
}

function refuseExisting(target: string): void {
	if (existsSync(target)) throw new AppError('CONFLICT', `${target} exists already; it is not overwritten.`);
}

function copyInto(source: string, target: string): void {
	using client = openReadConnection(source);
	try {
		const pages = readPragma(client, 'page_count') - readPragma(client, 'freelist_count');
		requireRoom(target, { bytes: pages * readPragma(client, 'page_size'), beside: source });
		// It forbids writing to other files as well; the connection itself stays read-only.
		client.run('pragma query_only = off');
		client.query('vacuum into ?').run(target);
	} catch (error) {
		if (isDamage(error)) throw new Error(damaged(source, (error as Error).message), { cause: error });
		if (!isDiskFull(error)) throw error;
		throw new Error(`There is no room for ${target}: the disk is full.`, { cause: error });
	}
}

/** The process that writes a copy has it locked; a copy that a dead process left is not locked. */
function isInUse(partial: string): boolean {
	if (!existsSync(partial)) return false;
	try {
		using client = new Database(partial, { readwrite: true });
		client.run('pragma busy_timeout = 0');
		client.run('begin exclusive');
		return false;
	} catch (error) {
		return isBusy(error);
	}
}

/** Ids for a process that is not the server, such as a command: they are reserved in the database, a run at a time. */

import type { Database } from 'bun:sqlite';
import { ID_SOURCES, IDS_PER_MILLISECOND } from '../../ids.ts';
import { lazy } from '../../tasks/lazy.ts';
import { waitWhileBusy } from './connection.ts';
import { asStorageError } from './failures.ts';

/** The source that all these processes share. The server is 0; the others are free for further servers. */
const COMMANDS = ID_SOURCES - 1;
/** The width of a run: as many ids as a source has in a millisecond. */
const RUN_IDS = IDS_PER_MILLISECOND;
/** An id must not stand for a moment that is long gone. */
const STALE_AFTER_MS = 100;
export const LAST_COMMAND_ID = 'last_command_id';

interface CommandIdsOptions {
	now: () => number;
	/** In a transaction that writes: the lowest id that may be made, of any source. */
	lowest: () => number;
	/** At the end of that transaction, and if it failed. */
	flush: () => void;
	rolledBack: () => void;
}

interface CommandIds {
	/** Makes the next id; it waits while another process writes. */
	next(): number;
	/** At the end of a transaction: the ids reserved in it, also by a job that was undone. */
	flush(): void;
	/** Releases the reserved ids. */
	forget(): void;
}

export function reserveIds(client: Database, { now, lowest, flush, rolledBack }: CommandIdsOptions): CommandIds {
	const save = lazy(() => client.prepare('insert or replace into server_values (name, value) values (?, ?)'));
	let next = 0;
	let end = 0;
	let reservedAt = 0;
	let isSaved = true;

	function forget(): void {
		end = 0;
		isSaved = true;
	}

	function reserve(): void {
		const first = Math.ceil(Math.max(lowest(), end) / ID_SOURCES) * ID_SOURCES + COMMANDS;
		next = first;
		end = first + RUN_IDS;
		isSaved = false;
		reservedAt = now();
	}

	function reserveAlone(): void {
		try {
			waitWhileBusy(() => client.run('begin immediate'));
			reserve();
			flush();
			client.run('commit');
		} catch (error) {
			if (client.inTransaction) client.run('rollback');
			rolledBack();
			throw asStorageError(error);
		}
	}

	return {
		next() {
			const isStale = Math.abs(now() - reservedAt) >= STALE_AFTER_MS;
			if (next >= end || isStale) (client.inTransaction ? reserve : reserveAlone)();
			const id = next;
			next += ID_SOURCES;
			return id;
		},
		flush() {
			if (!isSaved) save().run(LAST_COMMAND_ID, `${end}`);
			isSaved = true;
		},
		forget,
	};
}

/** Keeps the pauses of destinations in the database, and makes findings of those that last, at every server. */

import { like } from 'drizzle-orm';
import type { Log } from '../../log/log.ts';
import type { Storage } from '../../storage/contract.ts';
import { describeLong, fromStored, PAUSE_PREFIX, type Pause, toStored } from '../../storage/pauses.ts';
import { serverValues } from '../../storage/tables.ts';
import { repeat } from '../../tasks/repeat.ts';

const LOOK_EVERY_MS = 5000;

const ofPauses = like(serverValues.name, `${PAUSE_PREFIX}%`);

export async function readPauses({ db }: Pick<Storage, 'db'>): Promise<Pause[]> {
	return (await db.select().from(serverValues).where(ofPauses)).map(fromStored);
}

/** For the one that sends. @returns a function that is to be called again and again with the pauses there are */
export function createPauseStore(storage: Pick<Storage, 'batch'>): (pauses: readonly Pause[]) => Promise<void> {
	let stored: string | undefined;
	return async (pauses) => {
		const rows = pauses.map(toStored);
		const text = JSON.stringify(rows);
		if (text === stored) return;
		await storage.batch((tx) => [
			tx.delete(serverValues).where(ofPauses),
			...rows.map((row) => tx.insert(serverValues).values(row).onConflictDoNothing()),
		]);
		stored = text;
	};
}

/** Each server does this for itself, whichever of them sends. @returns how to stop */
export function startPauseWatch(
	storage: Pick<Storage, 'db' | 'findings'>,
	{ log, now }: { log: Log; now: () => number },
): () => Promise<void> {
	const { findings } = storage;
	async function look(): Promise<number> {
		try {
			const problems = describeLong(await readPauses(storage), now());
			for (const name of ['mail', 'webhooks'] as const) {
				const problem = problems[name];
				if (problem === null) findings.clear(name);
				else findings.set(name, problem);
			}
		} catch (error) {
			log.error('What is paused could not be read; it is tried again.', { cause: error });
		}
		return LOOK_EVERY_MS;
	}
	return repeat(look, 0).stop;
}

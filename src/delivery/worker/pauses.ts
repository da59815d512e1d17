/** Keeps the pauses of destinations in the database, and makes findings of those that last, at every server. */

import { inArray, like } from 'drizzle-orm';
import type { Log } from '../../log/log.ts';
import type { Storage } from '../../storage/contract.ts';
import { describeLong, fromStored, PAUSE_PREFIX, type Pause, toStored } from '../../storage/pauses.ts';
import { serverValues } from '../../storage/tables.ts';
import { repeat } from '../../tasks/repeat.ts';

const LOOK_EVERY_MS = 5000;

async function readStored({ db }: Pick<Storage, 'db'>): Promise<Map<string, string>> {
	const rows = await db
		.select()
		.from(serverValues)
		.where(like(serverValues.name, `${PAUSE_PREFIX}%`));
	return new Map(rows.map(({ name, value }) => [name, value]));
}

export async function readPauses(storage: Pick<Storage, 'db'>): Promise<Pause[]> {
	return [...(await readStored(storage))].map(([name, value]) => fromStored({ name, value }));
}

/** For the one that sends. @returns a function that is to be called again and again with the pauses there are */
export function createPauseStore(storage: Pick<Storage, 'db' | 'batch'>): (pauses: readonly Pause[]) => Promise<void> {
	let stored: Map<string, string> | undefined;
	return async (pauses) => {
		const before = stored ?? (await readStored(storage));
		stored = before;
		const wanted = new Map(pauses.map(toStored).map(({ name, value }) => [name, value]));
		const over = [...before.keys()].filter((name) => !wanted.has(name));
		const changed = [...wanted].filter(([name, value]) => before.get(name) !== value);
		if (over.length === 0 && changed.length === 0) return;
		await storage.batch((tx) => [
			tx.delete(serverValues).where(inArray(serverValues.name, over)),
			...changed.map(([name, value]) =>
				tx
					.insert(serverValues)
					.values({ name, value })
					.onConflictDoUpdate({ target: serverValues.name, set: { value } }),
			),
		]);
		stored = wanted;
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

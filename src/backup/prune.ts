/** Removes what is older than the backups to keep. */

import { isAsNamed, type KeptArchive, keptArchives } from './names.ts';
import type { BackupPlace } from './place.ts';
import { sha256Of } from './sha256.ts';

export interface Pruned {
	removed: string[];
	/** They are not as they were written, and left for the operator. */
	damaged: string[];
}

/**
 * Removes, of what this program made of this installation until `newest`, all but the newest `keep`. To be called when that was
 * verified: so there always is a good one. What is later than that, by a clock that was ahead, stays.
 */
export async function prune(place: BackupPlace, { newest, keep }: { newest: string; keep: number }): Promise<Pruned> {
	const pruned: Pruned = { removed: [], damaged: [] };
	const [made] = keptArchives([{ name: newest }]);
	if (!made) return pruned;
	const older = keptArchives(await place.list(), made.id).filter(
		({ name, madeAt }) => name !== newest && madeAt <= made.madeAt,
	);
	for (const archive of older.slice(keep - 1)) {
		if (await isGood(place, archive)) {
			await place.remove(archive.name);
			pruned.removed.push(archive.name);
		} else pruned.damaged.push(archive.name);
	}
	return pruned;
}

async function isGood(place: BackupPlace, archive: KeptArchive): Promise<boolean> {
	return isAsNamed(archive, await sha256Of(await place.read(archive.name)));
}

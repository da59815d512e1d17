/** The names of the settings that a server has, which it notes in its database: a backup holds none of them, and a restore says which are missing. */

import { eq } from 'drizzle-orm';
import type { Config } from '../config.ts';
import type { Storage } from '../storage/contract.ts';
import type { DatabaseFile } from '../storage/database.ts';
import { serverValues } from '../storage/tables.ts';

const NAME = 'settings';

/** Never their values. */
export function setNames({ settings }: Pick<Config, 'settings'>): string[] {
	return settings.filter(({ source }) => source !== 'default').map(({ name }) => name);
}

/** For a server, at its start. */
export async function noteSetNames({ db, batch }: Pick<Storage, 'db' | 'batch'>, config: Config): Promise<void> {
	const value = setNames(config).join(' ');
	const [noted] = await db.select().from(serverValues).where(eq(serverValues.name, NAME));
	if (noted?.value === value) return;
	const row = { name: NAME, value };
	await batch((tx) => [
		tx.insert(serverValues).values(row).onConflictDoUpdate({ target: serverValues.name, set: { value } }),
	]);
}

/** Those of the last server on a database, and of this process. */
export function allSetNames(database: Pick<DatabaseFile, 'serverValue'>, here: readonly string[]): string[] {
	const noted = database.serverValue(NAME)?.split(' ') ?? [];
	return [...new Set([...noted, ...here])].filter((name) => name !== '').sort();
}

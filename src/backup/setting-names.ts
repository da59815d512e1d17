/** The names of the settings that a server has, which it notes in its database: a backup holds none of them, and a restore says which are missing. */

import type { Config } from '../config.ts';
import type { Storage } from '../storage/contract.ts';
import type { Database } from '../storage/database.ts';
import { readServerValue, setServerValue } from '../storage/server-values.ts';

const NAME = 'settings';

/** Never their values. */
export function settingNames({ settings }: Pick<Config, 'settings'>): string[] {
	return settings.filter(({ source }) => source !== 'default').map(({ name }) => name);
}

/** For a server, at its start. */
export async function noteSettingNames({ db, batch }: Pick<Storage, 'db' | 'batch'>, config: Config): Promise<void> {
	const value = settingNames(config).join(' ');
	if ((await readServerValue({ db }, NAME)) === value) return;
	await batch((tx) => [setServerValue(tx, NAME, value)]);
}

/** Those of the last server on a database, and of this process. */
export async function allSettingNames(
	database: Pick<Database, 'serverValue'>,
	here: readonly string[],
): Promise<string[]> {
	const noted = (await database.serverValue(NAME))?.split(' ') ?? [];
	return [...new Set([...noted, ...here])].filter((name) => name !== '').sort();
}

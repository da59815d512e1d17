/** Both engines, for tests of what they have in common. */

import { join } from 'node:path';
import type { Storage } from '../../src/storage/contract.ts';
import { openStorage } from '../../src/storage/open.ts';
import { SCANS } from '../../src/submissions/scan-module.ts';
import { newPostgresDatabase } from '../postgres.ts';
import { tempFolder } from '../temp-folder.ts';

/** By the name of the engine: makes a place for a database, and returns what opens it, as often as asked. */
export const ENGINES: Record<string, () => Promise<() => Promise<Storage>>> = {
	sqlite: async () => {
		const file = join(tempFolder(), 'formsrv.db');
		return () => openStorage(file, { scans: SCANS });
	},
	postgres: async () => {
		const address = await newPostgresDatabase();
		return () => openStorage(address, { scans: SCANS });
	},
};

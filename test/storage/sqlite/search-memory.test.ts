/** The memory of the search index does not grow with the number of its segments. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../../temp-folder.ts';

setDefaultTimeout(120_000);

/** A third of what FTS5 would keep for 72 segments; between two runs the memory of a process differs by some. */
const MAX_GROWTH_MIB = 6;
const PROGRAM = join(import.meta.dir, 'search-memory-process.ts');

test.skipIf(!existsSync('/proc/self/smaps_rollup'))(
	'ninety-six segments take no more memory than twenty-four',
	async () => {
		const file = join(tempFolder(), 'formsrv.db');
		const grown = (await Bun.$`${process.execPath} ${PROGRAM} ${file}`.json()) as {
			segments: number;
			mebibytes: number;
		};
		expect(grown.segments).toBe(72);
		expect(grown.mebibytes).toBeLessThan(MAX_GROWTH_MIB);
	},
);

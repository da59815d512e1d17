/** `bun run bench` begins: each of its modules loads outside of a test, and wrong calls are told what there is. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');

test('the benchmarks load, and name their parts', async () => {
	const { exitCode, stderr } = await Bun.$`${process.execPath} bench/run.ts --only tea`.cwd(ROOT).quiet().nothrow();
	expect(stderr.toString()).toMatch(/^--only: there is no part tea\. Parts: submit,kinds,.*handwritten\.\n$/);
	expect(exitCode).toBe(2);
});

/** A folder of its own for each test that asks, gone when the test is over. */

import { afterEach } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

afterEach(() => {
	for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function tempFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'formsrv-test-'));
	folders.push(folder);
	return folder;
}

/** Locates the files of the program: inside the compiled binary, or in the source tree. */

import { join } from 'node:path';

/** The migrations, and the browser pages and guides that `scripts/build.ts` builds. */
const SOURCE_FOLDERS = {
	drizzle: 'drizzle',
	ui: 'dist/ui',
	'api-docs': 'dist/api-docs',
	script: 'dist/script',
	guides: 'dist/guides',
};

export type AssetFolder = keyof typeof SOURCE_FOLDERS;

/** A path for `node:fs` and `Bun.file`. */
export function assetPath(folder: AssetFolder, ...segments: string[]): string {
	// The compiler puts each folder beside the program, under its last name wherever it came from.
	if (Bun.isStandaloneExecutable) return join(import.meta.dir, folder, ...segments);
	return join(import.meta.dir, '..', SOURCE_FOLDERS[folder], ...segments);
}

/** The command that runs this program, without arguments. */
export function programCommand(): string[] {
	return Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, join(import.meta.dir, 'main.ts')];
}

/**
 * The path of a worker's program, from its path below `src`. It must be an entry point of the build, which puts it under
 * the same path next to the program.
 */
export function workerPath(file: string): string {
	return join(import.meta.dir, file);
}

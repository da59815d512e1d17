/** Where embedded files are found: inside the compiled binary, or in the source tree during development. */

import { join } from 'node:path';

/** The path of an embedded file or folder by its name, such as `drizzle`. */
export function assetPath(...segments: string[]): string {
	const root = Bun.isStandaloneExecutable ? import.meta.dir : join(import.meta.dir, '..');
	return join(root, ...segments);
}

/** Opens the file store that the settings name. */

import type { FilePlace } from '../config/file-place.ts';
import type { FileStore } from './file-store.ts';
import { openFolder } from './folder.ts';

/** Nothing is made or asked yet. */
export async function openFileStore({ folder, s3 }: FilePlace): Promise<FileStore> {
	if (!s3) return openFolder(folder);
	const { openS3 } = await import('./s3.ts');
	return openS3(s3, folder);
}

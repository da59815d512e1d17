/** Opens the file store that the settings name. */

import type { FilePlace } from '../config.ts';
import type { FileStore } from './file-store.ts';
import { openFolder } from './folder.ts';
import { openS3 } from './s3.ts';

/** Nothing is made or asked yet. */
export function openFileStore({ folder, s3 }: FilePlace): FileStore {
	return s3 ? openS3(s3, folder) : openFolder(folder);
}

/** Opens the file store that the settings name. */

import type { FilePlace } from '../config.ts';
import type { FileStore } from './file-store.ts';
import { openFolder } from './folder.ts';

/** Nothing is made or asked yet. */
export function openFileStore(place: FilePlace): FileStore {
	if ('folder' in place) return openFolder(place.folder);
	throw new Error('FORMSRV_FILES_URL names an S3 bucket, which this version does not have yet: use a folder.');
}

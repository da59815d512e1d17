/** Pure: a file as its owner sees it. */

import { encodeId } from '../ids.ts';
import type { StoredFile } from '../storage/submission.ts';
import type { Scan } from '../storage/tables.ts';

export interface ShownFile {
	id: string;
	field: string;
	name: string;
	type: string;
	size: number;
	sha256: string;
	/** Absent without a virus scanner. */
	scan?: Scan;
}

export function presentFile({ id, field, name, type, bytes, sha256, scan }: StoredFile): ShownFile {
	return { id: encodeId(id), field, name, type, size: bytes, sha256, ...(scan !== null && { scan }) };
}

/** Pure: a file as its owner sees it. */

import { encodeId } from '../ids.ts';
import type { StoredFile } from '../storage/submission.ts';
import type { ScanVerdict } from '../storage/tables.ts';

export interface ShownFile {
	id: string;
	field: string;
	name: string;
	type: string;
	size: number;
	sha256: string;
	/** Absent without a virus scanner. */
	scan?: ScanVerdict;
	/** Absent for stored files: of spam that filled in the honeypot only this is kept, and no bytes. */
	isKept?: false;
}

export function presentFile({ id, field, name, type, bytes, sha256, key, scan }: StoredFile): ShownFile {
	const shown: ShownFile = { id: encodeId(id), field, name, type, size: bytes, sha256 };
	if (scan !== null) shown.scan = scan;
	if (key === null) shown.isKept = false;
	return shown;
}

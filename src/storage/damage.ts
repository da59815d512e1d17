/**
 * Pure: whether stored texts are still what was stored, as far as that shows: JSON, of valid UTF-8. A flipped bit that leaves other
 * JSON cannot be seen.
 */

import type { StoredSubmission } from './submission.ts';

/** In place of data that cannot be read. */
export const NO_DATA = '{}';
/** The character that decoding puts where bytes are not UTF-8; a text may hold it as well. */
export const REPLACED = '\ufffd';

export function isJson(text: string | null): boolean {
	try {
		if (text !== null) JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

export type Texts = Pick<StoredSubmission, 'spamReasons' | 'meta' | 'isDamaged'> & { data: string | number };

/** Without a text that cannot be read: nothing of it is copied into what others parse. */
export function asDamaged<Row extends Texts>(row: Row): Row {
	const { spamReasons, meta } = row;
	return {
		...row,
		data: NO_DATA,
		isDamaged: true,
		spamReasons: isJson(spamReasons) ? spamReasons : null,
		meta: isJson(meta) ? meta : null,
	};
}

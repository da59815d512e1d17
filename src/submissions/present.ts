/** Pure: a stored submission as it is answered. */

import { encodeId, idToIso } from '../ids.ts';
import type { StoredSubmission } from '../storage/submission-log.ts';

/**
 * The JSON text of a `Submission`. What was stored is spliced in untouched, never parsed on the way.
 * @param withData Without it, what the sender wrote is left out.
 */
export function presentJson(row: StoredSubmission, { withData } = { withData: true }): string {
	const reason = row.isSpam ? `,"spamReason":${JSON.stringify(row.spamReason ?? 'marked')}` : '';
	return (
		`{"id":"${encodeId(row.id)}",${withData ? `"data":${row.data},` : ''}"createdAt":"${idToIso(row.id)}",` +
		`"isRead":${row.isRead},"isStarred":${row.isStarred},"isSpam":${row.isSpam}${reason}}`
	);
}

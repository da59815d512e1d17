/** Pure: a stored submission as it is answered. */

import { encodeId, idToIso } from '../ids.ts';
import type { StoredSubmission } from '../storage/submission-log.ts';

/** The JSON text of a `Submission`. What was stored is spliced in untouched, never parsed on the way. */
export function presentJson(row: StoredSubmission): string {
	const reason = row.isSpam ? `,"spamReason":${JSON.stringify(row.spamReason ?? 'marked')}` : '';
	return (
		`{"id":"${encodeId(row.id)}","data":${row.data},"createdAt":"${idToIso(row.id)}",` +
		`"isRead":${row.isRead},"isStarred":${row.isStarred},"isSpam":${row.isSpam}${reason}}`
	);
}

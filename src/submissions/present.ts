/** Pure: a stored submission as it is answered. */

import { encodeId } from '../ids.ts';
import type { StoredSubmission } from '../storage/submission-log.ts';
import type { Timeline } from '../storage/timeline.ts';

export interface Presentation {
	timeline: Timeline;
	/** Without it, what the sender wrote is left out. */
	withData?: boolean;
}

/** The JSON text of a `Submission`. What was stored is spliced in untouched, never parsed on the way. */
export function presentJson(row: StoredSubmission, { timeline, withData = true }: Presentation): string {
	const reason = row.isSpam ? `,"spamReason":${JSON.stringify(row.spamReason ?? 'marked')}` : '';
	return (
		`{"id":"${encodeId(row.id)}",${withData ? `"data":${row.data},` : ''}"createdAt":"${timeline.isoOf(row.id)}",` +
		`"isRead":${row.isRead},"isStarred":${row.isStarred},"isSpam":${row.isSpam}${reason}}`
	);
}

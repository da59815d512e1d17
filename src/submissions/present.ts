/** Pure: the JSON text of a stored submission. */

import { encodeId } from '../ids.ts';
import type { StoredSubmission } from '../storage/submission.ts';
import type { Timeline } from '../storage/timeline.ts';

type Shown = Omit<StoredSubmission, 'data'>;

/** The JSON text of a `Submission`. Stored data is inserted as it is, never parsed. */
export function presentJson(row: StoredSubmission, timeline: Timeline): string {
	return presentWith(row.data, row, timeline);
}

/** As {@link presentJson}, with data from elsewhere. */
export function presentWith(data: string, row: Shown, timeline: Timeline): string {
	return `${presentId(row)}"data":${data},${presentFlags(row, timeline)}`;
}

/** The text before and after the data of a `Submission`. */
export function presentAround(row: Shown, timeline: Timeline): [before: string, after: string] {
	return [`${presentId(row)}"data":`, `,${presentFlags(row, timeline)}`];
}

/** As {@link presentJson}, without the data. */
export function presentFlagged(row: Shown, timeline: Timeline): string {
	return presentId(row) + presentFlags(row, timeline);
}

function presentId({ id }: Shown): string {
	return `{"id":"${encodeId(id)}",`;
}

function presentFlags(row: Shown, timeline: Timeline): string {
	const reason = row.isSpam ? `,"spamReason":${JSON.stringify(row.spamReason ?? 'marked')}` : '';
	return (
		`"createdAt":"${timeline.isoOf(row.id)}",` +
		`"isRead":${row.isRead},"isStarred":${row.isStarred},"isSpam":${row.isSpam}${reason}}`
	);
}

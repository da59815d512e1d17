/** Pure: the JSON text of a stored submission, the same in the API, exports and webhooks. */

import { presentFile, type ShownFile } from '../files/present-file.ts';
import { encodeId } from '../ids.ts';
import { parseReasons, reasonsOfForm, scoreOf } from '../spam/verdict.ts';
import type { StoredFile, StoredSubmission } from '../storage/submission.ts';
import type { Timeline } from '../storage/timeline.ts';

type Shown = Omit<StoredSubmission, 'data'>;
type ShowFile = (file: StoredFile) => ShownFile;

/** A submission without what its reasons say of other forms. */
export function ofFormOnly<Row extends Pick<Shown, 'spamReasons'>>(row: Row): Row {
	return { ...row, spamReasons: reasonsOfForm(row.spamReasons) };
}

/** The JSON text of a `Submission`. Stored data is inserted as it is, never parsed. */
export function presentJson(row: StoredSubmission, timeline: Timeline): string {
	return presentWith(row.data, row, timeline);
}

/** As {@link presentJson}, with data from elsewhere. */
export function presentWith(data: string, row: Shown, timeline: Timeline): string {
	return `${presentId(row)}"data":${data},${presentFlags(row, timeline, presentRest(row))}`;
}

/** The text before and after the data of a `Submission`. */
export function presentAround(row: Shown, timeline: Timeline, showFile?: ShowFile): [before: string, after: string] {
	return [`${presentId(row)}"data":`, `,${presentFlags(row, timeline, presentRest(row, showFile))}`];
}

/** As {@link presentJson}, without what was sent; of the spam reason only the rule. */
export function presentFlagged(row: Shown, timeline: Timeline): string {
	const spamReason = row.spamReason?.replace(/:.*/s, '') ?? null;
	return presentId(row) + presentFlags({ ...row, spamReason }, timeline, '}');
}

function presentId({ id }: Shown): string {
	return `{"id":"${encodeId(id)}",`;
}

function presentFlags(row: Shown, timeline: Timeline, end: string): string {
	const reason = row.isSpam ? `,"spamReason":${JSON.stringify(row.spamReason ?? 'marked')}` : '';
	return (
		`"createdAt":"${timeline.isoOf(row.id)}",` +
		`"isRead":${row.isRead},"isStarred":${row.isStarred},"isSpam":${row.isSpam}${reason}${end}`
	);
}

/** The members that disclose content, and the end. */
function presentRest({ spamReasons, meta, files, isDamaged }: Shown, showFile: ShowFile = presentFile): string {
	const spam = spamReasons
		? `,"spamScore":${scoreOf(parseReasons(spamReasons))},"spamReasons":${spamReasons}`
		: ',"spamScore":0,"spamReasons":[]';
	const attached = files ? JSON.stringify(files.map(showFile)) : '[]';
	const damaged = isDamaged ? ',"damaged":true' : '';
	return `${spam},"meta":${meta},"files":${attached}${damaged}}`;
}

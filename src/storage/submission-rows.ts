/** The table of submissions as every engine reads it: which columns, which rows a filter means, and what becomes of a row. */

import { isJson } from './damage.ts';
import type { Counts, Filter, Flags, PageEntry, StoredSubmission, SubmissionHead } from './submission.ts';

type Texts = [
	spamReason: string | null,
	subject: string | null,
	replyTo: string | null,
	spamReasons: string | null,
	meta: string | null,
];
export type Row = [number, number, number, number, string, ...Texts];
/** A large text is missing, and its size stands behind. */
export type PageRow = [number, number, number, number, string | null, ...Texts, bytes: number];
export type HeadRow = [number, number, number, number];

export const COLUMNS = 'id, is_read, is_starred, is_spam, data, spam_reason, subject, reply_to, spam_reasons, meta';
/** From this size on, a page has the size of a text in its place: all texts of a page together might fill the memory. */
const LARGE_BYTES = 16 * 1024;
export const PAGE_COLUMNS = `${COLUMNS.replace(
	'data',
	`case when octet_length(data) < ${LARGE_BYTES} then data end`,
)}, octet_length(data)`;
export const HEAD_COLUMNS = 'is_read, is_starred, is_spam, octet_length(data)';

export const CONDITION: Record<Filter, string> = {
	all: 'is_spam = 0',
	unread: 'is_spam = 0 and is_read = 0',
	starred: 'is_spam = 0 and is_starred = 1',
	spam: 'is_spam = 1',
};
/** The count that says how many a filter lets through. */
export const COUNT_OF: Record<Filter, keyof Counts> = {
	all: 'total',
	unread: 'unread',
	starred: 'starred',
	spam: 'spam',
};
/** A mark in place of another: one that teaches its form alone leaves what all forms learn of the submission as it was. */
export const MARK_AGAIN = `is_spam = excluded.is_spam,
	for_all = case when excluded.for_all is null then null else coalesce(spam_marks.for_all, spam_marks.is_spam) end`;
export const BEYOND_ALL_IDS = Number.MAX_SAFE_INTEGER;

export function toStored([id, isRead, isStarred, isSpam, data, ...texts]: Row): StoredSubmission {
	return { id, ...toFlags(isRead, isStarred, isSpam), data, ...toTexts(texts) };
}

export function toEntry(row: PageRow): PageEntry {
	const [id, isRead, isStarred, isSpam, data, spamReason, subject, replyTo, spamReasons, meta, bytes] = row;
	const texts = toTexts([spamReason, subject, replyTo, spamReasons, meta]);
	return { id, ...toFlags(isRead, isStarred, isSpam), data: data ?? bytes, ...texts };
}

function toTexts([spamReason, subject, replyTo, spamReasons, meta]: Texts) {
	return { spamReason, subject, replyTo, spamReasons, meta };
}

export function toHead(formId: number, id: number, [isRead, isStarred, isSpam, bytes]: HeadRow): SubmissionHead {
	return { id, formId, ...toFlags(isRead, isStarred, isSpam), bytes };
}

export function toFlags(isRead: number, isStarred: number, isSpam: number): Flags {
	return { isRead: isRead === 1, isStarred: isStarred === 1, isSpam: isSpam === 1 };
}

/** The field names of a submission; none if it cannot be read any more. @param data Its JSON text. */
export function namesOf(data: string): string[] {
	return isJson(data) ? Object.keys(JSON.parse(data) as Record<string, unknown>) : [];
}

/** Sentences of the dialog that exports submissions. */

import { WORD_CRITERIA } from '../../../storage/owned.ts';
import { formatCount, plural } from '../../../text/plural.ts';
import type { InboxQuery } from '../router.ts';

export const title = 'Export submissions';
export const isOf = (total: number, query: InboxQuery) => {
	const narrowed = query.filter === 'all' ? 'without spam and archive' : `filter “${query.filter}”`;
	const texts = [...WORD_CRITERIA, 'search' as const].map((name) => query[name] && `, ${name} “${query[name]}”`);
	return `${plural(total, 'submission')}: what the inbox shows now, ${narrowed}${texts.join('')}.`;
};

export const format = 'Format';
export const csv = 'CSV';
export const csvHint = 'One row each, one column per field, for spreadsheets and other services';
export const xlsx = 'Excel workbook';
export const xlsxHint = 'For spreadsheets: opens as it is, texts stay texts, dates are dates';
export const json = 'JSON';
export const jsonHint = 'For programs: values exactly as they were sent';
export const ndjson = 'NDJSON';
export const ndjsonHint = 'One JSON object per line, for large data';

export const fieldsBeyond = (count: number) => `Fields beyond these ${formatCount(count)}`;
export const forPeople = 'Names and times for people';
export const forPeopleHint =
	'Columns are called as here, and times are those of your clock, not UTC. Programs want neither.';
export const bom = 'Mark the file as UTF-8';
export const bomHint = 'Excel needs this mark (BOM) to read letters such as é or 你; some programs cannot read it.';
export const guard = 'Guard against formulas';
export const guardHint =
	'An apostrophe keeps spreadsheets from running submitted text as a formula. Turn it off for programs.';

export const tooLong = 'So many single columns do not fit into one request. Choose all fields, or fewer columns.';
export const withoutProgress = 'Download without progress';
export const recordsOf = (records: number, total: number) => `${formatCount(records)} of ${formatCount(total)} · `;
export const exported = (count: number) => `${plural(count, 'submission')} exported.`;
/** The name of the file, for a form without a slug. */
export const fileName = 'submissions';

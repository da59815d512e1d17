/** Pure: how an export looks in each of its formats. */

import { encodeId } from '../../ids.ts';
import type { StoredSubmission } from '../../storage/submission.ts';
import type { Timeline } from '../../storage/timeline.ts';
import { presentJson } from '../present.ts';
import { csvLine, type Formulas } from './csv.ts';
import { fieldTexts } from './field-texts.ts';

export const FORMATS = ['csv', 'json', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

export const MEDIA_TYPES: Record<Format, string> = {
	csv: 'text/csv; charset=utf-8; header=present',
	json: 'application/json',
	ndjson: 'application/x-ndjson',
};

const FIXED_COLUMNS = ['id', 'createdAt', 'isRead', 'isStarred', 'isSpam'];
/** Holds, as JSON, what has no column of its own, because the form has more field names than are listed. */
const REST_COLUMN = 'otherFields';
const BYTE_ORDER_MARK = '\ufeff';

export interface Layout {
	format: Format;
	/** The columns behind the fixed ones. */
	fields: readonly string[];
	/** Whether there may be fields that have no column. */
	hasRest: boolean;
	/** Whether a CSV begins with a byte order mark, by which Excel knows UTF-8. */
	bom: boolean;
	/** What a CSV does with texts that look like formulas. */
	formulas: Formulas;
}

export interface RowContext {
	layout: Layout;
	timeline: Timeline;
	isFirst: boolean;
}

/** What stands before the first submission. */
export function exportHead({ format, fields, hasRest, bom, formulas }: Layout): string {
	if (format === 'json') return '[';
	if (format === 'ndjson') return '';
	const header = csvLine([...FIXED_COLUMNS, ...fields, ...(hasRest ? [REST_COLUMN] : [])], formulas);
	return bom ? BYTE_ORDER_MARK + header : header;
}

/** What stands after the last one. */
export function exportTail({ format }: Layout): string {
	return format === 'json' ? '\n]\n' : '';
}

export function exportRow(row: StoredSubmission, { layout, timeline, isFirst }: RowContext): string {
	if (layout.format === 'json') return `${isFirst ? '' : ','}\n${presentJson(row, timeline)}`;
	if (layout.format === 'ndjson') return `${presentJson(row, timeline)}\n`;
	return csvLine(csvCells(row, layout, timeline), layout.formulas);
}

function csvCells(row: StoredSubmission, { fields, hasRest }: Layout, timeline: Timeline): string[] {
	const { id, isRead, isStarred, isSpam, data } = row;
	const texts = fieldTexts(data);
	const cells = [encodeId(id), timeline.isoOf(id), `${isRead}`, `${isStarred}`, `${isSpam}`];
	for (const name of fields) {
		cells.push(texts.get(name) ?? '');
		texts.delete(name);
	}
	if (hasRest) cells.push(texts.size > 0 ? JSON.stringify(Object.fromEntries(texts)) : '');
	return cells;
}

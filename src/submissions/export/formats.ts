/** Pure: the formats of an export: CSV, JSON, NDJSON. */

import { presentFile } from '../../files/present-file.ts';
import { encodeId } from '../../ids.ts';
import { parseReasons, scoreOf } from '../../spam/verdict.ts';
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
/** The CSV column for fields beyond the listed names, as JSON. */
const OTHER_FIELDS_COLUMN = 'otherFields';
/** The CSV columns after the fields, the last two as JSON. */
const JUDGED_COLUMNS = ['spamScore', 'spamReasons', 'meta'];
/** The CSV column for the attached files, as JSON; a field may well be called `files`. */
const FILES_COLUMN = 'attachedFiles';
const BYTE_ORDER_MARK = '\ufeff';

export interface Layout {
	format: Format;
	/** The columns after the fixed ones. */
	fields: readonly string[];
	/** Whether there may be fields without a column. */
	isPartial: boolean;
	/** Whether any submission of the form has files. */
	hasFiles: boolean;
	/** Whether a CSV starts with a byte order mark, by which Excel detects UTF-8. */
	bom: boolean;
	/** Whether a CSV guards against formulas. */
	formulas: Formulas;
}

export interface RowContext {
	layout: Layout;
	timeline: Timeline;
	isFirst: boolean;
}

/** The text before the first submission. */
export function exportHead({ format, fields, isPartial, hasFiles, bom, formulas }: Layout): string {
	if (format === 'json') return '[';
	if (format === 'ndjson') return '';
	const last = [...(isPartial ? [OTHER_FIELDS_COLUMN] : []), ...JUDGED_COLUMNS, ...(hasFiles ? [FILES_COLUMN] : [])];
	const header = csvLine([...FIXED_COLUMNS, ...fields, ...last], formulas);
	return bom ? BYTE_ORDER_MARK + header : header;
}

/** The text after the last submission. */
export function exportTail({ format }: Layout): string {
	return format === 'json' ? '\n]\n' : '';
}

export function exportRow(row: StoredSubmission, { layout, timeline, isFirst }: RowContext): string {
	if (layout.format === 'json') return `${isFirst ? '' : ','}\n${presentJson(row, timeline)}`;
	if (layout.format === 'ndjson') return `${presentJson(row, timeline)}\n`;
	return csvLine(csvCells(row, layout, timeline), layout.formulas);
}

function csvCells(row: StoredSubmission, { fields, isPartial, hasFiles }: Layout, timeline: Timeline): string[] {
	const { id, isRead, isStarred, isSpam, data, spamReasons, meta, files = [] } = row;
	const texts = fieldTexts(data);
	const cells = [encodeId(id), timeline.isoOf(id), `${isRead}`, `${isStarred}`, `${isSpam}`];
	for (const name of fields) {
		cells.push(texts.get(name) ?? '');
		texts.delete(name);
	}
	if (isPartial) cells.push(texts.size > 0 ? JSON.stringify(Object.fromEntries(texts)) : '');
	cells.push(`${scoreOf(parseReasons(spamReasons))}`, spamReasons ?? '', meta ?? '');
	if (hasFiles) cells.push(files.length > 0 ? JSON.stringify(files.map(presentFile)) : '');
	return cells;
}

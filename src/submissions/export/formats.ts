/** Pure: the formats of an export: CSV, workbook, JSON, NDJSON. */

import { membersOf } from '../../delivery/fields.ts';
import { MEMBERS, ofFormOnly, presentJson } from '../../delivery/present-submission.ts';
import { encodeId } from '../../ids.ts';
import type { StoredSubmission } from '../../storage/submission.ts';
import type { Timeline } from '../../storage/timeline.ts';
import { remember } from '../../tasks/remember.ts';
import { exactText, parseExact } from '../../text/exact-json.ts';
import { inOrder } from '../../text/ordered-json.ts';
import { createLocalIso } from '../../text/time-zone.ts';
import { type Column, OTHER_FIELDS } from './columns.ts';
import { csvLine, type Formulas } from './csv.ts';
import { sheetRow } from './xlsx.ts';

export const FORMATS = ['csv', 'xlsx', 'json', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

export const MEDIA_TYPES: Record<Format, string> = {
	csv: 'text/csv; charset=utf-8; header=present',
	xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
	json: 'application/json',
	ndjson: 'application/x-ndjson',
};

/** In each field of a submission that cannot be read. */
const DAMAGED = '(damaged)';
const localIso = remember(createLocalIso, 10);
const BYTE_ORDER_MARK = '\ufeff';

export interface Layout {
	format: Format;
	columns: readonly Column[];
	/** True if all columns are wanted: then JSON has each submission as the API has it. */
	isWhole: boolean;
	/** True if every field is wanted, also one that came since the names were read. */
	hasAllFields: boolean;
	/** The fields with a column: others are `otherFields`. */
	listed: readonly string[];
	/** True if the reasons say nothing of other forms. */
	isFormLevel: boolean;
	/** True if a CSV starts with a byte order mark, by which Excel detects UTF-8. */
	bom: boolean;
	/** Protection of a CSV against formulas. */
	formulas: Formulas;
	/** The zone of the moments in a CSV and a workbook. */
	timeZone: string;
}

interface RowContext {
	layout: Layout;
	timeline: Timeline;
	isFirst: boolean;
}

/** The text before the first submission; of a workbook each sheet has its own. */
export function exportHead({ format, columns, bom, formulas }: Layout): string {
	if (format === 'json') return '[';
	if (format !== 'csv') return '';
	const header = csvLine(
		columns.map(({ title }) => title),
		formulas,
	);
	return bom ? BYTE_ORDER_MARK + header : header;
}

/** The text after the last submission. */
export function exportTail({ format }: Layout): string {
	return format === 'json' ? '\n]\n' : '';
}

export function exportRow(stored: StoredSubmission, { layout, timeline, isFirst }: RowContext): string {
	const row = layout.isFormLevel ? ofFormOnly(stored) : stored;
	if (layout.format === 'csv') return csvLine(cellTexts(row, layout, timeline), layout.formulas);
	if (layout.format === 'xlsx') {
		const texts = cellTexts(row, layout, timeline);
		return sheetRow(layout.columns.map(({ kind }, i) => ({ kind, text: texts[i] as string })));
	}
	const json = layout.isWhole ? presentJson(row, timeline) : chosenJson(row, layout, timeline);
	return layout.format === 'json' ? `${isFirst ? '' : ','}\n${json}` : `${json}\n`;
}

function cellTexts(row: StoredSubmission, { columns, listed, timeZone }: Layout, timeline: Timeline): string[] {
	const texts = textsByName(row.data);
	return columns.map((column) => {
		if ('field' in column) return row.isDamaged ? DAMAGED : (texts.get(column.field) ?? '');
		if (column.own !== OTHER_FIELDS) {
			const text = OWN_CELLS.get(column.own)?.(row, timeline) ?? '';
			return column.kind === 'moment' && text !== '' ? localIso(timeZone)(Date.parse(text)) : text;
		}
		const others = new Map(texts);
		for (const name of listed) others.delete(name);
		return others.size > 0 ? JSON.stringify(inOrder([...others])) : '';
	});
}

/**
 * Strings as they are, `null` as an empty text, other values as JSON text, numbers with all their digits.
 * @param data The JSON text of the fields.
 */
export function textsByName(data: string): Map<string, string> {
	const fields = parseExact(data) as Record<string, unknown>;
	return new Map(Object.entries(fields).map(([name, value]) => [name, exactText(value)]));
}

type Cell = (row: StoredSubmission, timeline: Timeline) => string;
/** By the names of columns. */
const OWN_CELLS = new Map<string, Cell>([
	['id', ({ id }) => encodeId(id)],
	...MEMBERS.flatMap(({ name, json, column }): [string, Cell][] =>
		column ? [[column.name ?? name, column.cell ?? ((row, timeline) => json(row, { timeline }) ?? '')]] : [],
	),
]);
/** Members of a `Submission` that belong to a column of another name. */
const COLUMN_OF = new Map([
	['spamReason', 'isSpam'],
	...MEMBERS.flatMap(({ name, column }): [string, string][] => (column?.name ? [[name, column.name]] : [])),
]);

/** A `Submission` with the members and fields that were chosen; values of fields are the texts that are stored. */
function chosenJson(row: StoredSubmission, { columns, listed, hasAllFields }: Layout, timeline: Timeline): string {
	const own = new Set<string>(columns.map((column) => ('own' in column ? column.own : '')));
	const fields = new Set(columns.flatMap((column) => ('field' in column ? [column.field] : [])));
	const isChosen = (name: string) => fields.has(name) || (own.has(OTHER_FIELDS) && !listed.includes(name));
	const isWanted = (name: string) => name === 'damaged' || own.has(COLUMN_OF.get(name) ?? name);
	const members = own.has('id') ? [`"id":"${encodeId(row.id)}"`] : [];
	if (hasAllFields) members.push(`"data":${row.data}`);
	else if (fields.size > 0 || own.has(OTHER_FIELDS)) {
		const chosen = membersOf(row.data).filter(({ name }) => isChosen(name));
		members.push(`"data":{${chosen.map(({ text }) => text).join(',')}}`);
	}
	for (const { name, json } of MEMBERS) {
		const text = isWanted(name) ? json(row, { timeline }) : undefined;
		if (text !== undefined) members.push(`"${name}":${text}`);
	}
	return `{${members.join(',')}}`;
}

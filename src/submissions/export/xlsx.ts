/**
 * Pure: the parts of a workbook for spreadsheet programs (ECMA-376, SpreadsheetML). Texts are cells of the kind text, which no program
 * runs as a formula or turns into a number.
 */

import { dateOrder } from '../../field-rules/rules.ts';
import { DAY_MS } from '../../tasks/durations.ts';
import type { CellKind } from './columns.ts';

export interface Cell {
	text: string;
	kind: CellKind;
}

/** The most rows of a sheet, the header included. */
export const SHEET_ROWS = 1_048_576;
/** The most UTF-16 code units of a cell. */
export const CELL_MAX = 32_767;

const CUT = '… (cut)';
/** Days from the format's first, 1899-12-30, to 1970. */
const DAYS_TO_1970 = 25_569;
/** Numbers that the format keeps to the last digit. */
const EXACT_NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,6})?$/;
const EXACT_DIGITS = 15;
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d+)?))?/;
/** The format cannot express earlier ones. */
const FIRST_DATE = '1900-03-01';
const NAMESPACE = 'http://schemas.openxmlformats.org';
const MAIN = `${NAMESPACE}/spreadsheetml/2006/main`;
const RELATIONSHIPS = `${NAMESPACE}/officeDocument/2006/relationships`;
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
/** Places in the list of `cellXfs` below. */
const STYLE = { moment: 1, date: 2, header: 3, text: 4 } as const;

/** Characters that XML cannot hold, carriage returns, which its readers drop, and texts that read as such an escape (ST_Xstring). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ESCAPED = /[\0-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[\dA-Fa-f]{4}_)/g;
const MARKUP = /[<>&"]/g;
const ENTITIES: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };

function escapeXml(text: string): string {
	return text
		.toWellFormed()
		.replace(ESCAPED, (one) => `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
		.replace(MARKUP, (one) => ENTITIES[one] as string);
}

function textCell(text: string, style: number): string {
	if (text === '') return '<c/>';
	// A pair of surrogates is not torn: a lone one becomes a replacement character.
	const whole = text.length > CELL_MAX ? text.slice(0, CELL_MAX - CUT.length) + CUT : text;
	return `<c s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(whole)}</t></is></c>`;
}

const CELLS: Record<CellKind, (text: string) => string | undefined> = {
	text: () => undefined,
	number: (text) =>
		EXACT_NUMBER.test(text) && text.replace(/\D/g, '').length <= EXACT_DIGITS ? `<c><v>${text}</v></c>` : undefined,
	date: (text) => (dateOrder(text) === undefined ? undefined : dateCell(text)),
	moment: dateCell,
};

function dateCell(text: string): string | undefined {
	const [, date, time] = MOMENT.exec(text) ?? [];
	const millis = Date.parse(`${date}T${time ?? '00:00:00'}Z`);
	if (date === undefined || date < FIRST_DATE || Number.isNaN(millis)) return undefined;
	return `<c s="${time === undefined ? STYLE.date : STYLE.moment}"><v>${millis / DAY_MS + DAYS_TO_1970}</v></c>`;
}

/** A value that is not of its column's kind is a text. */
export function sheetRow(cells: readonly Cell[]): string {
	return `<row>${cells.map(({ text, kind }) => CELLS[kind](text) ?? textCell(text, STYLE.text)).join('')}</row>\n`;
}

/** Up to the first row of submissions. */
export function sheetHead(titles: readonly string[]): string {
	return (
		`${DECLARATION}<worksheet xmlns="${MAIN}">` +
		'<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
		`<cols><col min="1" max="${Math.max(1, titles.length)}" width="22" customWidth="1"/></cols>` +
		`<sheetData><row>${titles.map((title) => textCell(title, STYLE.header)).join('')}</row>\n`
	);
}

export const SHEET_TAIL = '</sheetData></worksheet>';

export const sheetPath = (number: number): string => `xl/worksheets/sheet${number}.xml`;

/** All files of the workbook besides its sheets, by their paths. */
export function workbookParts(sheets: number): [path: string, text: string][] {
	const numbers = Array.from({ length: sheets }, (_, i) => i + 1);
	const type = (part: string, kind: string) =>
		`<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;
	const relation = (id: string, kind: string, target: string) =>
		`<Relationship Id="${id}" Type="${RELATIONSHIPS}/${kind}" Target="${target}"/>`;
	const relations = (...all: string[]) =>
		`${DECLARATION}<Relationships xmlns="${NAMESPACE}/package/2006/relationships">${all.join('')}</Relationships>`;
	return [
		[
			'[Content_Types].xml',
			`${DECLARATION}<Types xmlns="${NAMESPACE}/package/2006/content-types">` +
				'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
				`${type('xl/workbook.xml', 'sheet.main')}${type('xl/styles.xml', 'styles')}` +
				`${numbers.map((number) => type(sheetPath(number), 'worksheet')).join('')}</Types>`,
		],
		['_rels/.rels', relations(relation('rId1', 'officeDocument', 'xl/workbook.xml'))],
		[
			'xl/_rels/workbook.xml.rels',
			relations(
				relation('styles', 'styles', 'styles.xml'),
				...numbers.map((number) => relation(`sheet${number}`, 'worksheet', `worksheets/sheet${number}.xml`)),
			),
		],
		[
			'xl/workbook.xml',
			`${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>` +
				numbers
					.map((n) => `<sheet name="Submissions${n > 1 ? ` ${n}` : ''}" sheetId="${n}" r:id="sheet${n}"/>`)
					.join('') +
				'</sheets></workbook>',
		],
		[
			'xl/styles.xml',
			`${DECLARATION}<styleSheet xmlns="${MAIN}">` +
				'<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>' +
				'<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
				'<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
				'<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>' +
				'<cellXfs count="5"><xf/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="14" applyNumberFormat="1"/>' +
				'<xf numFmtId="49" fontId="1" applyNumberFormat="1" applyFont="1"/><xf numFmtId="49" applyNumberFormat="1"/></cellXfs>' +
				'</styleSheet>',
		],
	];
}

/** Pure: the columns of an export, and how a client names them. */

import { BEHIND_FIELDS, STATE } from '../../delivery/present-submission.ts';
import { invalidField } from '../../errors.ts';
import { type FieldRule, labelsOf } from '../../field-rules/rules.ts';
import { COLUMN_TITLES } from './column-titles.ts';

const columnsOf = (members: typeof STATE) =>
	members.flatMap(({ name, column }) => (column ? [column.name ?? name] : []));
export const BEFORE_FIELDS = ['id', ...columnsOf(STATE)];
export const AFTER_FIELDS = columnsOf(BEHIND_FIELDS);
/** The fields beyond the listed names. */
export const OTHER_FIELDS = 'otherFields';
const OWN_KINDS: Record<string, CellKind> = { createdAt: 'moment', confirmedAt: 'moment', spamScore: 'number' };
export const OWN_COLUMNS = [...BEFORE_FIELDS, OTHER_FIELDS, ...AFTER_FIELDS];

/** The kind of value that the cells of a column have in a workbook; others are texts there. */
export type CellKind = 'text' | 'number' | 'date' | 'moment';

/** A field may be called as an own column is. */
export type Column = ({ own: string } | { field: string }) & {
	/** The text of its head. */
	title: string;
	kind: CellKind;
};

/** The fields of a form, for its exports. */
export interface KnownFields {
	/** Those with a column, in order. */
	listed: readonly string[];
	/** True if there may be fields without a column. */
	isPartial: boolean;
	/** True if any submission of the form has files. */
	hasFiles: boolean;
	/** True if the form has visitors confirm their address. */
	hasConfirmed: boolean;
	/** Returns whether a field of this name may be asked for. */
	isKnown(name: string): boolean;
	/** The rules of the form's fields, for the kinds of their values. */
	rules: readonly FieldRule[] | null;
	/** True if columns are called as people call them. */
	hasLabels: boolean;
}

const DATA = 'data';
const FIELD = `${DATA}.`;

/** All columns, in the order of a CSV. */
export function allColumns(known: KnownFields): Column[] {
	const before = BEFORE_FIELDS.filter((name) => known.hasConfirmed || name !== 'confirmedAt');
	const after = AFTER_FIELDS.filter((name) => known.hasFiles || name !== 'attachedFiles');
	const own = (name: string) => ownColumn(name, known);
	return [...before.map(own), ...fieldColumns(known), ...after.map(own)];
}

function ownColumn(own: string, { hasLabels }: KnownFields): Column {
	return { own, title: (hasLabels && COLUMN_TITLES[own]) || own, kind: OWN_KINDS[own] ?? 'text' };
}

function fieldColumns(known: KnownFields): Column[] {
	const fields = known.listed.map(columnsOfFields(known));
	return known.isPartial ? [...fields, ownColumn(OTHER_FIELDS, known)] : fields;
}

function columnsOfFields({ rules, hasLabels }: KnownFields): (field: string) => Column {
	const labelOf = hasLabels ? labelsOf(rules) : (name: string) => name;
	const types = new Map(rules?.map(({ name, type }) => [name, type]));
	return (field) => {
		const type = types.get(field);
		return { field, title: labelOf(field), kind: type === 'number' || type === 'date' ? type : 'text' };
	};
}

/** The entries of the parameter: separated by commas, a comma in a name is written `\,` and a backslash `\\`. */
export function splitColumns(text: string): string[] {
	return Array.from(`,${text}`.matchAll(/,((?:\\.|[^,\\])*\\?)/gs), ([, entry = '']) => entry.replace(/\\(.)/gs, '$1'));
}

/**
 * The columns of these names: own ones, fields, `data.NAME` for a field whatever it is called, `data` for all fields.
 * @throws AppError VALIDATION_ERROR that names the unknown one
 */
export function chooseColumns(names: readonly string[], known: KnownFields): Column[] {
	const columns = names.flatMap((name) => columnsNamed(name, known));
	return [...new Map(columns.map((column) => [JSON.stringify(column), column])).values()];
}

function columnsNamed(name: string, known: KnownFields): Column[] {
	const own = OWN_COLUMNS.find((candidate) => candidate === name);
	if (own) return [ownColumn(own, known)];
	if (name === DATA) return fieldColumns(known);
	const field = name.startsWith(FIELD) ? name.slice(FIELD.length) : name;
	if (!known.isKnown(field)) throw unknown(name);
	return [columnsOfFields(known)(field)];
}

function unknown(name: string) {
	const message =
		`columns names ${JSON.stringify(name)}, which is no field of this form. Besides its fields there are: ` +
		`data (all of them), ${OWN_COLUMNS.join(', ')}.`;
	return invalidField('columns', 'UNKNOWN_COLUMN', message);
}

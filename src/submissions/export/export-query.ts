/** Pure: parses the query parameters of an export, strictly. */

import { oneOf, single } from '../../http/query-parameters.ts';
import { parseOrderedCriteria } from '../list-query.ts';
import { splitColumns } from './columns.ts';
import { FORMULAS } from './csv.ts';
import type { ExportQuery } from './export.ts';
import { FORMATS } from './formats.ts';

const SWITCH = ['0', '1'] as const;

/** @throws AppError VALIDATION_ERROR naming the parameter */
export function parseExportQuery(params: URLSearchParams): ExportQuery {
	const columns = single(params, 'columns');
	return {
		format: oneOf(params, 'format', { values: FORMATS, fallback: 'csv' }),
		bom: oneOf(params, 'bom', { values: SWITCH, fallback: '0' }) === '1',
		columns: columns === undefined ? null : splitColumns(columns),
		formulas: oneOf(params, 'formulas', { values: FORMULAS, fallback: 'guard' }),
		...parseOrderedCriteria(params),
	};
}

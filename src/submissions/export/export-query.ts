/** Pure: the query parameters of an export, read strictly. */

import { oneOf } from '../../http/query-parameters.ts';
import { parseExtent } from '../list-query.ts';
import { FORMULAS } from './csv.ts';
import type { ExportQuery } from './export.ts';
import { FORMATS } from './formats.ts';

const SWITCH = ['0', '1'] as const;

/** @throws AppError VALIDATION_ERROR naming the parameter */
export function parseExportQuery(params: URLSearchParams): ExportQuery {
	return {
		format: oneOf(params, 'format', { values: FORMATS, fallback: 'csv' }),
		bom: oneOf(params, 'bom', { values: SWITCH, fallback: '0' }) === '1',
		formulas: oneOf(params, 'formulas', { values: FORMULAS, fallback: 'guard' }),
		...parseExtent(params),
	};
}

/** Describes pages of a list: their query parameters, and how a response says which page it is. */

import { Type } from '@sinclair/typebox';
import { queryParameter } from './openapi.ts';
import { LIMIT_DEFAULT, LIMIT_MAX } from './query-parameters.ts';

export const pageParameters = [
	queryParameter('limit', {
		schema: Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT }),
		description: 'Maximum number of results; values out of range are clamped.',
	}),
	queryParameter('offset', {
		schema: Type.Integer({ minimum: 0, default: 0 }),
		description: 'Number of results to skip; the next page is at offset + limit.',
	}),
];

/** @param total What is counted, and how far. */
export function paginationSchema(total: string) {
	return Type.Object({
		limit: Type.Integer({ description: 'The applied limit.' }),
		offset: Type.Integer(),
		total: Type.Integer({ description: total }),
		hasMore: Type.Boolean(),
	});
}

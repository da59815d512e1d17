/** What the routes of submissions say alike in the OpenAPI document. */

import { Type } from '@sinclair/typebox';
import { pathParameter, queryParameter } from '../http/openapi.ts';
import { stringEnum } from '../http/schema-types.ts';
import { FILTERS } from '../storage/submission.ts';
import { LIMIT_DEFAULT, LIMIT_MAX, SEARCH_MAX } from './bounds.ts';

export const formId = pathParameter('id', { description: 'The form.', example: 'cmnrg2x7k8w' });
export const submissionId = pathParameter('submissionId', { description: 'The submission.', example: 'cmnrg2x8a1c' });

/** Which part of them. */
export const pageParameters = [
	queryParameter('limit', {
		schema: Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT }),
		description: 'Maximum results; out of bounds it is brought within them.',
	}),
	queryParameter('offset', {
		schema: Type.Integer({ minimum: 0, default: 0 }),
		description: 'Number of results to skip; the next page is at offset + limit.',
	}),
];

/** Which submissions, in which order. */
export const extentParameters = [
	queryParameter('since', {
		schema: Type.String({ format: 'date-time' }),
		description: 'Only submissions strictly later; RFC 3339, or a date alone (00:00 UTC). No zone is UTC.',
		example: '2026-01-02T03:04:05Z',
	}),
	queryParameter('until', {
		schema: Type.String({ format: 'date-time' }),
		description: 'Only submissions of that moment or earlier; written as `since`, but a date alone includes that day.',
		example: '2026-01-31',
	}),
	queryParameter('order', {
		schema: stringEnum(['asc', 'desc'], { default: 'desc' }),
		description: 'By time of arrival.',
	}),
	queryParameter('filter', {
		schema: stringEnum(FILTERS, { default: 'all' }),
		description: '`all`, `unread` and `starred` leave spam out; `spam` is only spam.',
	}),
	queryParameter('search', {
		schema: Type.String({ maxLength: SEARCH_MAX }),
		description:
			'Only submissions in whose values all of these words occur, inside of words too, in upper or lower case, with or ' +
			'without accents. A word of one or two letters is found as a whole word only, unless its script has no spaces. ' +
			'What was submitted is found about a second later.',
		example: 'ada',
	}),
];

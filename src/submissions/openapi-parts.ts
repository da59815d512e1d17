/** Parts of the OpenAPI document that the routes of submissions share. */

import { Type } from '@sinclair/typebox';
import { pathParameter, queryParameter } from '../http/openapi.ts';
import { stringEnum } from '../http/schema-types.ts';
import { FILTERS } from '../storage/filters.ts';
import { LABEL_MAX } from '../storage/labels.ts';
import { SEARCH_MAX } from './list-query.ts';

export const formId = pathParameter('id', { description: 'The form.', example: 'cmnrg2x7k8w' });
export const FILE_EXAMPLE = {
	id: 'cmnrg2x8b2d',
	field: 'cv',
	name: 'cv.pdf',
	type: 'application/pdf',
	size: 48_213,
	sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};
export const submissionId = pathParameter('submissionId', { description: 'The submission.', example: 'cmnrg2x8a1c' });
export const fileId = pathParameter('fileId', { description: 'The file.', example: FILE_EXAMPLE.id });

export const afterParameter = queryParameter('after', {
	schema: Type.String(),
	description:
		'Only submissions behind this place in the order of arrival: the `pagination.cursor` of the page before, or `0` to begin with ' +
		'the first. Who polls with it and `order=asc` gets every submission once, whatever the clock did and whatever was deleted.',
	example: 'cmnrg2x8a1c',
});

/** Criteria and order. */
export const criteriaParameters = [
	queryParameter('since', {
		schema: Type.String({ format: 'date-time' }),
		description: 'Only submissions strictly later; RFC 3339, or a date alone (00:00 UTC). Without a zone: UTC.',
		example: '2026-01-02T03:04:05Z',
	}),
	queryParameter('until', {
		schema: Type.String({ format: 'date-time' }),
		description: 'Only submissions at that time or earlier; format as `since`, but a date alone includes that day.',
		example: '2026-01-31',
	}),
	queryParameter('order', {
		schema: stringEnum(['asc', 'desc'], { default: 'desc' }),
		description: 'By time of arrival.',
	}),
	queryParameter('filter', {
		schema: stringEnum(FILTERS, { default: 'all' }),
		description:
			'`all`, `unread` and `starred` leave out spam, and what is pending until its visitor confirms an address; `spam` and `pending` are only that.',
	}),
	queryParameter('archived', {
		schema: stringEnum(['false', 'true']),
		description: 'Only archived ones, or only the others. Absent: both.',
	}),
	queryParameter('label', {
		schema: Type.String({ maxLength: LABEL_MAX }),
		description: 'Only those with this label, in the same upper and lower case.',
		example: 'urgent',
	}),
	queryParameter('search', {
		schema: Type.String({ maxLength: SEARCH_MAX }),
		description:
			'Only submissions whose values contain all of these words, also inside of words, regardless of case and ' +
			'accents. A word of one or two letters matches whole words only, unless its script has no spaces. ' +
			'Submissions are found about a second after they arrived.',
		example: 'ada',
	}),
];

/** Parts of the OpenAPI document that the routes of submissions share. */

import { Type } from '@sinclair/typebox';
import { pathParameter, queryParameter } from '../http/openapi.ts';
import { stringEnum } from '../http/schema-types.ts';
import { FILTERS } from '../storage/filters.ts';
import { mapSwitches, mapTexts } from './criteria.ts';

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
	...Object.values(
		mapTexts((name, { schema, description, example }) =>
			queryParameter(name, { schema: Type.String(schema), description, example }),
		),
	),
	queryParameter('order', {
		schema: stringEnum(['asc', 'desc'], { default: 'desc' }),
		description: 'By time of arrival.',
	}),
	queryParameter('filter', {
		schema: stringEnum(FILTERS, { default: 'all' }),
		description:
			'`all`, `unread` and `starred` leave out spam, and what is pending until its visitor confirms an address; `spam` and `pending` are only that.',
	}),
	...Object.values(
		mapSwitches((name, description) => queryParameter(name, { schema: stringEnum(['false', 'true']), description })),
	),
];

/** Parts of the OpenAPI document that the routes of submissions share. */

import { Type } from '@sinclair/typebox';
import { pathParameter, queryParameter } from '../http/openapi.ts';
import { stringEnum } from '../http/schema-types.ts';
import { FILTERS, NEW } from '../storage/filters.ts';
import { mapTexts as mapOwnTexts, mapWordLists } from '../storage/owned.ts';
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
export const SUBMISSION_EXAMPLE = {
	id: 'cmnrg2x8a1c',
	data: { name: 'Ada', email: 'ada@example.com', cv: 'cv.pdf' },
	createdAt: '2026-01-02T03:04:05.678Z',
	...NEW,
	confirmedAt: null,
	spamScore: 0,
	spamReasons: [],
	meta: null,
	files: [FILE_EXAMPLE],
	...mapWordLists('name', () => ['urgent']),
	...mapOwnTexts(() => null),
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
			'`spam` is only spam, `pending` only what waits until its visitor confirms an address; all others leave out both.',
	}),
	...Object.values(
		mapSwitches((name, description) => queryParameter(name, { schema: stringEnum(['false', 'true']), description })),
	),
];

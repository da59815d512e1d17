/** The route of exports. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { errorResponses, queryParameter, textResponse } from '../../http/openapi.ts';
import { pulledBody } from '../../http/pulled-body.ts';
import type { Auth } from '../../keys/auth.ts';
import type { Log } from '../../log.ts';
import { describe, extentParameters, formId } from '../openapi-parts.ts';
import type { Submissions } from '../submissions.ts';
import { FORMULAS } from './csv.ts';
import type { Export } from './export.ts';
import { parseExportQuery } from './export-query.ts';
import { FORMATS, MEDIA_TYPES } from './formats.ts';

const SUBMISSION =
	'{"id":"cmnrg2x8a1c","data":{"name":"Ada"},"createdAt":"2026-01-02T03:04:05.678Z","isRead":false,"isStarred":false,"isSpam":false}';
const EXAMPLES = {
	[MEDIA_TYPES.csv]:
		'id,createdAt,isRead,isStarred,isSpam,name\r\ncmnrg2x8a1c,2026-01-02T03:04:05.678Z,false,false,false,Ada\r\n',
	[MEDIA_TYPES.json]: `[\n${SUBMISSION}\n]\n`,
	[MEDIA_TYPES.ndjson]: `${SUBMISSION}\n`,
};
const formatParameters = [
	queryParameter('format', {
		schema: Type.Union(
			FORMATS.map((format) => Type.Literal(format)),
			{ default: 'csv' },
		),
		description: '`csv` for spreadsheets, `json` for one list of submissions, `ndjson` for one submission a line.',
	}),
	queryParameter('bom', {
		schema: Type.Union([Type.Literal('0'), Type.Literal('1')], { default: '0' }),
		description: '`1`: a CSV begins with a byte order mark, which Excel needs to read it as UTF-8.',
	}),
	queryParameter('formulas', {
		schema: Type.Union(
			FORMULAS.map((formulas) => Type.Literal(formulas)),
			{ default: 'guard' },
		),
		description:
			'`guard`: in a CSV, what a spreadsheet would take for a formula gets an apostrophe before it, whether it separates ' +
			'by commas, semicolons or tabs; numbers such as `-5` or `+49 30 123456` are left as they are. `raw`: every text is ' +
			'as it was sent, for programs.',
	}),
];

export const exportRoutes = ({ submissions, log }: { submissions: Submissions; log: Log }, auth: Auth) =>
	new Elysia({ prefix: '/api/forms/:id/export' }).use(auth).get(
		'',
		async ({ principal, params, request }) => {
			const opened = await submissions.openExport(params.id, {
				mode: principal.mode,
				readQuery: () => parseExportQuery(new URL(request.url).searchParams),
			});
			return download(opened, pulledBody(opened.chunks, { request, log }));
		},
		{
			access: { permission: 'read', form: 'id' },
			detail: {
				...describe(
					'exportSubmissions',
					'Export submissions',
					'All submissions that match, as a file. What arrives after the request is not part of it. In CSV the columns ' +
						'are `id`, `createdAt`, `isRead`, `isStarred`, `isSpam`, then the field names in the order first seen; lists and ' +
						'objects are JSON text.',
				),
				parameters: [formId, ...formatParameters, ...extentParameters],
				responses: {
					200: textResponse('The file, streamed.', EXAMPLES),
					...errorResponses('VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'FORM_NOT_FOUND', 'RATE_LIMITED'),
					...errorResponses('UNAVAILABLE'),
				},
			},
		},
	);

function download({ fileName, format }: Export, body: ReadableStream): Response {
	return new Response(body, {
		headers: {
			'Content-Type': MEDIA_TYPES[format],
			'Content-Disposition': `attachment; filename="${fileName}"`,
			'Cache-Control': 'no-store',
		},
	});
}

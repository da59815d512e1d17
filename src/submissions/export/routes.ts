/** The route of the export. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { attachment } from '../../http/content-disposition.ts';
import { operation, queryParameter, textResponse } from '../../http/openapi.ts';
import { queryOf } from '../../http/query-parameters.ts';
import { stringEnum } from '../../http/schema-types.ts';
import type { StreamResponse } from '../../http/streamed.ts';
import type { Auth } from '../../keys/auth.ts';
import { callerOf, isFormLevel } from '../../keys/permissions.ts';
import { criteriaParameters, formId, SUBMISSION_EXAMPLE } from '../openapi-parts.ts';
import type { Submissions } from '../submissions.ts';
import { AFTER_FIELDS, BEFORE_FIELDS, OWN_COLUMNS } from './columns.ts';
import { FORMULAS } from './csv.ts';
import { parseExportQuery } from './export.ts';
import { FORMATS, MEDIA_TYPES } from './formats.ts';

const SUBMISSION = JSON.stringify(SUBMISSION_EXAMPLE);
const EXAMPLES = {
	[MEDIA_TYPES.csv]: 'id,createdAt,isRead,name\r\ncmnrg2x8a1c,2026-01-02T03:04:05.678Z,false,Ada\r\n',
	[MEDIA_TYPES.xlsx]: '(a workbook)',
	[MEDIA_TYPES.json]: `[\n${SUBMISSION}\n]\n`,
	[MEDIA_TYPES.ndjson]: `${SUBMISSION}\n`,
};
const formatParameters = [
	queryParameter('format', {
		schema: stringEnum(FORMATS, { default: 'csv' }),
		description:
			'`csv` for spreadsheets and other services, `xlsx` for a workbook that Excel and others open as it is, `json` for one list of submissions, `ndjson` for one submission a line.',
	}),
	queryParameter('columns', {
		schema: Type.String(),
		description:
			`Columns, separated by commas; all by default. A name is that of a field, or one of ${OWN_COLUMNS.join(', ')}. ` +
			'`data` stands for all fields, `data.NAME` for a field whatever it is called; a comma in a name is written `\\,` and a backslash `\\\\`. An unknown ' +
			'name is 400. JSON has the same choice of members.',
	}),
	queryParameter('labels', {
		schema: stringEnum(['false', 'true'], { default: 'false' }),
		description:
			'`true`: the columns of a CSV or workbook are called as people call them, fields by the labels of their rules.',
	}),
	queryParameter('timeZone', {
		schema: Type.String({ default: 'UTC' }),
		description:
			'Time zone of `createdAt` and `confirmedAt` in a CSV or workbook, such as `Europe/Berlin`; JSON has UTC.',
	}),
	queryParameter('bom', {
		schema: stringEnum(['0', '1'], { default: '0' }),
		description: '`1`: a CSV starts with a byte order mark, which Excel needs to read it as UTF-8.',
	}),
	queryParameter('formulas', {
		schema: stringEnum(FORMULAS, { default: 'guard' }),
		description:
			'`guard`: in a CSV, text that a spreadsheet would run as a formula gets an apostrophe before it, whether it separates ' +
			'by commas, semicolons or tabs; numbers such as `-5` or `+49 30 123456` stay as they are. `raw`: all text as sent, ' +
			'for programs.',
	}),
];

export const exportRoutes = (submissions: Submissions, auth: Auth, stream: StreamResponse) =>
	new Elysia({ prefix: '/api/forms/:id/export', tags: ['Submissions'] }).use(auth).get(
		'',
		async ({ principal, params, request }) => {
			const opened = await submissions.openExport(params.id, {
				mode: principal.mode,
				caller: callerOf(principal),
				isFormLevel: isFormLevel(principal),
				readQuery: () => parseExportQuery(queryOf(request)),
			});
			return stream(request, opened, {
				headers: {
					'Content-Type': MEDIA_TYPES[opened.format],
					'Content-Disposition': attachment(opened.fileName),
					'Cache-Control': 'no-store',
				},
			});
		},
		{
			access: { permission: 'read', form: 'id' },
			detail: operation('exportSubmissions', 'Export submissions', {
				recorded: ['format', 'filter', 'archived', 'since', 'until'],
				description:
					'All submissions that match, as a file, without those that arrive after the request. In CSV the columns ' +
					`are ${BEFORE_FIELDS.join(', ')}, then the field names in the order first seen, then ${AFTER_FIELDS.join(', ')}; ` +
					'`confirmedAt` if the form has `confirm`, `attachedFiles` if there are any files. Lists and objects are JSON text.',
				parameters: [formId, ...formatParameters, ...criteriaParameters],
				returns: textResponse('The file, streamed.', EXAMPLES),
				errors: ['FORM_NOT_FOUND'],
			}),
		},
	);

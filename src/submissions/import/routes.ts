/** The route of the import. */

import { Elysia } from 'elysia';
import { AppError } from '../../errors.ts';
import { createConcurrencyLimit } from '../../http/concurrency-limit.ts';
import { jsonResponse, linesBody, operation, queryParameter } from '../../http/openapi.ts';
import { oneOf, queryOf } from '../../http/query-parameters.ts';
import { allowToTakeLong } from '../../http/request-info.ts';
import { stringEnum } from '../../http/schema-types.ts';
import type { Auth } from '../../keys/auth.ts';
import { callerOf } from '../../keys/permissions.ts';
import type { Storage } from '../../storage/contract.ts';
import { formId } from '../openapi-parts.ts';
import { type Imports, maxLineBytes } from './import.ts';
import { readNdjson } from './ndjson.ts';
import type { ReadFields } from './rows.ts';
import { ImportReport, OwnRow } from './schema.ts';

/** Each writes as much as the database takes beside submissions. */
const IMPORTS = {
	perCaller: 1,
	inAll: 2,
	waitMs: 15_000,
	message: 'Too many imports are in progress; try again when one has ended.',
};
const MEDIA_TYPE = /^application\/(?:x-ndjson|jsonl|json-lines|jsonlines)\s*(?:;|$)/i;
const TRUTH = ['false', 'true'] as const;
const LINE = { id: 'cmnrg2x8a1c', data: { name: 'Ada' }, createdAt: '2024-01-02T03:04:05.678Z', isRead: true };

const switchParameter = (name: string, description: string) =>
	queryParameter(name, { schema: stringEnum(TRUTH, { default: 'false' }), description });

interface ImportRoutesOptions {
	storage: Pick<Storage, 'findForm'>;
	readFields: ReadFields;
	maxBytes: number;
}

export const importRoutes = (imports: Imports, auth: Auth, { storage, readFields, maxBytes }: ImportRoutesOptions) => {
	const turns = createConcurrencyLimit(IMPORTS);

	return new Elysia({ prefix: '/api/forms/:id/import', tags: ['Submissions'] }).use(auth).post(
		'',
		async ({ principal, params, request }) => {
			const form = await storage.findForm(params.id, principal.mode);
			const { body, headers } = request;
			const isTrue = (name: string) => oneOf(queryOf(request), name, { values: TRUTH }) === 'true';
			const [isTimeNow, isDryRun] = [isTrue('timeNow'), isTrue('dryRun')];
			if (!MEDIA_TYPE.test(headers.get('content-type') ?? ''))
				throw new AppError(
					'UNSUPPORTED_MEDIA_TYPE',
					'Send a submission a line, with "Content-Type: application/x-ndjson".',
				);
			if (!body) throw new AppError('INVALID_BODY', 'The body is empty; a submission a line is expected.');
			allowToTakeLong(request);
			const end = await turns.take(callerOf(principal));
			try {
				const rows = readNdjson(body, { readFields, maxBytes: maxLineBytes(maxBytes) });
				const report = await imports.run(form, { rows, isTimeNow, isDryRun });
				if (report.isStopped) throw stopped(report);
				return report;
			} finally {
				end();
			}
		},
		{
			access: { permission: 'write', isTelling: true },
			detail: operation('importSubmissions', 'Import submissions', {
				description:
					'Stores submissions that were received elsewhere, one a line, such as the NDJSON of an export: with their times and flags, ' +
					'without mails, webhook requests, rules and score, and however many `maxSubmissions` allows. What was imported before is not ' +
					'stored again. A line that is no submission, or has no time, is left out and named; at more than 5 % of these the import ' +
					'ends with 400. What was stored by then stays.',
				parameters: [
					formId,
					switchParameter('timeNow', '`true`: submissions without `createdAt` get the time of the import.'),
					switchParameter('dryRun', '`true`: only says what is wrong, and stores nothing.'),
				],
				requestBody: linesBody(OwnRow, LINE),
				returns: jsonResponse('What was done.', {
					schema: ImportReport,
					example: { imported: 1, known: 0, bad: 0, isStopped: false, problems: [] },
				}),
				errors: ['FORM_NOT_FOUND', 'UNAVAILABLE'],
			}),
		},
	);
};

function stopped({ imported, problems }: ImportReport): AppError {
	const fields = problems.map(({ line, problem }) => ({ field: `line ${line}`, code: 'BAD_ROW', message: problem }));
	const message = `More than 5 % of the lines are no submissions, so the import ended; ${imported} were imported. Line ${problems[0]?.line}: ${problems[0]?.problem}`;
	return new AppError('VALIDATION_ERROR', message, { fields });
}

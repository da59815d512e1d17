/** The routes of the import. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { AppError } from '../../errors.ts';
import { presentFile } from '../../files/present-file.ts';
import { asBodyError } from '../../http/collect-chunks.ts';
import { createConcurrencyLimit } from '../../http/concurrency-limit.ts';
import { bytesBody, jsonResponse, linesBody, operation, queryParameter } from '../../http/openapi.ts';
import { integer, queryOf, truth } from '../../http/query-parameters.ts';
import { allowToTakeLong, requestInfo } from '../../http/request-info.ts';
import { stringEnum } from '../../http/schema-types.ts';
import type { Auth } from '../../keys/auth.ts';
import { callerOf, type Principal } from '../../keys/permissions.ts';
import type { Storage } from '../../storage/contract.ts';
import { checked } from '../../tasks/checked-chunks.ts';
import { findFile } from '../files/find-file.ts';
import { FILE_EXAMPLE, fileId, formId, submissionId } from '../openapi-parts.ts';
import { SubmittedFile } from '../schema.ts';
import type { KeepBytes } from './file-bytes.ts';
import { type ImportRun, type Imports, maxLineBytes } from './import.ts';
import { readNdjson } from './ndjson.ts';
import { MAX_BAD_PERCENT, type ReadFields } from './rows.ts';
import { ImportReport, OwnRow } from './schema.ts';

/** Each writes as much as the database takes beside submissions. */
const IMPORTS = {
	perCaller: 1,
	inAll: 2,
	waitMs: 15_000,
	message: 'Too many imports are in progress; try again when one has ended.',
};
const MEDIA_TYPE = /^application\/(?:x-ndjson|ndjson|jsonl|json-lines|jsonlines)\s*(?:;|$)/i;
const LINE = { id: 'cmnrg2x8a1c', data: { name: 'Ada' }, createdAt: '2024-01-02T03:04:05.678Z', isRead: true };

const switchParameter = (name: string, description: string) =>
	queryParameter(name, { schema: stringEnum(['false', 'true'], { default: 'false' }), description });

interface ImportRoutesOptions {
	storage: Pick<Storage, 'db' | 'findForm' | 'findFormId'>;
	readFields: ReadFields;
	maxBytes: number;
	keepBytes: KeepBytes;
}

export const importRoutes = (
	imports: Imports,
	auth: Auth,
	{ storage, readFields, maxBytes, keepBytes }: ImportRoutesOptions,
) => {
	const turns = createConcurrencyLimit(IMPORTS);

	async function inTurn<T>({ principal, request }: { principal: Principal; request: Request }, run: () => Promise<T>) {
		allowToTakeLong(request);
		using _turn = await turns.take(callerOf(principal));
		return await run();
	}

	const rows = new Elysia({ prefix: '/api/forms/:id/import', tags: ['Submissions'] }).use(auth).post(
		'',
		async ({ principal, params, request }) => {
			const form = await storage.findForm(params.id, principal.mode);
			const { body, headers } = request;
			const query = queryOf(request);
			const [isTimeNow, isDryRun] = [truth(query, 'timeNow'), truth(query, 'dryRun')];
			const maxBad = integer(query, 'maxBad', { fallback: MAX_BAD_PERCENT, min: 0, max: 100 });
			if (!MEDIA_TYPE.test(headers.get('content-type') ?? ''))
				throw new AppError(
					'UNSUPPORTED_MEDIA_TYPE',
					'Send a submission a line, with "Content-Type: application/x-ndjson".',
				);
			if (!body) throw new AppError('INVALID_BODY', 'The body is empty; a submission a line is expected.');
			return inTurn({ principal, request }, async () => {
				const lines = readNdjson(bodyOf(request), { readFields, maxBytes: maxLineBytes(maxBytes) });
				const report = await imports.run(form, { rows: lines, isTimeNow, isDryRun, maxBad });
				const { isStopped, ...told } = report;
				if (isStopped) throw stopped(report, maxBad);
				return told;
			});
		},
		{
			access: { permission: 'write', isTelling: true },
			detail: operation('importSubmissions', 'Import submissions', {
				description:
					'Stores submissions that were received elsewhere, one a line, such as the NDJSON of an export: with their times and flags, ' +
					'without mails, webhook requests, rules and score, and however many `maxSubmissions` allows. What was imported before is not ' +
					'stored again. A line that is no submission, or has no time, is left out and named; at more than `maxBad` of these the import ' +
					'ends with 400. What was stored by then stays. Files come without their bytes, which are sent behind it.',
				parameters: [
					formId,
					switchParameter('timeNow', '`true`: submissions without `createdAt` get the time of the import.'),
					switchParameter('dryRun', '`true`: only says what is wrong, and stores nothing.'),
					queryParameter('maxBad', {
						schema: Type.Integer({ minimum: 0, maximum: 100, default: MAX_BAD_PERCENT }),
						description: 'The share of lines left out, in percent, beyond which it ends.',
					}),
				],
				requestBody: linesBody(OwnRow, LINE),
				returns: jsonResponse('What was done.', {
					schema: ImportReport,
					example: { imported: 1, known: 0, bad: 0, problems: [], missingFiles: [] },
				}),
				errors: ['FORM_NOT_FOUND'],
				isPart: true,
			}),
		},
	);

	const bytes = new Elysia({ prefix: '/api/forms/:id/submissions/:submissionId', tags: ['Submissions'] })
		.use(auth)
		.post(
			'/files/:fileId/content',
			async ({ principal, params: { id, submissionId: submission, fileId: file }, request }) => {
				const find = () => findFile(storage, { formId: id, submissionId: submission, fileId: file }, principal.mode);
				const found = await find();
				await inTurn({ principal, request }, () => keepBytes(found, bodyOf(request)));
				return presentFile(await find());
			},
			{
				access: { permission: 'write', isTelling: true },
				detail: operation('importFileContent', 'Bring the bytes of an imported file along', {
					description:
						'Stores the bytes of a file that was imported without them. They must have the size and the SHA-256 that its submission ' +
						'names; whatever the form allows visitors, they count against the quota of files, and are scanned for viruses. A file that ' +
						'has its bytes stays as it is.',
					parameters: [formId, submissionId, fileId],
					requestBody: bytesBody(),
					returns: jsonResponse('The file.', { schema: SubmittedFile, example: FILE_EXAMPLE }),
					errors: ['FORM_NOT_FOUND', 'NOT_FOUND', 'FILES_FULL'],
					isPart: true,
				}),
			},
		);

	return new Elysia().use(rows).use(bytes);
};

/** For as long as its sender may send it. */
function bodyOf(request: Request): AsyncGenerator<Uint8Array> {
	return checked(sentIn(request), async () => requestInfo(request).reauthorize?.());
}

async function* sentIn({ body }: Request): AsyncGenerator<Uint8Array> {
	try {
		if (body) yield* body;
	} catch (cause) {
		throw asBodyError(cause);
	}
}

function stopped({ imported, problems }: ImportRun, maxBad: number): AppError {
	const fields = problems.map(({ line, problem }) => ({ field: `line ${line}`, code: 'BAD_ROW', message: problem }));
	const message = `More than ${maxBad} % of the lines are no submissions, so the import ended; ${imported} were imported. Line ${problems[0]?.line}: ${problems[0]?.problem}`;
	return new AppError('VALIDATION_ERROR', message, { fields });
}

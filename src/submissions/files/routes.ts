/** The routes of files: downloads for keys and sessions, and links that need neither. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { AppError } from '../../errors.ts';
import { type FileCaller, INFECTED_CONFIRMATION } from '../../files/file-access.ts';
import { FILE_PATH, type FileLinks, type LinkHolder } from '../../files/links.ts';
import { networkOf } from '../../http/client-address.ts';
import { readJson } from '../../http/json-body.ts';
import {
	binaryResponse,
	headerParameter,
	jsonBody,
	jsonResponse,
	operation,
	queryParameter,
} from '../../http/openapi.ts';
import { oneOf, queryOf } from '../../http/query-parameters.ts';
import { requestInfo } from '../../http/request-info.ts';
import { stringEnum } from '../../http/schema-types.ts';
import type { StreamResponse } from '../../http/streamed.ts';
import type { Auth } from '../../keys/auth.ts';
import { callerOf, type Principal } from '../../keys/permissions.ts';
import { FILE_EXAMPLE, fileId, formId, submissionId } from '../openapi-parts.ts';
import { archiveResponse, createFileResponse } from './download-response.ts';
import type { Downloads } from './downloads.ts';
import { CreateFileLink, EXPIRES_IN_DEFAULT, FileLink } from './schema.ts';

interface FileRoutesOptions {
	stream: StreamResponse;
	links: FileLinks;
	/** Public address of the base listener, without a slash at the end. */
	baseUrl: string;
	isAlive(holder: LinkHolder): Promise<boolean>;
}

interface FileParams {
	id: string;
	submissionId: string;
	fileId: string;
}

interface Owned {
	principal: Principal;
	params: FileParams;
	request: Request;
}

const READ = { permission: 'read', form: 'id' } as const;

const address = [formId, submissionId, fileId];
const infected = queryParameter('infected', {
	schema: stringEnum([INFECTED_CONFIRMATION]),
	description:
		'Confirms the download of a file in which the virus scanner found something; requires the permission `admin`.',
});
const ranges = [
	headerParameter('Range', { schema: Type.String(), description: 'One range of bytes.', example: 'bytes=0-1023' }),
	headerParameter('If-None-Match', {
		schema: Type.String(),
		description: 'The `ETag` of what the client has: 304 if the file is the same, which it always is.',
	}),
];
const PARTS = {
	206: binaryResponse('The part of the file that `Range` asks for. If it has none such: 416, without a body.'),
	304: { description: 'The client has the file already, by `If-None-Match`.' },
};
const missing = ['FORM_NOT_FOUND', 'NOT_FOUND'] as const;
const LINK_EXAMPLE = {
	url: `https://forms.example.com${FILE_PATH}/${FILE_EXAMPLE.id}?for=key.cmnrg2x1e5f&until=1767326645&signature=uq0sX2vGzU0OZyG3XwY9mP6rV1bKcTn8hQeJdLfAiSg`,
	expiresAt: '2026-01-02T04:04:05.000Z',
};

export const fileRoutes = (
	downloads: Downloads,
	auth: Auth,
	{ stream, links, baseUrl, isAlive }: FileRoutesOptions,
) => {
	const respond = createFileResponse(downloads, stream);
	const find = ({ id, ...params }: FileParams, caller: FileCaller & Pick<Principal, 'mode'>) =>
		downloads.find({ formId: id, ...params }, caller);

	const download = async ({ principal, params, request }: Owned) =>
		respond(() => find(params, { ...principal, infected: confirmation(request) }), {
			request,
			caller: callerOf(principal),
		});

	async function open({ params, request }: { params: { fileId: string }; request: Request }): Promise<Response> {
		const link = await links.read(params.fileId, queryOf(request));
		const findLinked = async () => {
			if (!link || !(await isAlive(link.holder))) throw linkEnded();
			const { file, about } = await downloads.findLinked(link.fileId);
			requestInfo(request).about = about;
			return file;
		};
		return respond(findLinked, { request, caller: networkOf(requestInfo(request).clientAddress), isLink: true });
	}

	const owned = new Elysia({ prefix: '/api/forms/:id/submissions/:submissionId', tags: ['Submissions'] })
		.use(auth)
		.get(
			'/files.zip',
			async ({ principal, params: { id, submissionId: submission }, request }) => {
				const { mode, permissions } = principal;
				const archive = await downloads.openArchive(
					{ formId: id, submissionId: submission },
					{ mode, permissions, infected: confirmation(request), caller: callerOf(principal) },
				);
				return archiveResponse(stream, { request, archive });
			},
			{
				access: READ,
				detail: operation('downloadFiles', 'Download all files of a submission', {
					recorded: ['infected'],
					description:
						'One ZIP archive, made as it is sent. Names are made distinct, and such that every system can store them. Files that are not in it ' +
						'(infected, lost, or of spam) are listed, with the reason, in its file `_left-out.txt`.',
					parameters: [formId, submissionId, infected],
					returns: binaryResponse('The archive, streamed.', 'application/zip'),
					errors: [...missing],
				}),
			},
		)
		.get('/files/:fileId', download, {
			access: READ,
			detail: operation('downloadFile', 'Download a file', {
				recorded: ['infected'],
				description:
					'The bytes of an attached file, exactly as sent. Takes one `Range` of bytes, `If-Range` and `If-None-Match`; the `ETag` is the ' +
					'SHA-256. Whatever the file is, browsers save it and never show or run it.',
				parameters: [...address, infected, ...ranges],
				returns: binaryResponse('The file, streamed.'),
				others: PARTS,
				errors: [...missing],
			}),
		})
		.post(
			'/files/:fileId/link',
			async ({ principal, params, request }) => {
				const file = await find(params, { ...principal, isLink: true });
				const { expiresIn = EXPIRES_IN_DEFAULT } = request.body ? await readJson(request, CreateFileLink) : {};
				const { path, expiresAt } = await links.create(file.id, { holder: linkHolder(principal), seconds: expiresIn });
				return { url: baseUrl + path, expiresAt: expiresAt.toISOString() };
			},
			{
				access: READ,
				detail: operation('createFileLink', 'Create a link to a file', {
					description:
						'An address from which anyone can download the file without a key. It ends with its time, with the file, and with the ' +
						'key or session that made it.',
					parameters: address,
					requestBody: { ...jsonBody(CreateFileLink, { expiresIn: EXPIRES_IN_DEFAULT }), required: false },
					returns: jsonResponse('The link.', { schema: FileLink, example: LINK_EXAMPLE }),
					errors: missing,
				}),
			},
		);

	const linked = new Elysia({ tags: ['Submissions'], detail: { security: [] } }).get(`${FILE_PATH}/:fileId`, open, {
		detail: operation('openFileLink', 'Download a file by a link', {
			recorded: ['for'],
			description: 'What a link to a file leads to. Takes the same headers as a download with a key.',
			parameters: [
				fileId,
				...['for', 'until', 'signature'].map((name) =>
					queryParameter(name, { schema: Type.String(), description: 'Part of the link.' }),
				),
				...ranges,
			],
			returns: binaryResponse('The file, streamed.'),
			others: PARTS,
			errors: ['FORBIDDEN', 'NOT_FOUND', 'UNAVAILABLE'],
			// Mail programs and chats add parameters of their own to links.
			isPublic: true,
		}),
	});

	return new Elysia().use(owned).use(linked);
};

function confirmation(request: Request): string | undefined {
	return oneOf(queryOf(request), 'infected', { values: [INFECTED_CONFIRMATION] });
}

/** The holder of a link; for a session of a key it is the key, because the session ends with it. */
function linkHolder({ keyId, sessionId }: Principal): LinkHolder {
	return keyId === null ? { kind: 'session', id: sessionId ?? '' } : { kind: 'key', id: keyId };
}

/** The same for a wrong link, so that nothing can be learnt from it. */
function linkEnded(): AppError {
	return new AppError(
		'NOT_FOUND',
		'This link leads to no file: it has expired, or what it belongs to is gone. Ask for a new one.',
	);
}

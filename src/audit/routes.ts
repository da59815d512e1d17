/** The route of the audit log. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { jsonResponse, operation, queryParameter } from '../http/openapi.ts';
import { pageParameters } from '../http/paging.ts';
import { LIMIT_DEFAULT, queryOf } from '../http/query-parameters.ts';
import type { Auth } from '../keys/auth.ts';
import { type AuditEntries, parseAuditQuery } from './entries.ts';
import { AuditLog } from './schema.ts';

const EXAMPLE = {
	id: 'cmnrg2x8a9z',
	createdAt: '2026-01-02T03:04:05.678Z',
	mode: 'live',
	action: 'updateForm',
	actor: { kind: 'key', id: 'cmnrg2x9b4e', name: 'website build' },
	session: null,
	form: 'cmnrg2x7k8w',
	object: { kind: 'form', id: 'cmnrg2x7k8w' },
	address: '203.0.113.7',
	count: 1,
	details: { changes: { isActive: { before: true, after: false } } },
};
const text = (name: string, { description, example }: { description: string; example: string }) =>
	queryParameter(name, { schema: Type.String(), description, example });

export const auditRoutes = (entries: AuditEntries, auth: Auth) =>
	new Elysia({ tags: ['Server'] })
		.use(auth)
		.get('/api/audit', ({ principal, request }) => entries.list(parseAuditQuery(queryOf(request)), principal.mode), {
			access: { permission: 'audit' },
			detail: operation('listAuditLog', 'Read the audit log', {
				description:
					'Who changed what, and let content out by exports, downloads and links; newest first. Entries of the mode of the key; those of ' +
					'the whole server are in `live`. Submissions of visitors, and reading in the inbox, are not recorded.',
				parameters: [
					text('action', { description: 'Only this action.', example: EXAMPLE.action }),
					text('actor', { description: 'Only by this actor, as `key:ID` or `user:NAME`.', example: 'key:cmnrg2x9b4e' }),
					text('object', {
						description: 'Only about this object; `form:ID` includes everything in the form.',
						example: 'form:cmnrg2x7k8w',
					}),
					text('since', { description: 'Only later entries, as in the list of submissions.', example: '2026-01-31' }),
					text('until', {
						description: 'Only entries from that time or earlier; a date alone includes that day.',
						example: '2026-01-31',
					}),
					...pageParameters,
				],
				returns: jsonResponse('The page.', {
					schema: AuditLog,
					example: {
						entries: [EXAMPLE],
						actions: ['createForm', 'updateForm'],
						pagination: { limit: LIMIT_DEFAULT, offset: 0, total: 1, hasMore: false },
					},
				}),
			}),
		});

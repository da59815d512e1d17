/** The routes of the counts per day. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { jsonResponse, operation, queryParameter } from '../../http/openapi.ts';
import { integer, queryOf } from '../../http/query-parameters.ts';
import type { Auth } from '../../keys/auth.ts';
import { formId } from '../openapi-parts.ts';
import { DAYS_DEFAULT, DAYS_MAX } from './bounds.ts';
import { AllStats, FormStats } from './schema.ts';
import type { Stats } from './stats.ts';

const days = queryParameter('days', {
	schema: Type.Integer({ minimum: 1, maximum: DAYS_MAX, default: DAYS_DEFAULT }),
	description: 'Number of days, today included; values out of range are clamped.',
});

const readDays = (request: Request) =>
	integer(queryOf(request), 'days', { fallback: DAYS_DEFAULT, min: 1, max: DAYS_MAX });

export const statsRoutes = (stats: Stats, auth: Auth) =>
	new Elysia({ tags: ['Submissions'] })
		.use(auth)
		.get(
			'/api/forms/:id/stats',
			async ({ principal, params, request }) => ({
				days: await stats.ofForm(params.id, { mode: principal.mode, readDays: () => readDays(request) }),
			}),
			{
				access: { permission: 'read' },
				detail: operation('getFormStats', 'Count by day', {
					description: 'The number of submissions of a form on each of the last days.',
					parameters: [formId, days],
					returns: jsonResponse('The counts.', {
						schema: FormStats,
						example: { days: [{ date: '2026-01-02', count: 12, spam: 1 }] },
					}),
					errors: ['FORM_NOT_FOUND'],
				}),
			},
		)
		.get('/api/stats', ({ principal, request }) => stats.ofAll(principal, readDays(request)), {
			access: { permission: 'read' },
			detail: operation('getStats', 'Count by form and day', {
				description:
					'The number of submissions of each form on each of the last days, and of its deliveries that failed.',
				parameters: [days],
				returns: jsonResponse('The counts.', {
					schema: AllStats,
					example: { forms: { cmnrg2x7k8w: [0, 3, 12] }, failedDeliveries: { cmnrg2x7k8w: 2 } },
				}),
			}),
		});

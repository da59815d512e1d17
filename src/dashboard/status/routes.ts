/** The route of the server's status. */

import { Elysia } from 'elysia';
import { jsonResponse, operation } from '../../http/openapi.ts';
import type { Auth } from '../../keys/auth.ts';
import { Status } from './schema.ts';
import { readStatus } from './status.ts';

const EXAMPLE: Status = {
	version: '1.0.0',
	uptimeSeconds: 86_400,
	database: { sizeBytes: 52_428_800, walBytes: 4_194_304, freeBytes: 21_474_836_480, freeInodes: 6_291_456 },
	files: {
		usedBytes: 12_582_912,
		quotaBytes: 5_368_709_120,
		formQuotaBytes: 2_684_354_560,
		forms: [{ id: 'k3v9x2qm01a', slug: 'jobs-k3v9x2qm', usedBytes: 12_582_912 }],
	},
	settings: [{ name: 'FORMSRV_PORT', value: '8080', source: 'default' }],
	mail: { configured: true, from: 'Forms <forms@example.com>' },
	queue: { waiting: 2, failed: 0 },
	clock: { problem: null, latest: null },
	backup: { everySeconds: 86_400, lastAt: '2026-01-31T03:00:00.000Z', ageSeconds: 7200 },
	problems: [],
	health: 'ok',
};

export const statusRoutes = (sources: Parameters<typeof readStatus>[0], auth: Auth) =>
	new Elysia({ tags: ['Server'] }).use(auth).get('/api/status', ({ ownMode }) => readStatus(sources, ownMode), {
		access: { permission: 'admin' },
		detail: operation('getStatus', 'Read the status', {
			description: 'Health and settings of the server, without secrets.',
			returns: jsonResponse('The status.', { schema: Status, example: EXAMPLE }),
		}),
	});

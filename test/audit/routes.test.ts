/** Every route that changes something leaves exactly one entry in the audit log: a new one without a call here fails. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { desc, gt } from 'drizzle-orm';
import { createRouter } from '../../src/http/router.ts';
import { mountManagement } from '../../src/server/management-routes.ts';
import { type AuditRow, auditLog } from '../../src/storage/audit-table.ts';
import type { ImportReport } from '../../src/submissions/import/schema.ts';
import { type ScriptedSmtp, startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { type CallOptions, openTestServer, type TestServer } from '../server.ts';
import { attach } from '../submissions/files/attached.ts';
import { until } from '../until.ts';

interface Made {
	id: string;
	slug: string;
	submission: string;
	delivery: string;
	file: string;
}
interface Call {
	path: string;
	json?: unknown;
	body?: string;
	headers?: Record<string, string>;
	key?: null;
}
type Route = Parameters<TestServer['call']>[0];

let peer: ScriptedSmtp;
let server: TestServer;
const hook = Bun.serve({ port: 0, fetch: () => new Response('ok') });

beforeAll(async () => {
	peer = await startScriptedSmtp();
	server = await openTestServer({
		settings: {
			FORMSRV_SMTP_URL: peer.url,
			FORMSRV_MAIL_FROM: 'Forms <forms@example.com>',
			FORMSRV_RATE_AUTH: '0',
			FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
		},
	});
});
afterAll(async () => {
	await server.close();
	await peer.close();
	await hook.stop(true);
});

/** A form with a submission, which has a file and a delivery. */
async function make(): Promise<Made> {
	const json = { name: 'Contact', notificationEmail: 'owner@example.com', files: { maxFiles: 1, maxBytes: 1000 } };
	const { body } = await server.call<{ id: string; slug: string }>('POST /api/forms', { json });
	const text = new File(['text'], 'cv.txt', { type: 'text/plain' });
	const { submissionId: submission, files } = await attach(server, [text], { slug: body.slug });
	const file = files[0]?.id ?? '';
	const delivery = await until(async () => {
		const { body: list } = await server.call<{ deliveries: { id: string; state: string }[] }>(
			`GET /api/forms/${body.id}/deliveries`,
		);
		return list.deliveries.find(({ state }) => state === 'sent')?.id;
	});
	return { ...body, submission, file, delivery };
}

async function webhookOf({ id }: Made): Promise<string> {
	const json = { url: `http://127.0.0.1:${hook.port}/secret` };
	return (await server.call<{ id: string }>(`POST /api/forms/${id}/webhooks`, { json })).body.id;
}

async function signIn(): Promise<{ id: string; headers: Record<string, string> }> {
	const { headers } = await server.call('POST /api/session', { key: null, json: { key: server.adminKey } });
	const [{ id } = { id: '' }] = await server.app.sessions.list();
	const Cookie = headers.get('Set-Cookie')?.split(';')[0] ?? '';
	return { id, headers: { Cookie, 'X-Formsrv-CSRF': '1', 'Sec-Fetch-Site': 'same-origin' } };
}

const byLink = async () => {
	const token = await server.app.sessions.createLink();
	const { headers } = await server.call('POST /api/session', { key: null, json: { token } });
	return {
		Cookie: headers.get('Set-Cookie')?.split(';')[0] ?? '',
		'X-Formsrv-CSRF': '1',
		'Sec-Fetch-Site': 'same-origin',
	};
};

const linesOf = ({ id }: Made) => {
	const sha256 = new Bun.CryptoHasher('sha256').update('text').digest('hex');
	const file = { id: 'c0', field: 'cv', name: 'cv.txt', type: 'text/plain', size: 4, sha256 };
	const body = JSON.stringify({ data: { name: 'Ada' }, createdAt: '2024-01-01', files: [file] });
	return { path: `/api/forms/${id}/import`, body, headers: { 'Content-Type': 'application/x-ndjson' } };
};

/** A call of each route that succeeds. */
const CALLS: Record<string, (form: Made) => Call | Promise<Call>> = {
	'POST /api/forms': () => ({ path: '/api/forms', json: { name: 'Another' } }),
	'PATCH /api/forms/:id': ({ id }) => ({ path: `/api/forms/${id}`, json: { name: 'Other' } }),
	'DELETE /api/forms/:id': ({ id }) => ({ path: `/api/forms/${id}` }),
	'PATCH /api/forms/:id/submissions/:submissionId': ({ id, submission }) => ({
		path: `/api/forms/${id}/submissions/${submission}`,
		json: { isSpam: false, sendWithheld: true },
	}),
	'DELETE /api/forms/:id/submissions/:submissionId': ({ id, submission }) => ({
		path: `/api/forms/${id}/submissions/${submission}`,
	}),
	'PATCH /api/forms/:id/submissions': ({ id }) => ({
		path: `/api/forms/${id}/submissions`,
		json: { filter: 'all', set: { isRead: true } },
	}),
	'POST /api/forms/:id/submissions/delete': ({ id }) => ({
		path: `/api/forms/${id}/submissions/delete`,
		json: { filter: 'all' },
	}),
	'POST /api/forms/:id/import': linesOf,
	'POST /api/forms/:id/submissions/:submissionId/files/:fileId/content': async (form) => {
		const { path, ...call } = linesOf(form);
		const { body } = await server.call<ImportReport>(`POST ${path as '/api/'}`, call);
		const [{ submissionId, files } = { submissionId: '', files: [] }] = body.missingFiles;
		return { path: `/api/forms/${form.id}/submissions/${submissionId}/files/${files[0]?.id}/content`, body: 'text' };
	},
	'POST /api/forms/:id/submissions/:submissionId/files/:fileId/link': ({ id, submission, file }) => ({
		path: `/api/forms/${id}/submissions/${submission}/files/${file}/link`,
	}),
	'PUT /api/forms/slug/:slug': ({ slug }) => ({ path: `/api/forms/slug/${slug}-2`, json: {} }),
	'POST /api/suppressions/remove': async () => {
		const email = 'ada@example.com';
		await server.app.dispatch.visitors.bounds.reject(email);
		return { path: '/api/suppressions/remove', json: { email } };
	},
	'POST /api/erasures': () => ({ path: '/api/erasures', json: { email: 'ada@example.com', dryRun: false } }),
	'POST /api/forms/:id/test-token': ({ id }) => ({ path: `/api/forms/${id}/test-token` }),
	'POST /api/keys': () => ({ path: '/api/keys', json: { name: 'build', permissions: ['read'] } }),
	'POST /api/keys/:id/rotate': async () => {
		const { key } = await server.app.keys.create({ mode: 'live', permissions: ['read'] });
		return { path: `/api/keys/${key.id}/rotate`, json: {} };
	},
	'DELETE /api/keys/:id': async () => {
		const { key } = await server.app.keys.create({ mode: 'live', permissions: ['read'] });
		return { path: `/api/keys/${key.id}` };
	},
	'PATCH /api/lists': () => ({ path: '/api/lists', json: { block: { add: ['domain:spam.example'] } } }),
	'PATCH /api/forms/:id/lists': ({ id }) => ({ path: `/api/forms/${id}/lists`, json: { allow: [] } }),
	'POST /api/forms/:id/webhooks': ({ id }) => ({
		path: `/api/forms/${id}/webhooks`,
		json: { url: `http://127.0.0.1:${hook.port}/` },
	}),
	'PATCH /api/forms/:id/webhooks/:webhookId': async (form) => ({
		path: `/api/forms/${form.id}/webhooks/${await webhookOf(form)}`,
		json: { isActive: false },
	}),
	'DELETE /api/forms/:id/webhooks/:webhookId': async (form) => ({
		path: `/api/forms/${form.id}/webhooks/${await webhookOf(form)}`,
	}),
	'POST /api/forms/:id/webhooks/:webhookId/rotate-secret': async (form) => ({
		path: `/api/forms/${form.id}/webhooks/${await webhookOf(form)}/rotate-secret`,
	}),
	'POST /api/forms/:id/webhooks/:webhookId/test': async (form) => ({
		path: `/api/forms/${form.id}/webhooks/${await webhookOf(form)}/test`,
	}),
	'POST /api/deliveries/:id/retry': ({ delivery }) => ({ path: `/api/deliveries/${delivery}/retry` }),
	'POST /api/deliveries/retry': ({ delivery }) => ({ path: '/api/deliveries/retry', json: { ids: [delivery] } }),
	'POST /api/forms/:id/notification/preview': ({ id }) => ({ path: `/api/forms/${id}/notification/preview` }),
	'POST /api/forms/:id/notification/test': ({ id }) => ({ path: `/api/forms/${id}/notification/test` }),
	'POST /api/mail/test': () => ({ path: '/api/mail/test', json: { to: 'you@example.com' } }),
	'POST /api/session': () => ({ path: '/api/session', json: { key: server.adminKey }, key: null }),
	'PATCH /api/session': async () => ({
		path: '/api/session',
		json: { mode: 'test' },
		headers: await byLink(),
		key: null,
	}),
	'DELETE /api/session': async () => ({ path: '/api/session', headers: (await signIn()).headers, key: null }),
	'DELETE /api/sessions': async () => {
		await signIn();
		return { path: '/api/sessions' };
	},
	'DELETE /api/sessions/:id': async () => ({ path: `/api/sessions/${(await signIn()).id}` }),
};

/** Routes that change something, as the router has them, with the names of their operations. The tools of agents at `/mcp` call these. */
function writingRoutes(): Map<string, string> {
	const router = createRouter(() => new Response());
	mountManagement(router, server.app, { base: server.baseUrl, submit: server.submitUrl });
	const isReading = (method: string) => ['GET', 'HEAD', 'OPTIONS'].includes(method);
	const writing = router.routes.filter(({ method, path }) => !isReading(method) && path !== '/mcp');
	return new Map(writing.map(({ method, path, hooks }) => [`${method} ${path}`, hooks.detail?.operationId]));
}

const entriesAfter = (id: number): Promise<AuditRow[]> =>
	server.app.storage.db.select().from(auditLog).where(gt(auditLog.id, id)) as never;

async function lastId(): Promise<number> {
	const [last] = await server.app.storage.db.select().from(auditLog).orderBy(desc(auditLog.id)).limit(1);
	return last?.id ?? 0;
}

test('every route that changes something is called here, and has a name', () => {
	const routes = writingRoutes();
	expect(Object.keys(CALLS).sort()).toEqual([...routes.keys()].sort());
	expect([...routes.values()].filter((name) => !name)).toEqual([]);
});

test.each(Object.keys(CALLS))('%s leaves one entry, named as its operation', async (route) => {
	const form = await make();
	const { path, ...call } = (await CALLS[route]?.(form)) ?? { path: '' };
	const before = await lastId();
	const { status, text } = await server.call(`${route.split(' ')[0]} ${path}` as Route, call as CallOptions);
	expect([200, 201], text).toContain(status);
	const entries = await entriesAfter(before);
	expect(entries.map(({ action }) => action)).toEqual([writingRoutes().get(route) as string]);
	const [entry] = entries;
	expect(entry).toMatchObject({ mode: 'live', actor: expect.stringMatching(/^(key|session):[0-9a-z]+$/), count: 1 });
	expect(entry?.address).toBe('127.0.0.1');
	// Deliveries are of any form; a new one has no id in its path.
	if (route.includes('/forms')) expect(entry?.formId).not.toBeNull();
});

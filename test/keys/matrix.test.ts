/** Every credential against every management route: what the guard says, before anything else is looked at. */

import { afterAll, describe, expect, test } from 'bun:test';
import type { ApiDocument } from '../../src/http/openapi-document.ts';
import { createRouter } from '../../src/http/router.ts';
import { createToken } from '../../src/keys/token.ts';
import { mountManagement } from '../../src/server/management-routes.ts';
import type { Permission } from '../../src/storage/tables.ts';
import { openTestServer } from '../server.ts';

interface Rule {
	permission: Permission;
	/** True if the permission to read is needed as well. */
	alsoRead?: boolean;
	/** True if a form-level key may come in for its own form. */
	formKey?: boolean;
	/** True if test keys are rejected. */
	isLiveOnly?: boolean;
}

interface Described {
	security: object[];
	responses: Record<
		string,
		{ description: string; content: { 'application/json': { examples: { FORBIDDEN: { value: { error: string } } } } } }
	>;
}

/** The access that each management route requires. A new route without a line here fails the first test. */
const RULES: Record<string, Rule> = {
	'GET /api/forms': { permission: 'read' },
	'POST /api/forms': { permission: 'write' },
	'PUT /api/forms/slug/:slug': { permission: 'write' },
	'GET /api/forms/:id': { permission: 'read' },
	'PATCH /api/forms/:id': { permission: 'write' },
	'DELETE /api/forms/:id': { permission: 'delete' },
	'GET /api/forms/:id/submissions': { permission: 'read', formKey: true },
	'GET /api/forms/:id/submissions/:submissionId': { permission: 'read', formKey: true },
	'PATCH /api/forms/:id/submissions/:submissionId': { permission: 'write', formKey: true },
	'GET /api/forms/:id/submissions/:submissionId/spam': { permission: 'read', formKey: true },
	'DELETE /api/forms/:id/submissions/:submissionId': { permission: 'delete' },
	'PATCH /api/forms/:id/submissions': { permission: 'write', formKey: true },
	'POST /api/forms/:id/submissions/delete': { permission: 'delete' },
	'POST /api/erasures': { permission: 'delete', alsoRead: true, isLiveOnly: true },
	'GET /api/erasures': { permission: 'delete', alsoRead: true, isLiveOnly: true },
	'GET /api/erasures/:id': { permission: 'delete', alsoRead: true, isLiveOnly: true },
	'GET /api/forms/:id/submissions/:submissionId/files.zip': { permission: 'read', formKey: true },
	'GET /api/forms/:id/submissions/:submissionId/files/:fileId': { permission: 'read', formKey: true },
	'POST /api/forms/:id/submissions/:submissionId/files/:fileId/content': { permission: 'write', alsoRead: true },
	'POST /api/forms/:id/submissions/:submissionId/files/:fileId/link': { permission: 'read', formKey: true },
	'POST /api/forms/:id/import': { permission: 'write', alsoRead: true },
	'GET /api/forms/:id/export': { permission: 'read', formKey: true },
	'GET /api/forms/:id/stats': { permission: 'read' },
	'POST /api/forms/:id/test-token': { permission: 'write' },
	'GET /api/forms/:id/fields/suggestion': { permission: 'read' },
	'GET /api/stats': { permission: 'read' },
	'GET /api/events': { permission: 'read', formKey: true },
	'GET /api/keys': { permission: 'admin' },
	'POST /api/keys': { permission: 'admin' },
	'POST /api/keys/:id/rotate': { permission: 'admin' },
	'DELETE /api/keys/:id': { permission: 'admin' },
	'GET /api/lists': { permission: 'read' },
	'PATCH /api/lists': { permission: 'write', alsoRead: true },
	'GET /api/forms/:id/lists': { permission: 'read' },
	'PATCH /api/forms/:id/lists': { permission: 'write', alsoRead: true },
	'GET /api/forms/:id/webhooks': { permission: 'admin' },
	'POST /api/forms/:id/webhooks': { permission: 'admin' },
	'GET /api/forms/:id/webhooks/:webhookId': { permission: 'admin' },
	'PATCH /api/forms/:id/webhooks/:webhookId': { permission: 'admin' },
	'DELETE /api/forms/:id/webhooks/:webhookId': { permission: 'admin' },
	'POST /api/forms/:id/webhooks/:webhookId/rotate-secret': { permission: 'admin' },
	'POST /api/forms/:id/webhooks/:webhookId/test': { permission: 'admin' },
	'GET /api/deliveries': { permission: 'admin' },
	'GET /api/deliveries/:id': { permission: 'admin' },
	'GET /api/deliveries/:id/preview': { permission: 'admin' },
	'GET /api/forms/:id/deliveries': { permission: 'admin' },
	'GET /api/forms/:id/submissions/:submissionId/deliveries': { permission: 'admin' },
	'POST /api/deliveries/:id/retry': { permission: 'admin' },
	'POST /api/deliveries/retry': { permission: 'admin' },
	'POST /api/mail/test': { permission: 'admin', isLiveOnly: true },
	'GET /api/forms/:id/notification/preview': { permission: 'admin' },
	'POST /api/forms/:id/notification/preview': { permission: 'admin' },
	'POST /api/forms/:id/notification/test': { permission: 'admin', isLiveOnly: true },
	'GET /api/suppressions': { permission: 'admin', isLiveOnly: true },
	'POST /api/suppressions/remove': { permission: 'admin', isLiveOnly: true },
	'GET /api/sessions': { permission: 'admin' },
	'DELETE /api/sessions': { permission: 'admin' },
	'DELETE /api/sessions/:id': { permission: 'admin' },
	'GET /api/status': { permission: 'admin' },
	'GET /metrics': { permission: 'metrics' },
	'GET /api/audit': { permission: 'audit' },
};

/** Under `/api`, but without a key. */
const OPEN = [/ \/api\/f\//, / \/api\/session(\/|$)/, / \/api\/openapi\.json$/, / \/api\/forms\.schema\.json$/];

const server = await openTestServer({ settings: { FORMSRV_RATE_AUTH: '0', FORMSRV_RATE_API: '0' } });
afterAll(server.close);

const own = await server.app.forms.create('live', { name: 'Own', slug: 'own' });
const second = await server.app.forms.create('live', { name: 'Second', slug: 'second' });
const other = await server.app.forms.create('live', { name: 'Other', slug: 'other' });
const revoked = await server.app.keys.create({ mode: 'live', permissions: ['admin'] });
await server.app.keys.revoke(revoked.key.id);
const expiresAt = new Date(Date.now() + 1000);
const expiring = await server.app.keys.create({ mode: 'live', permissions: ['admin'], expiresAt });
await Bun.sleep(expiresAt.getTime() - Date.now() + 1);

const permissionSets: Permission[][] = [
	['read'],
	['write'],
	['delete'],
	['submit'],
	['read', 'write'],
	['read', 'delete'],
	['read', 'write', 'delete'],
	['admin'],
];

/** The permission that a route needs first of those that a key does not have. */
function lackingOf(permissions: readonly Permission[], { permission, alsoRead }: Rule): Permission | undefined {
	if (permissions.includes('admin')) return undefined;
	return [permission, ...(alsoRead ? (['read'] as const) : [])].find((needed) => !permissions.includes(needed));
}

const invalidHeaders: Record<string, string | undefined> = {
	'no header': undefined,
	'an empty header': '',
	'a word': 'Bearer key',
	'another scheme': `Basic ${btoa(`user:${server.adminKey}`)}`,
	'the bare key': server.adminKey,
	'two keys': `Bearer ${server.adminKey}, Bearer ${server.adminKey}`,
	'an unknown key': `Bearer ${createToken('live')}`,
	'a key with a wrong checksum': `Bearer ${server.adminKey.slice(0, -1)}${server.adminKey.endsWith('A') ? 'B' : 'A'}`,
	'a revoked key': `Bearer ${revoked.token}`,
	'an expired key': `Bearer ${expiring.token}`,
};

const limited = await Promise.all(
	permissionSets.map(async (permissions) => ({ permissions, token: await server.createKey({ permissions }) })),
);
/** The same keys as sessions in a browser, as what their dashboard sends along with every request. */
const signedIn = await Promise.all(
	limited.map(async ({ permissions, token }) => {
		const { headers } = await server.call('POST /api/session', { key: null, json: { key: token } });
		return { permissions, token, cookie: headers.get('Set-Cookie')?.split(';')[0] ?? '' };
	}),
);
const OWN_PAGE = { 'X-Formsrv-CSRF': '1', 'Sec-Fetch-Site': 'same-origin' };
const testMode = await server.createKey({ mode: 'test' });
const formKey = await server.createKey({ form: own.id });
const markingFormKey = await server.createKey({ forms: [own.id, second.id], permissions: ['read', 'write'] });
const submittingFormKey = await server.createKey({ form: own.id, permissions: ['submit'] });

const ask = (route: string, authorization: string | undefined, formId?: string) =>
	send(route, authorization === undefined ? {} : { Authorization: authorization }, formId);

async function send(route: string, headers: Record<string, string>, formId = own.id) {
	const [method = '', path = ''] = route.split(' ');
	const response = await fetch(`${server.baseUrl}${path.replace(':id', formId).replace(/:\w+/g, '0')}`, {
		method,
		headers: { 'Content-Type': 'application/json', ...headers },
		...(['POST', 'PATCH', 'PUT'].includes(method) && { body: '[]' }),
	});
	const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
	const body = (isJson ? await response.json() : {}) as { code?: string; error?: string };
	if (!isJson) await response.body?.cancel();
	return { status: response.status, challenge: response.headers.get('WWW-Authenticate'), body };
}

test('every management route has a rule here, and every rule a route', () => {
	const router = createRouter(() => new Response());
	mountManagement(router, server.app, { base: server.baseUrl, submit: server.submitUrl });
	const routes = router.routes
		.map(({ method, path }) => `${method} ${path}`)
		.filter((route) => / \/(api\/|metrics)/.test(route) && !OPEN.some((pattern) => pattern.test(route)));
	expect(routes.sort()).toEqual(Object.keys(RULES).sort());
});

test('the API document names the permissions that each operation takes', async () => {
	const { body } = await server.call<ApiDocument>('GET /api/openapi.json');
	for (const [route, { permission, alsoRead, isLiveOnly }] of Object.entries(RULES)) {
		const [method = '', path = ''] = route.replaceAll(/:(\w+)/g, '{$1}').split(' ');
		const described = body.paths[path]?.[method.toLowerCase()];
		const { security, responses } = described as Described;
		const needed = alsoRead ? [permission, 'read'] : [permission];
		expect([route, security]).toEqual([route, [{ apiKey: needed }]]);
		// To look the key up takes the database.
		expect(responses).toHaveProperty('503');
		for (const word of [...needed, ...(isLiveOnly ? ['test key'] : [])])
			expect(responses['403']?.description).toContain(word);
		const examples = responses['403']?.content['application/json'].examples;
		expect(examples?.FORBIDDEN.value.error).toBe(`This key lacks the permission "${permission}".`);
	}
});

// Deleting comes last: the form has to be there for the others.
const routes = Object.entries(RULES).sort(
	([a], [b]) => Number(a.startsWith('DELETE')) - Number(b.startsWith('DELETE')),
);

describe.each(routes)('%s', (route, rule) => {
	test('rejects unauthenticated requests, all with one response', async () => {
		const answers = await Promise.all(Object.values(invalidHeaders).map((header) => ask(route, header)));
		for (const [i, { status, challenge, body }] of answers.entries()) {
			expect(status).toBe(401);
			expect(body).toMatchObject({ code: 'UNAUTHORIZED', error: answers[0]?.body.error as string });
			expect(challenge).toBe(`Bearer realm="formsrv"${i === 0 ? '' : ', error="invalid_token"'}`);
		}
	});

	test('accepts exactly the keys with its permission', async () => {
		for (const { permissions, token } of limited) {
			const lacking = lackingOf(permissions, rule);
			const isEnough = lacking === undefined;
			if (isEnough && route.startsWith('DELETE')) continue;
			const { status, body } = await ask(route, `bearer ${token}`);
			if (isEnough) expect([401, 403]).not.toContain(status);
			else {
				expect({ permissions, status, code: body.code }).toEqual({ permissions, status: 403, code: 'FORBIDDEN' });
				expect(body.error).toContain(`"${lacking}"`);
			}
		}
	});

	test('does not disclose to a limited key which forms exist', async () => {
		const lacking = limited.find(({ permissions }) => lackingOf(permissions, rule) !== undefined);
		if (!lacking || !route.includes(':id')) return;
		const [existing, missing] = await Promise.all(
			[own.id, 'zzzzzzzzzz'].map((id) => ask(route, `Bearer ${lacking.token}`, id)),
		);
		expect(existing?.body.error).toBe(missing?.body.error as string);
		expect(existing?.status).toBe(missing?.status as number);
	});

	test(
		rule.formKey ? 'takes a form-level key with its permission for its own forms alone' : 'refuses a form-level key',
		async () => {
			const isOpen = rule.formKey === true;
			const ownForm = await ask(route, `Bearer ${formKey}`);
			if (isOpen && rule.permission === 'read') expect([401, 403]).not.toContain(ownForm.status);
			else expect(ownForm.status).toBe(403);
			if (ownForm.status === 403) expect(ownForm.body.error).toContain(`the permission "${rule.permission}"`);
			for (const { id } of [own, second]) {
				const { status } = await ask(route, `Bearer ${markingFormKey}`, id);
				if (isOpen) expect([401, 403]).not.toContain(status);
				else expect(status).toBe(403);
			}
			expect((await ask(route, `Bearer ${submittingFormKey}`)).status).toBe(403);
			if (!route.includes(':id')) return;
			for (const key of [formKey, markingFormKey]) {
				const [elsewhere, nowhere] = await Promise.all(
					[other.id, 'zzzzzzzzzz'].map((id) => ask(route, `Bearer ${key}`, id)),
				);
				expect([elsewhere?.status, nowhere?.status]).toEqual([403, 403]);
				expect(elsewhere?.body.error).toBe(nowhere?.body.error as string);
			}
		},
	);

	test('accepts a session like the session’s key', async () => {
		for (const { permissions, token, cookie } of signedIn) {
			const isEnough = lackingOf(permissions, rule) === undefined;
			if (isEnough && route.startsWith('DELETE')) continue;
			const [byKey, byCookie] = [
				await ask(route, `Bearer ${token}`),
				await send(route, { Cookie: cookie, ...OWN_PAGE }),
			];
			expect({ permissions, status: byCookie.status, code: byCookie.body.code }).toEqual({
				permissions,
				status: byKey.status,
				code: byKey.body.code,
			});
		}
	});

	test('accepts a session from other pages only for requests that change nothing', async () => {
		const cookie = signedIn.find(({ permissions }) => permissions.includes('admin'))?.cookie ?? '';
		const others: Record<string, string>[] = [
			{},
			{ 'X-Formsrv-CSRF': '1' },
			{ ...OWN_PAGE, 'Sec-Fetch-Site': 'same-site' },
		];
		for (const headers of others) {
			const { status, body } = await send(route, { Cookie: cookie, ...headers });
			if (route.startsWith('GET')) expect([401, 403]).not.toContain(status);
			else expect({ status, code: body.code }).toEqual({ status: 403, code: 'FORBIDDEN' });
		}
	});

	test('does not show live objects to a test key', async () => {
		const { status } = await ask(route, `Bearer ${testMode}`);
		if (rule.isLiveOnly) expect(status).toBe(403);
		else if (route.includes(':id')) expect(status).toBe(404);
		else expect([401, 403]).not.toContain(status);
	});
});

test('a key is never taken from the query', async () => {
	const response = await fetch(`${server.baseUrl}/api/forms?key=${server.adminKey}&access_token=${server.adminKey}`);
	expect(response.status).toBe(401);
});

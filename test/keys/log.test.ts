/** The log says by which key and in which session something was changed. */

import { expect, test } from 'bun:test';
import { openTestServer } from '../server.ts';

interface Line {
	method: string;
	path: string;
	key?: string;
	session?: string;
}

test('changes are logged with the ids of key and session, and without the credentials', async () => {
	const server = await openTestServer({ settings: { FORMSRV_LOG_LEVEL: 'info' } });
	const { token, key } = await server.app.keys.create({ mode: 'live', permissions: ['admin'] });
	const signIn = async (json: object) => {
		const { headers } = await server.call('POST /api/session', { key: null, json });
		return headers.get('Set-Cookie')?.split(';')[0] ?? '';
	};
	const lineOf = (method: string, path: string) => {
		server.app.log.flush();
		const lines = server.logLines.map((line) => JSON.parse(line) as Line);
		return lines.findLast((line) => line.method === method && line.path === path);
	};
	const asSession = (Cookie: string) => ({
		key: null,
		headers: { Cookie, 'X-Formsrv-CSRF': '1', Origin: server.baseUrl },
	});

	await server.call('POST /api/forms', { key: token, json: { name: 'Contact' } });
	expect(lineOf('POST', '/api/forms')).toMatchObject({ key: key.id });
	expect(lineOf('POST', '/api/forms')).not.toHaveProperty('session');

	const byKey = await signIn({ key: token });
	const [session] = await server.app.sessions.list();
	expect(lineOf('POST', '/api/session')).toMatchObject({ key: key.id, session: session?.id });
	await server.call('POST /api/keys', { ...asSession(byKey), json: { permissions: ['read'] } });
	expect(lineOf('POST', '/api/keys')).toMatchObject({ key: key.id, session: session?.id });
	await server.call('DELETE /api/session', asSession(byKey));
	expect(lineOf('DELETE', '/api/session')).toMatchObject({ key: key.id, session: session?.id });

	const byLink = await signIn({ token: await server.app.sessions.createLink() });
	const [fromLink] = await server.app.sessions.list();
	await server.call('POST /api/keys', { ...asSession(byLink), json: { permissions: ['read'] } });
	expect(lineOf('POST', '/api/keys')).toMatchObject({ session: fromLink?.id });
	expect(lineOf('POST', '/api/keys')).not.toHaveProperty('key');

	await server.call('DELETE /api/forms/x', { key: 'sk_live_wrong' });
	expect(lineOf('DELETE', '/api/forms/x')).not.toContainAnyKeys(['key', 'session']);
	for (const secret of [token, byKey.split('=')[1] ?? '', byLink.split('=')[1] ?? '']) {
		expect(server.logLines.join('')).not.toContain(secret);
	}
	await server.close();
});

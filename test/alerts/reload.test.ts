/** Receivers of alerts that are named while the server runs. */

import { expect, test } from 'bun:test';
import { reloadConfig } from '../../src/config.ts';
import { openTestServer } from '../server.ts';

/** A receiver, and the first alert that it gets. */
function listen() {
	const first = Promise.withResolvers<unknown>();
	const server = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			first.resolve(await request.json());
			return new Response();
		},
	});
	return { url: server.url.href, first: first.promise, [Symbol.dispose]: () => server.stop(true) };
}

test('where there was none, and in place of another, a reload names one', async () => {
	using one = listen();
	using other = listen();
	const { app, env, close } = await openTestServer({ settings: { FORMSRV_WEBHOOK_ALLOW: '127.0.0.1' } });
	const tellTo = (url: string) => {
		const input = { env: { ...env, FORMSRV_ALERT_URL: url }, flags: {}, cwd: '/', isTerminal: false };
		expect(reloadConfig(app.config, input)).toEqual({ changed: ['FORMSRV_ALERT_URL'], needRestart: [] });
		app.reload();
	};
	try {
		tellTo(one.url);
		app.storage.findings.set('lock');
		expect(await one.first).toMatchObject({ state: 'begun', name: 'lock' });
		tellTo(other.url);
		app.storage.findings.set('damage');
		expect(await other.first).toMatchObject({ state: 'begun', name: 'damage' });
	} finally {
		await close();
	}
}, 30_000);

/** A stop under load: keep-alive clients get `Connection: close` in time, and every request gets a response. Nothing holds it up. */

import { expect, test } from 'bun:test';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';

const CLIENTS = 16;
const STOPPED_WITHIN_MS = 10_000;
const UNLIMITED = { FORMSRV_RATE_SUBMIT: '0', FORMSRV_RATE_API: '0', FORMSRV_LOG_LEVEL: 'error' };

interface Call {
	url: string;
	method: 'GET' | 'POST';
}

interface Outcome {
	responses: number;
	/** Requests without a response, on a connection that was not announced to close. */
	lost: number;
	/** Whether the last response announced that the connection closes. */
	isTold: boolean;
}

/** Sends request after request on one connection until that ends. */
async function sendOnOneConnection({ url, method }: Call, onFirst: () => void): Promise<Outcome> {
	const agent = new Agent({ keepAlive: true, maxSockets: 1 });
	const send = () =>
		new Promise<string | undefined>((resolve, reject) => {
			const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
			const outgoing = request(url, { method, agent, headers }, (response) => {
				text(response).then(() => resolve(response.headers.connection), reject);
			});
			outgoing.on('error', reject);
			outgoing.end(method === 'POST' ? '{"mark":"x"}' : undefined);
		});
	const outcome = { responses: 0, lost: 0, isTold: false };
	while (!outcome.isTold && outcome.lost === 0) {
		try {
			outcome.isTold = (await send()) === 'close';
			outcome.responses++;
			if (outcome.responses === 1) onFirst();
		} catch {
			outcome.lost++;
		}
	}
	agent.destroy();
	return outcome;
}

async function stopUnderLoad(callTo: (server: RunningBinary) => Call): Promise<Outcome[]> {
	const cwd = tempFolder();
	await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
	const server = await startBinary({ cwd, env: UNLIMITED });
	const started = Array.from({ length: CLIENTS }, () => Promise.withResolvers<void>());
	const clients = started.map(({ resolve }) => sendOnOneConnection(callTo(server), resolve));
	await Promise.all(started.map(({ promise }) => promise));
	expect(await server.end('SIGTERM')).toBe(0);
	return Promise.all(clients);
}

test.each<[string, (server: RunningBinary) => Call]>([
	['submit', ({ submitUrl }) => ({ url: `${submitUrl}/f/contact`, method: 'POST' })],
	['base', ({ baseUrl }) => ({ url: `${baseUrl}/api/f/contact`, method: 'POST' })],
	['base, for an owner without a key', ({ baseUrl }) => ({ url: `${baseUrl}/api/forms`, method: 'GET' })],
])('every keep-alive client of %s gets `Connection: close`, and a response to every request', async (_, callTo) => {
	const outcomes = await stopUnderLoad(callTo);
	expect(outcomes.filter(({ lost, isTold }) => lost > 0 || !isTold)).toEqual([]);
});

test('a scanner that never responds does not hold up the stop', async () => {
	const asked = Promise.withResolvers<void>();
	const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { open: () => asked.resolve(), data() {} } });
	const cwd = tempFolder();
	await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
	const env = { FORMSRV_SCAN: `clamd:tcp://127.0.0.1:${silent.port}`, FORMSRV_LOG_LEVEL: 'error' };
	const server = await startBinary({ cwd, env });
	const body = new FormData();
	body.append('cv', new File(['Dear all'], 'cv.txt'));
	const headers = { Accept: 'application/json' };
	expect((await fetch(`${server.submitUrl}/f/contact`, { method: 'POST', headers, body })).status).toBe(200);
	await asked.promise;
	const late = Bun.sleep(STOPPED_WITHIN_MS).then(() => 'late');
	expect(await Promise.race([server.end('SIGTERM'), late])).toBe(0);
	silent.stop(true);
}, 20_000);

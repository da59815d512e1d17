/** A stop under load: keep-alive clients get `Connection: close` in time, and every request gets a response. Nothing holds it up. */

import { expect, test } from 'bun:test';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';

const CLIENTS = 16;
/** So few that the server is quiet now and then. */
const FEW = 4;
/** Longest pause of a client between two requests. */
const PAUSE_MS = 500;
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
	/** True if the last response announced that the connection closes. */
	isTold: boolean;
}

/** Sends request after request on one connection until that ends. */
async function sendOnOneConnection(call: Call, onFirst: () => void): Promise<Outcome> {
	const agent = new Agent({ keepAlive: true, maxSockets: 1 });
	const outcome = { responses: 0, lost: 0, isTold: false };
	while (!outcome.isTold && outcome.lost === 0) {
		await sendOnce(call, agent, outcome);
		if (outcome.responses === 1) onFirst();
	}
	agent.destroy();
	return outcome;
}

async function sendOnce({ url, method }: Call, agent: Agent, outcome: Outcome): Promise<void> {
	try {
		outcome.isTold = await new Promise<boolean>((resolve, reject) => {
			const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
			const outgoing = request(url, { method, agent, headers }, (response) => {
				text(response).then(() => resolve(response.headers.connection === 'close'), reject);
			});
			outgoing.on('error', reject);
			outgoing.end(method === 'POST' ? '{"mark":"x"}' : undefined);
		});
		outcome.responses++;
	} catch {
		outcome.lost++;
	}
}

async function stopUnderLoad(callTo: (server: RunningBinary) => Call): Promise<Outcome[]> {
	const cwd = tempFolder();
	await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
	await using server = await startBinary({ cwd, env: UNLIMITED });
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

/**
 * Sends requests with pauses in between, on one connection after the other: on a new one as soon as it is told that one ends.
 * Resolves, once a new one gets no response, with how many requests went into a connection that closed without a word.
 */
async function comeAgain(call: Call, onFirst: () => void): Promise<number> {
	for (let lost = 0; ; ) {
		const agent = new Agent({ keepAlive: true, maxSockets: 1 });
		const outcome = { responses: 0, lost: 0, isTold: false };
		while (!outcome.isTold && outcome.lost === 0) {
			await sendOnce(call, agent, outcome);
			if (outcome.responses === 1) onFirst();
			await Bun.sleep(Math.random() * PAUSE_MS);
		}
		agent.destroy();
		lost += outcome.responses > 0 ? outcome.lost : 0;
		if (outcome.lost > 0) return lost;
	}
}

test('no client sends into a close, also if clients pause for a while or come again: 8 stops', async () => {
	const cwd = tempFolder();
	await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
	for (let stop = 0; stop < 8; stop++) {
		await using server = await startBinary({ cwd, env: UNLIMITED });
		const call: Call = { url: `${server.submitUrl}/f/contact`, method: 'POST' };
		const started = Array.from({ length: FEW }, () => Promise.withResolvers<void>());
		const clients = started.map(({ resolve }) => comeAgain(call, resolve));
		await Promise.all(started.map(({ promise }) => promise));
		const began = performance.now();
		expect(await server.end('SIGTERM')).toBe(0);
		expect(performance.now() - began).toBeLessThan(STOPPED_WITHIN_MS);
		expect(await Promise.all(clients)).toEqual(Array(FEW).fill(0));
	}
}, 60_000);

test('a server without connections stops at once', async () => {
	await using server = await startBinary({ cwd: tempFolder(), env: UNLIMITED });
	const began = performance.now();
	expect(await server.end('SIGTERM')).toBe(0);
	expect(performance.now() - began).toBeLessThan(1000);
});

test('a scanner that never responds does not hold up the stop', async () => {
	const asked = Promise.withResolvers<void>();
	const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { open: () => asked.resolve(), data() {} } });
	const cwd = tempFolder();
	await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
	const env = { FORMSRV_SCAN: `clamd:tcp://127.0.0.1:${silent.port}`, FORMSRV_LOG_LEVEL: 'error' };
	await using server = await startBinary({ cwd, env });
	const body = new FormData();
	body.append('cv', new File(['Dear all'], 'cv.txt'));
	const headers = { Accept: 'application/json' };
	expect((await fetch(`${server.submitUrl}/f/contact`, { method: 'POST', headers, body })).status).toBe(200);
	await asked.promise;
	const late = Bun.sleep(STOPPED_WITHIN_MS).then(() => 'late');
	expect(await Promise.race([server.end('SIGTERM'), late])).toBe(0);
	silent.stop(true);
}, 20_000);

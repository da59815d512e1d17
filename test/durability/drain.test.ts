/** A stop under load: clients that keep their connections are told in time, and no request of theirs stays without an answer. */

import { expect, test } from 'bun:test';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';

const CLIENTS = 16;
const UNLIMITED = { FORMSRV_RATE_SUBMIT: '0', FORMSRV_RATE_API: '0', FORMSRV_LOG_LEVEL: 'error' };

interface Call {
	url: string;
	method: 'GET' | 'POST';
}

interface Outcome {
	answered: number;
	/** Requests that were sent on a connection which had not been said to end, and were not answered. */
	unanswered: number;
	/** Whether the last response said that the connection ends. */
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
	const outcome = { answered: 0, unanswered: 0, isTold: false };
	while (!outcome.isTold && outcome.unanswered === 0) {
		try {
			outcome.isTold = (await send()) === 'close';
			outcome.answered++;
			if (outcome.answered === 1) onFirst();
		} catch {
			outcome.unanswered++;
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
])(
	'every keep-alive client of %s is told that its connection ends, and gets an answer to all it sent',
	async (_, callTo) => {
		const outcomes = await stopUnderLoad(callTo);
		expect(outcomes.filter(({ unanswered, isTold }) => unanswered > 0 || !isTold)).toEqual([]);
	},
);

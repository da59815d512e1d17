/** Listeners on loopback that count connections, one of them with a certificate. */

import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { textBody } from '../../src/network/post-body.ts';
import { makeCertificate } from './certificate.ts';

/** Responds as the test says. */
export interface Canary {
	port: number;
	requests: string[];
	connections: number;
	serverNames: (string | false | null)[];
	respond: (socket: Socket) => void;
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';
export const REQUEST = { headers: { 'Content-Type': 'application/json' }, body: textBody('{"a":1}') };
export const LOOPBACK = ['127.0.0.0/8', '::1'];

/** A resolver that returns these addresses for every name. */
export const resolvesTo =
	(...addresses: string[]) =>
	async () =>
		addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

export interface Canaries {
	plain: Canary;
	/** With a certificate for `hooks.example.test`. */
	secure: Canary;
	/** The authority that issued it. */
	ca: string;
	/** A closed port. */
	deadPort(): Promise<number>;
}

/** The canaries of a test file: silent again before each test, gone after the last. */
export function useCanaries(): Canaries {
	const canaries = {} as Canaries;
	const closing: (() => void)[] = [];

	async function open(create: (onSocket: (socket: Socket) => void) => Server): Promise<Canary> {
		const { canary, close } = await listen(create);
		closing.push(close);
		return canary;
	}

	beforeAll(async () => {
		const folder = mkdtempSync(join(tmpdir(), 'formsrv-tls-'));
		closing.push(() => rmSync(folder, { recursive: true }));
		await makeCertificate(folder, { type: 2, value: 'hooks.example.test' });
		const ca = readFileSync(join(folder, 'cert.pem'), 'utf8');
		const key = readFileSync(join(folder, 'key.pem'));
		Object.assign(canaries, {
			ca,
			plain: await open((onSocket) => createServer(onSocket)),
			secure: await open((onSocket) => createTlsServer({ key, cert: ca }, onSocket)),
			async deadPort() {
				const { canary, close } = await listen((onSocket) => createServer(onSocket));
				close();
				return canary.port;
			},
		});
	});

	beforeEach(() => {
		for (const canary of [canaries.plain, canaries.secure]) {
			canary.requests.length = 0;
			canary.serverNames.length = 0;
			canary.connections = 0;
			canary.respond = (socket) => socket.end(OK);
		}
	});

	afterAll(() => {
		for (const close of closing) close();
	});

	return canaries;
}

function listen(
	create: (onSocket: (socket: Socket) => void) => Server,
): Promise<{ canary: Canary; close: () => void }> {
	const canary: Canary = { port: 0, requests: [], connections: 0, serverNames: [], respond: () => {} };
	const server = create((socket) => {
		canary.connections++;
		let text = '';
		socket.on('error', () => {});
		socket.on('data', (chunk) => {
			text += chunk.toString();
			if (!text.endsWith('{"a":1}')) return;
			canary.requests.push(text);
			canary.serverNames.push((socket as unknown as { servername: string }).servername);
			canary.respond(socket);
		});
	});
	server.on('tlsClientError', () => {});
	return new Promise((resolve) => {
		server.listen(0, '127.0.0.1', () => {
			canary.port = (server.address() as { port: number }).port;
			resolve({ canary, close: () => server.close() });
		});
	});
}
